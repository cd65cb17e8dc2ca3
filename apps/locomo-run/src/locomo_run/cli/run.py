"""`locomo-run run`."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from types import FrameType

import click

from locomo_run.cli.options import ERRATA, JSON, option, run_config, run_options
from locomo_run.errors import InterruptedRunError, InvalidRunError


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
    from locomo_run.report import markdown
    from locomo_run.results import overall, to_json
    from locomo_run.run_directory import write_file
    from locomo_run.start import start
    from locomo_run.summary import last_screen
    from locomo_run.validation import over_budget

    config = run_config(ctx)
    signal.signal(signal.SIGTERM, _stop)
    folder: list[Path] = []

    def opened(directory: Path) -> None:
        folder.append(directory)
        click.echo(f"run: {directory}", err=True)

    try:
        with display(quiet=quiet) as observe:
            directory, results = start(
                config,
                opened=opened,
                observe=observe,
                errata=open_errata(errata),
            )
    except KeyboardInterrupt:
        where = f" in {folder[0]}" if folder else ""
        raise InterruptedRunError(
            f"stopped; everything stored so far is kept{where}, and the same command "
            "goes on from there"
        ) from None
    write_file(directory / "results.json", to_json(results))
    write_file(directory / "report.md", markdown(results))
    if as_json:
        click.echo(json.dumps({"run": str(directory), **overall(results)}, indent=1))
    else:
        click.echo(last_screen(results))
        click.echo(f"report: {directory / 'report.md'}", err=True)
    if excess := over_budget(results, config.error_budget):
        raise InvalidRunError(excess)


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
