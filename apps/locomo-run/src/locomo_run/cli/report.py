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
    from locomo_run.report import markdown
    from locomo_run.results import compute, to_json
    from locomo_run.run_directory import dataset_of, read_facts, write_file

    with Ledger.read(directory) as ledger:
        facts = read_facts(ledger)
        results = compute(
            facts, dataset_of(facts, dataset), ledger, open_errata(errata)
        )
    text = markdown(results, as_printed=as_printed)
    if write:
        write_file(directory / "report.md", text)
        write_file(directory / "results.json", to_json(results))
        click.echo(directory / "report.md")
    else:
        click.echo(to_json(results) if as_json else text, nl=False)
