"""Say what a command is about to spend, and ask first where somebody can answer."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from locomo_run.config import CallOptions, RunConfig
from locomo_run.errors import UsageError

if TYPE_CHECKING:  # reading ledgers is only for those who pay
    from locomo_run.judging.judge import Judge
    from locomo_run.money.prospect import Prospect


def announce_run(config: RunConfig, *, yes: bool) -> None:
    """Say what `run` is about to spend; nothing where no model is asked.

    Raises:
        UsageError: there is a cost cap, and a model whose price is not known.
        Abort: the user does not want it.
    """
    from locomo_run.answerers.registry import EXTRACTIVE

    if config.answering.answerer == EXTRACTIVE and config.judging.model is None:
        return
    from locomo_run.money.prospect import prospect_of_run

    announce(prospect_of_run(config), config.calls, yes=yes)


def announce_judging(
    directory: Path,
    judges: Sequence[Judge],
    calls: CallOptions,
    *,
    refusals: Judge | None = None,
    dataset: str | None,
    yes: bool,
) -> None:
    """Say what `judge` is about to spend.

    Raises:
        UsageError: there is a cost cap, and a model whose price is not known.
        Abort: the user does not want it.
    """
    from locomo_run.money.prospect import prospect_of_judging

    prospect = prospect_of_judging(
        directory,
        judges,
        refusals=refusals,
        retry_failed=calls.retry_failed,
        dataset=dataset,
    )
    announce(prospect, calls, yes=yes)


def announce(prospect: Prospect, calls: CallOptions, *, yes: bool) -> None:
    """Say what calls are about to cost, and ask where somebody can answer.

    Raises:
        UsageError: there is a cost cap, and a model whose price is not known.
        RunError: a model cannot be asked as things are set up.
        Abort: the user does not want it.
    """
    from locomo_run.calls.models import open_model
    from locomo_run.money.prices import load_prices
    from locomo_run.reporting.estimate_table import in_one_line

    estimate = prospect.estimate(load_prices(calls.prices))
    if calls.max_cost is not None and estimate.unpriced:
        raise UsageError(
            f"--max-cost cannot be kept: no price is known for "
            f"{', '.join(estimate.unpriced)}; give it one with --prices FILE, or leave "
            "--max-cost out"
        )
    said = in_one_line(estimate, batched=calls.batch, cap=calls.max_cost)
    click.echo(said, err=True)
    for model in {job.settings.model for job in prospect.jobs if job.planned}:
        open_model(model, timeout=calls.call_timeout)  # before anything is noted
    free = estimate.most.dollars == 0
    if not (yes or free) and somebody_can_answer():
        click.confirm("Go on?", abort=True, err=True)


def somebody_can_answer() -> bool:
    """Tell whether both ends of a question are a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()
