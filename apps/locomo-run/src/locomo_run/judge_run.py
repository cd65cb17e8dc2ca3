"""Judge a run that has its answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from llm_judge import (
    BINARY,
    GRADED,
    STRICT,
    JudgeProtocol,
    JudgeSettings,
    ProtocolError,
    load_protocol,
)
from locomo_dataset.errata import Errata

from locomo_run.config import CallOptions, JudgeOptions
from locomo_run.desk import Desk, open_desk
from locomo_run.errors import UsageError
from locomo_run.judge import Judge
from locomo_run.judging import judge_answers
from locomo_run.ledger import Ledger
from locomo_run.outcome import Outcome, outcomes
from locomo_run.progress import Event
from locomo_run.results import Results, compute
from locomo_run.run_directory import add_judges, dataset_of, read_facts

BUILT_IN = {protocol.name: protocol for protocol in (GRADED, BINARY, STRICT)}


def judges_of(options: JudgeOptions) -> tuple[Judge, ...]:
    """Return the judges that options name, one for each protocol.

    Raises:
        UsageError: a recipe wants a judge to be named, or a protocol is neither built
            in nor a usable file.
    """
    if options.model is None:
        return ()
    if not options.model:
        raise UsageError(
            "this recipe leaves the judge to you: name it with --judge MODEL, or say "
            "--judge none for token F1 alone; `locomo-run config show --recipe NAME` "
            "tells why"
        )
    settings = JudgeSettings(
        model=options.model,
        temperature=options.temperature,
        max_tokens=options.max_tokens,
    )
    return tuple(
        Judge(
            protocol=_protocol(name),
            settings=settings,
            runs=options.runs,
            extra=options.extra,
        )
        for name in options.protocols
    )


def judge_run(
    directory: Path,
    judges: Sequence[Judge],
    calls: CallOptions,
    observe: Callable[[Event], None],
    *,
    dataset: str | None = None,
    errata: Errata | None = None,
) -> Results:
    """Buy what is missing of some judges' runs over a run's stored answers.

    Raises:
        RunError: see `locomo_run.errors`.
    """
    with Ledger.write(directory) as ledger:
        facts = read_facts(ledger)
        loaded = dataset_of(facts, dataset)
        facts = add_judges(ledger, facts, judges)
        answered = list(outcomes(facts.questions(loaded), ledger, facts.answer_runs))
        asyncio.run(_judge(ledger, judges, answered, calls, observe))
        return compute(facts, loaded, ledger, errata)


async def judge_all(
    desk: Desk, judges: Sequence[Judge], answered: Sequence[Outcome]
) -> None:
    """Let every judge see every answer."""
    for judge in judges:
        if desk.stop.reason is None:
            await judge_answers(judge, answered, desk)


async def _judge(
    ledger: Ledger,
    judges: Sequence[Judge],
    answered: Sequence[Outcome],
    calls: CallOptions,
    observe: Callable[[Event], None],
) -> None:
    async with open_desk(ledger, calls, observe) as desk:
        await judge_all(desk, judges, answered)


def _protocol(name: str) -> JudgeProtocol:
    if name in BUILT_IN:
        return BUILT_IN[name]
    if not name.endswith(".toml"):
        raise UsageError(
            f"no judge protocol {name!r}; there are {', '.join(BUILT_IN)}, and any "
            "TOML file of the form that llm-judge documents"
        )
    try:
        return load_protocol(name)
    except ProtocolError as error:
        raise UsageError(str(error)) from error
