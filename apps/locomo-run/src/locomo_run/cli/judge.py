"""`locomo-run judge`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from locomo_run.cli.cost import announce_judging
from locomo_run.cli.judge_options import calls_of, judge_options, judging_of
from locomo_run.cli.options import DATASET_OF_RUN, ERRATA, JSON, RUN, YES
from locomo_run.cli.values import option
from locomo_run.errors import InvalidRunError, UsageError


@click.command
@RUN
@DATASET_OF_RUN
@ERRATA
@judge_options
@option(
    "--only-disagreeing",
    is_flag=True,
    help="Buy the runs up to --judge-runs only where those that all answers have "
    "differ; they count for reliability only, not for J.",
)
@YES
@option("--quiet", is_flag=True, help="Show no progress.")
@JSON
@click.pass_context
def judge(
    ctx: click.Context,
    /,
    directory: Path,
    *,
    dataset: str | None,
    errata: str | None,
    only_disagreeing: bool,
    quiet: bool,
    yes: bool,
    as_json: bool,
    **_: object,
) -> None:
    """Judge the stored answers of a run, or go on doing so.

    Answers are never touched. More runs, another protocol or another judge only add
    to what is there.
    """
    from locomo_run.dataset_source import open_errata
    from locomo_run.display import display
    from locomo_run.judging.judge_run import (
        judge_run,
        judges_of,
        only_where_split,
        refusal_judge_of,
    )
    from locomo_run.reporting.report import write_reports
    from locomo_run.reporting.results_json import overall
    from locomo_run.reporting.summary import last_screen
    from locomo_run.reporting.validation import ERROR_BUDGET, over_budget

    options = judging_of(ctx)
    judges = judges_of(options)
    if not judges:
        raise UsageError("no judge: name a model with --judge")
    if only_disagreeing and options.extra:
        raise UsageError("--only-disagreeing and --judge-extra exclude each other")
    if only_disagreeing:
        judges = only_where_split(directory, judges)
    refusals = refusal_judge_of(options)
    calls = calls_of(ctx)
    announce_judging(
        directory, judges, calls, refusals=refusals, dataset=dataset, yes=yes
    )
    with display(quiet=quiet) as observe:
        results = judge_run(
            directory,
            judges,
            calls,
            observe,
            refusals=refusals,
            dataset=dataset,
            errata=open_errata(errata),
        )
    write_reports(directory, results)
    if as_json:
        click.echo(json.dumps({"run": str(directory), **overall(results)}, indent=1))
    else:
        click.echo(last_screen(results))
    if excess := over_budget(results, ERROR_BUDGET):
        raise InvalidRunError(excess)
