"""`locomo-run calibrate`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from locomo_run.cli.cost import announce
from locomo_run.cli.judge_options import calls_of, judge_once_options, judging_of
from locomo_run.cli.options import DATASET_OF_RUN, ERRATA, JSON, RUN, YES
from locomo_run.cli.values import option
from locomo_run.errors import UsageError
from locomo_run.selection import Selection


@click.command
@RUN
@DATASET_OF_RUN
@ERRATA
@judge_once_options
@option(
    "--per-category",
    type=click.IntRange(min=1),
    metavar="N",
    default=20,
    help="Questions of each category that probes are made from.  [20]",
)
@option("--seed", type=int, metavar="S", default=0, help="Of the draw.  [0]")
@YES
@option("--quiet", is_flag=True, help="Show no progress.")
@JSON
@click.pass_context
def calibrate(
    ctx: click.Context,
    /,
    directory: Path,
    *,
    dataset: str | None,
    errata: str | None,
    per_category: int,
    seed: int,
    quiet: bool,
    yes: bool,
    as_json: bool,
    **_: object,
) -> None:
    """Put answers before the judge whose verdict is known, and count its errors.

    Wrong ones are the gold of another question, the trap of an adversarial question
    and vague words; right ones are the gold in other words. Each is judged once. The
    answers of the run are not touched, and need not be there.
    """
    from eval_report import render_text

    from locomo_run.dataset_source import open_errata
    from locomo_run.display import display
    from locomo_run.judging.calibrating import calibrate as put
    from locomo_run.judging.calibrating import prospect_of_probes
    from locomo_run.judging.judge_run import judges_of
    from locomo_run.reporting.calibration_tables import (
        calibration_spec,
        calibration_tables,
        mistake_spec,
    )
    from locomo_run.reporting.report import write_reports

    judges = judges_of(judging_of(ctx))
    if not judges:
        raise UsageError("no judge: name a model with --judge")
    sample = Selection(per_category=per_category, seed=seed)
    calls = calls_of(ctx)
    prospect = prospect_of_probes(
        directory, judges, sample, retry_failed=calls.retry_failed, dataset=dataset
    )
    announce(prospect, calls, yes=yes)
    with display(quiet=quiet) as observe:
        results = put(
            directory,
            judges,
            sample,
            calls,
            observe,
            dataset=dataset,
            errata=open_errata(errata),
        )
    write_reports(directory, results)
    if as_json:
        specs = [
            {
                **calibration_spec(each),
                "mistakes": [mistake_spec(entry) for entry in each.mistakes()],
            }
            for each in results.calibrations
        ]
        click.echo(json.dumps(specs, indent=1))
    else:
        tables = calibration_tables(results.calibrations)
        click.echo("\n".join(render_text(table) for table in tables))
