"""Ask a judge once, or many times."""

import asyncio
import logging

from llm_judge._completion import Complete, Completion, JudgeSettings
from llm_judge._errors import CompletionError
from llm_judge._parse import parse_reply
from llm_judge._prompt import build_judge_prompt
from llm_judge._protocol import GENERAL, GRADED, JudgeProtocol
from llm_judge._result import (
    JudgeAggregation,
    JudgeResult,
    JudgeStatus,
    aggregate_runs,
)

__all__ = ["judge_answer", "judge_answer_runs"]

_LOGGER = logging.getLogger("llm_judge")
_DEFAULTS = JudgeSettings()


async def judge_answer(
    complete: Complete,
    question: str,
    gold: str,
    prediction: str,
    category: str = GENERAL,
    *,
    protocol: JudgeProtocol = GRADED,
    settings: JudgeSettings = _DEFAULTS,
) -> JudgeResult:
    """Judge one prediction with one call.

    The call is made once; trying again is the caller's decision.
    Whatever `complete` raises becomes a result with status `INFRA_ERROR`, so that one
    broken call costs one run.
    The reason repeats the message of a `CompletionError` only:
    the messages of other exceptions may hold a key.
    Cancellation passes through.

    Raises:
        TypeError: The question, an answer or the category is not a string.
    """
    prompt = build_judge_prompt(question, gold, prediction, category, protocol)
    try:
        completion = await complete(prompt, settings)
    except CompletionError as error:
        return _no_reply(f"the call failed: {error}", protocol, error)
    except Exception as error:  # noqa: BLE001 - a foreign callable may raise anything
        kind = type(error).__name__
        return _no_reply(f"the call raised {kind}", protocol, error)
    if not isinstance(completion, Completion):
        kind = type(completion).__name__
        return _no_reply(f"the call returned {kind}, not a Completion", protocol, None)
    return parse_reply(completion, protocol)


async def judge_answer_runs(
    complete: Complete,
    question: str,
    gold: str,
    prediction: str,
    category: str = GENERAL,
    *,
    protocol: JudgeProtocol = GRADED,
    settings: JudgeSettings = _DEFAULTS,
    runs: int = 10,
    concurrency: int = 3,
) -> JudgeAggregation:
    """Judge one prediction many times and combine the runs.

    At most `concurrency` calls are in flight; the next starts as soon as one ends.
    Warnings are in the value and go to the logger `llm_judge` as well.
    When it is cancelled, so are the calls in flight.

    Raises:
        TypeError: The question, an answer or the category is not a string.
        ValueError: `runs` or `concurrency` is below 1.
    """
    for name, value in (("runs", runs), ("concurrency", concurrency)):
        if value < 1:
            msg = f"{name} must be at least 1, not {value}"
            raise ValueError(msg)
    # checked here, or the task group would wrap the error
    build_judge_prompt(question, gold, prediction, category, protocol)
    slots = asyncio.Semaphore(concurrency)

    async def run() -> JudgeResult:
        async with slots:
            return await judge_answer(
                complete,
                question,
                gold,
                prediction,
                category,
                protocol=protocol,
                settings=settings,
            )

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run()) for _ in range(runs)]
    aggregation = aggregate_runs(task.result() for task in tasks)
    for warning in aggregation.warnings:
        _LOGGER.warning(warning)
    return aggregation


def _no_reply(
    reason: str, protocol: JudgeProtocol, error: Exception | None
) -> JudgeResult:
    return JudgeResult(
        status=JudgeStatus.INFRA_ERROR,
        signature=protocol.signature,
        reason=reason,
        error=error,
    )
