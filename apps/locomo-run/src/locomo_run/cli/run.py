"""`locomo-run run`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click

from locomo_run.cli.claude_mem_options import NAME as CLAUDE_MEM
from locomo_run.cli.claude_mem_options import asked_to_go_on
from locomo_run.cli.cost import announce_run
from locomo_run.cli.options import ERRATA, JSON
from locomo_run.cli.run_options import run_config, run_options
from locomo_run.cli.values import option
from locomo_run.errors import InvalidRunError


@click.command
@run_options
@ERRATA
@option("--quiet", is_flag=True, help="Show no progress.")
@JSON
@click.pass_context
def run(
    ctx: click.Context,
    /,
    *,
    errata: str | None,
    quiet: bool,
    as_json: bool,
    **_: object,
) -> None:
    """Run the whole pipeline, or go on with a run that was stopped.

    Everything is kept in the run directory the moment it exists; the same command
    finds it again and asks only for what is missing. A larger selection grows the run.
    """
    from locomo_run.dataset_source import open_errata
    from locomo_run.display import display
    from locomo_run.reporting.report import write_reports
    from locomo_run.reporting.results_json import overall
    from locomo_run.reporting.summary import last_screen
    from locomo_run.reporting.validation import over_budget
    from locomo_run.start import start

    config = run_config(ctx)
    announce_run(config, yes=ctx.params["yes"])
    if config.memory == CLAUDE_MEM:
        config = replace(config, claude_mem=asked_to_go_on(config.claude_mem))

    def opened(directory: Path) -> None:
        click.echo(f"run: {directory}", err=True)

    with display(quiet=quiet) as observe:
        directory, results = start(
            config, opened=opened, observe=observe, errata=open_errata(errata)
        )
    write_reports(directory, results)
    if as_json:
        click.echo(json.dumps({"run": str(directory), **overall(results)}, indent=1))
    else:
        click.echo(last_screen(results))
        click.echo(
            f"with intervals and published results: {directory / 'report.md'}", err=True
        )
    if excess := over_budget(results, config.error_budget):
        raise InvalidRunError(excess)
