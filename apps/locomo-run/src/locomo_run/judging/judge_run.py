"""Judge a run that has its answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
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

from locomo_run.calls.desk import Desk, open_desk
from locomo_run.config import CallOptions, JudgeOptions
from locomo_run.errors import UsageError
from locomo_run.judging.judge import Judge
from locomo_run.judging.refusals import note_judge, question_to, refusal_judge
from locomo_run.judging.stage import buy_verdicts, judge_answers
from locomo_run.ledger.store import Ledger
from locomo_run.outcome import Outcome, outcomes
from locomo_run.progress import Event, JudgingStarted
from locomo_run.reporting.results import Results, compute
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
    settings = _settings(options, options.model)
    return tuple(
        Judge(
            protocol=_protocol(name),
            settings=settings,
            runs=options.runs,
            extra=options.extra,
        )
        for name in options.protocols
    )


def only_where_split(directory: Path, judges: Sequence[Judge]) -> tuple[Judge, ...]:
    """Leave the runs that all answers have as they are, and buy more where they differ.

    Args:
        directory: A run that these judges have judged.
        judges: Who judges, with the runs that a split answer shall have in all.

    Raises:
        UsageError: one of them has not judged the run yet.
    """
    with Ledger.read(directory) as ledger:
        known = {judge.signature: judge for judge in read_facts(ledger).judges}
    found = []
    for judge in judges:
        before = known.get(judge.signature)
        if before is None:
            raise UsageError(
                f"{judge.signature} has not judged {directory} yet, so nothing of its "
                "can differ: judge once without --only-disagreeing"
            )
        extra = max(0, judge.runs - before.runs)
        found.append(replace(judge, runs=before.runs, extra=extra))
    return tuple(found)


def refusal_judge_of(options: JudgeOptions) -> Judge | None:
    """Return who judges refusals, None if nobody is to.

    Raises:
        UsageError: no judge is named.
    """
    if not options.refusals:
        return None
    if not options.model:
        raise UsageError("--judge-refusals needs a judge: name it with --judge MODEL")
    return refusal_judge(_settings(options, options.model))


def judge_run(
    directory: Path,
    judges: Sequence[Judge],
    calls: CallOptions,
    observe: Callable[[Event], None],
    *,
    refusals: Judge | None = None,
    dataset: str | None = None,
    errata: Errata | None = None,
) -> Results:
    """Buy what is missing of some judges' runs over a run's stored answers.

    Args:
        directory: The run.
        judges: Who judges the answers to answerable questions.
        calls: How models are called.
        observe: Called with each step, for the display.
        refusals: Who judges the answers to adversarial questions, if anybody.
        dataset: Where the data set is, if not where the run noted it.
        errata: The audit of the golds, for the second line of scores.

    Raises:
        RunError: see `locomo_run.errors`.
    """
    with Ledger.write(directory) as ledger:
        facts = read_facts(ledger)
        loaded = dataset_of(facts, dataset)
        facts = add_judges(ledger, facts, judges)
        answered = list(outcomes(facts.questions(loaded), ledger, facts.answer_runs))
        asyncio.run(_judge(ledger, judges, refusals, answered, calls, observe))
        return compute(facts, loaded, ledger, errata)


async def judge_all(
    desk: Desk,
    judges: Sequence[Judge],
    answered: Sequence[Outcome],
    *,
    refusals: Judge | None = None,
) -> None:
    """Let every judge see every answer, and the judge of refusals its own."""
    for judge in judges:
        if desk.stop.reason is None:
            await judge_answers(judge, answered, desk)
    if refusals is not None and desk.stop.reason is None:
        await judge_refusals(refusals, answered, desk)


async def judge_refusals(judge: Judge, answered: Sequence[Outcome], desk: Desk) -> None:
    """Buy what is missing of a judge's verdicts on who declined, one for each answer.

    Args:
        judge: From `refusal_judge`.
        answered: The answers; only those to adversarial questions are judged.
        desk: Where the calls are made.
    """
    answers = [answer for outcome in answered for answer in outcome.runs]
    asked = [found for answer in answers if (found := question_to(judge, answer))]
    if asked:
        note_judge(desk.ledger, judge)
        name = judge.protocol.name
        desk.observe(JudgingStarted(protocol=name, runs=1, questions=len(asked)))
        await buy_verdicts(judge, asked, desk)


async def _judge(
    ledger: Ledger,
    judges: Sequence[Judge],
    refusals: Judge | None,
    answered: Sequence[Outcome],
    calls: CallOptions,
    observe: Callable[[Event], None],
) -> None:
    async with open_desk(ledger, calls, observe) as desk:
        await judge_all(desk, judges, answered, refusals=refusals)


def _settings(options: JudgeOptions, model: str) -> JudgeSettings:
    return JudgeSettings(
        model=model,
        temperature=options.temperature,
        max_tokens=options.max_tokens,
    )


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
