"""The judge stage: every run of every question is an entry of its own.

It reads the stored answers and never touches them. Another protocol, another judge or
more runs only add entries.
"""

from __future__ import annotations

from collections.abc import Sequence

from llm_judge import (
    JudgeResult,
    parse_reply,
)

from locomo_run.desk import Desk
from locomo_run.entry import Attempt, Entry, Status
from locomo_run.judge import Judge, differ, judgeable, score_of
from locomo_run.lane import each
from locomo_run.models import ask, cost_at_most, usage_of
from locomo_run.outcome import Outcome
from locomo_run.progress import Judged, JudgingStarted


async def judge_answers(judge: Judge, outcomes: Sequence[Outcome], desk: Desk) -> None:
    """Buy what is missing of a judge's runs over the stored answers.

    Args:
        judge: Who judges.
        outcomes: What to judge; questions without a gold or an answer are left out.
        desk: Where the calls are made.
    """
    judged = [answer for o in outcomes for answer in o.runs if judgeable(answer)]
    desk.observe(
        JudgingStarted(
            protocol=judge.protocol.name, runs=judge.runs, questions=len(judged)
        )
    )

    async def work(job: tuple[Outcome, int]) -> None:
        outcome, run = job
        entry = await obtain(judge, outcome, run, desk)
        desk.observe(
            Judged(question_id=outcome.question.id, run=run, score=score_of(entry))
        )

    width = desk.models.limits.in_flight
    await each(((o, run) for o in judged for run in range(judge.runs)), work, width)
    if judge.extra:
        split = [o for o in judged if differ(judge, o, desk.ledger)]
        runs = range(judge.runs, judge.runs + judge.extra)
        await each(((o, run) for o in split for run in runs), work, width)
    desk.ledger.commit()


async def obtain(judge: Judge, outcome: Outcome, run: int, desk: Desk) -> Entry:
    """Return one judge run, from the ledger or from the judge."""
    prompt = judge.prompt(outcome)

    async def call() -> Attempt:
        completion, latency = await ask(
            desk.model(judge.settings.model), prompt, judge.settings
        )
        result = parse_reply(completion, judge.protocol)
        return attempt_of(result, latency, judge.settings.model)

    return await desk.models.obtain(
        judge.request(outcome, run, prompt),
        call,
        cost_at_most(prompt, judge.settings, desk.purse.prices),
    )


def attempt_of(
    result: JudgeResult, latency: float | None, model: str, *, batch: bool = False
) -> Attempt:
    """Return a judged reply as the ledger keeps it."""
    completion = result.completion
    return Attempt(
        status=Status(result.status.value),
        reason=result.reason or "",
        reply={
            "score": result.score,
            "label": result.label,
            "explanation": result.explanation,
            "text": completion.text if completion else None,
            "stop_reason": completion.stop_reason if completion else None,
            "model": completion.model if completion else None,
            "withheld": list(completion.withheld) if completion else [],
        },
        latency_ms=latency,
        model=model,
        usage=usage_of(completion, batch=batch) if completion else None,
    )
