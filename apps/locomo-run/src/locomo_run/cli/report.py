"""`locomo-run report`."""

from __future__ import annotations

from pathlib import Path

import click

from locomo_run.cli.options import DATASET_OF_RUN, ERRATA, JSON, RUN, option


@click.command
@RUN
@DATASET_OF_RUN
@ERRATA
@option(
    "--write",
    is_flag=True,
    help="Write report.md and results.json into the run instead.",
)
@option(
    "--as-printed",
    is_flag=True,
    help="Also show the category names that the published sources print.",
)
@JSON
def report(
    directory: Path,
    dataset: str | None,
    errata: str | None,
    *,
    write: bool,
    as_printed: bool,
    as_json: bool,
) -> None:
    """Print the report of a run, made anew from its ledger."""
    from locomo_run.dataset_source import open_errata
    from locomo_run.ledger import Ledger
    from locomo_run.report import markdown, write_reports
    from locomo_run.results import compute
    from locomo_run.results_json import to_json
    from locomo_run.run_directory import dataset_of, read_facts

    with Ledger.read(directory) as ledger:
        facts = read_facts(ledger)
        results = compute(
            facts, dataset_of(facts, dataset), ledger, open_errata(errata)
        )
    if write:
        write_reports(directory, results, as_printed=as_printed)
        click.echo(directory / "report.md")
    elif as_json:
        click.echo(to_json(results), nl=False)
    else:
        click.echo(markdown(results, as_printed=as_printed), nl=False)
