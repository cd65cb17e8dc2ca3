"""Calibrate judges: put probes before them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from llm_judge import Probe
from locomo_dataset import Dataset
from locomo_dataset.errata import Errata

from locomo_run.calls.desk import Desk, open_desk
from locomo_run.calls.lane import settled
from locomo_run.config import CallOptions
from locomo_run.judging.judge import Judge
from locomo_run.judging.probes import note_judges, probes_for, prompt_for, request_for
from locomo_run.judging.stage import buy_verdicts
from locomo_run.ledger.entry import Stage
from locomo_run.ledger.store import Ledger
from locomo_run.money.estimate import Job, Planned
from locomo_run.money.prospect import Prospect
from locomo_run.progress import Event, JudgingStarted
from locomo_run.reporting.results import Results, compute
from locomo_run.run_directory import dataset_of, read_facts
from locomo_run.selection import Selection


def calibrate(
    directory: Path,
    judges: Sequence[Judge],
    sample: Selection,
    calls: CallOptions,
    observe: Callable[[Event], None],
    *,
    dataset: str | None = None,
    errata: Errata | None = None,
) -> Results:
    """Put the probes of a sample of questions before judges, each probe once.

    Args:
        directory: The run in which the verdicts are kept.
        judges: Who is calibrated.
        sample: The questions, of the run's data set.
        calls: How models are called.
        observe: Called with each step, for the display.
        dataset: Where the data set is, if not where the run noted it.
        errata: The audit of the golds, for the results.

    Raises:
        RunError: see `locomo_run.errors`.
    """
    once = [replace(judge, runs=1, extra=0) for judge in judges]
    with Ledger.write(directory) as ledger:
        facts = read_facts(ledger)
        loaded = dataset_of(facts, dataset)
        probes = _probes(loaded, sample)
        note_judges(ledger, once)
        asyncio.run(_put(ledger, once, probes, calls, observe))
        return compute(facts, loaded, ledger, errata)


def prospect_of_probes(
    directory: Path,
    judges: Sequence[Judge],
    sample: Selection,
    *,
    retry_failed: bool,
    dataset: str | None = None,
) -> Prospect:
    """Say what `calibrate` still has to buy.

    Raises:
        RunError: there is no run, or its data set cannot be read.
    """
    jobs, bought = [], 0
    with Ledger.read(directory) as ledger:
        probes = _probes(dataset_of(read_facts(ledger), dataset), sample)
        for judge in judges:
            missing = []
            for item, probe in probes:
                prompt = prompt_for(judge, probe)
                known = ledger.entry(request_for(judge, item, probe, prompt))
                if known is not None and settled(known, retry_failed=retry_failed):
                    bought += 1
                else:
                    missing.append(Planned(prompt=prompt))
            name = f"probe {judge.protocol.name}"
            jobs.append(
                Job(
                    stage=Stage.PROBE,
                    name=name,
                    settings=judge.settings,
                    planned=tuple(missing),
                )
            )
    return Prospect(jobs=tuple(jobs), directory=directory, bought=bought)


def _probes(dataset: Dataset, sample: Selection) -> list[tuple[str, Probe]]:
    drawn = {question.id for question in sample.resolve(dataset)}
    return probes_for(dataset.all_questions(), drawn)


async def _put(
    ledger: Ledger,
    judges: Sequence[Judge],
    probes: Sequence[tuple[str, Probe]],
    calls: CallOptions,
    observe: Callable[[Event], None],
) -> None:
    async with open_desk(ledger, calls, observe) as desk:
        for judge in judges:
            if desk.stop.reason is None:
                await _put_to(judge, probes, desk)


async def _put_to(
    judge: Judge, probes: Sequence[tuple[str, Probe]], desk: Desk
) -> None:
    desk.observe(
        JudgingStarted(protocol=judge.protocol.name, runs=1, questions=len(probes))
    )
    asked = []
    for item, probe in probes:
        prompt = prompt_for(judge, probe)
        asked.append((request_for(judge, item, probe, prompt), prompt))
    await buy_verdicts(judge, asked, desk, stage=Stage.PROBE)
