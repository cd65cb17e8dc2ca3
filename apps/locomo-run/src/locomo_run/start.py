"""From a configuration to a finished run: opens things, runs them, returns results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

from locomo_dataset import Conversation, Dataset, Question
from locomo_dataset.errata import Errata

from locomo_run.answerers.registry import describe_answerer, open_answerer
from locomo_run.calls.desk import open_desk
from locomo_run.config import RunConfig
from locomo_run.dataset_source import open_dataset
from locomo_run.identity import Identity, run_name
from locomo_run.judging.judge_run import judge_all, judges_of, refusal_judge_of
from locomo_run.ledger.store import Ledger
from locomo_run.memory import Memory, PreparedMemory
from locomo_run.memory.registry import open_memory
from locomo_run.outcome import outcomes
from locomo_run.progress import Event
from locomo_run.reporting.results import Results, compute
from locomo_run.run_directory import (
    Facts,
    first_memory,
    installed_versions,
    noted_source,
    register,
)
from locomo_run.runner import Plan, run

UNBOUNDED = frozenset({"full-context", "oracle"})
"""Memories whose hits are all read, whatever the search limit and context budget."""

RUNS = Path("runs")


def start(
    config: RunConfig,
    *,
    opened: Callable[[Path], None],
    observe: Callable[[Event], None],
    errata: Errata | None = None,
) -> tuple[Path, Results]:
    """Run, or continue, what a configuration asks for.

    Args:
        config: The configuration.
        opened: Called with the run directory before anything is asked.
        observe: Called with each step, for the display.
        errata: The audit of the golds, for the second line of scores.

    Returns:
        The run directory, and the results of all that the run was ever asked for.

    Raises:
        RunError: see `locomo_run.errors`.
        DatasetError: the data set cannot be read.
    """
    dataset = open_dataset(config.dataset)
    judges = judges_of(config.judging)
    refusal_judge_of(config.judging)  # says what is wrong before anything exists
    with closing(open_configured(config)) as memory:
        identity = identity_of(config, dataset, memory)
        directory = config.out or RUNS / run_name(config.recipe, identity)
        facts = Facts(
            recipe=config.recipe,
            identity=identity,
            source=noted_source(config.dataset),
            selections=(config.selection,),
            headline=config.headline,
            versions=(installed_versions(),),
            judges=judges,
            answer_runs=config.answering.runs,
        )
        config.selection.resolve(dataset)  # says what is wrong before anything exists
        with Ledger.write(directory) as ledger:
            facts = register(ledger, facts)
            opened(directory)
            asyncio.run(_run(config, dataset, memory, ledger, observe))
            return directory, compute(facts, dataset, ledger, errata)


async def _run(
    config: RunConfig,
    dataset: Dataset,
    memory: Memory,
    ledger: Ledger,
    observe: Callable[[Event], None],
) -> None:
    questions = config.selection.resolve(dataset)
    async with open_desk(ledger, config.calls, observe) as desk:
        limit, chars = bounds(config)
        plan = Plan(
            dataset=dataset,
            questions=questions,
            memory=memory,
            fingerprint=first_memory(ledger),
            answerer=open_answerer(config.answering, desk),
            search_limit=limit,
            context_chars=chars,
            headline=config.headline,
            answer_runs=config.answering.runs,
        )
        if isinstance(memory, PreparedMemory):
            await memory.prepare(conversations_of(dataset, questions), desk)
        try:
            await run(plan, desk)
        finally:
            if isinstance(memory, PreparedMemory):
                memory.conclude(desk)
        judges = judges_of(config.judging)
        if judges and desk.stop.reason is None:
            answered = list(outcomes(questions, ledger, plan.answer_runs))
            refusals = refusal_judge_of(config.judging)
            await judge_all(desk, judges, answered, refusals=refusals)


def open_configured(config: RunConfig) -> Memory:
    """Open the memory that a configuration names.

    Raises:
        RunError: there is none of that name, or it cannot be reached.
    """
    return open_memory(
        config.memory, neighbours=config.neighbours, claude_mem=config.claude_mem
    )


def conversations_of(
    dataset: Dataset, questions: Iterable[Question]
) -> tuple[Conversation, ...]:
    """Return the conversations of questions, in the data set's order."""
    asked = {question.sample_id for question in questions}
    return tuple(c for c in dataset.conversations if c.sample_id in asked)


def identity_of(config: RunConfig, dataset: Dataset, memory: Memory) -> Identity:
    """What makes this run the run that it is."""
    limit, chars = bounds(config)
    return {
        "dataset": {"sha256": dataset.sha256},
        "memory": memory.describe(),
        "search": {"limit": limit},
        "context": {"chars": chars},
        "answerer": describe_answerer(config.answering),
    }


def bounds(config: RunConfig) -> tuple[int | None, int | None]:
    """How many hits and characters are read; None where everything is."""
    if config.memory in UNBOUNDED:
        return None, None
    return config.search_limit, config.context_chars
