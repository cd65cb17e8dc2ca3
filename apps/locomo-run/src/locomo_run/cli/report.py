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
    "--html",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the page: one HTML file with charts and every question.",
)
@option(
    "--no-text",
    is_flag=True,
    help="Leave questions, golds, predictions and hits out of the page; LoCoMo's text "
    "is under CC BY-NC.",
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
    html: Path | None,
    no_text: bool,
    as_printed: bool,
    as_json: bool,
) -> None:
    """Print the report of a run, made anew from its ledger."""
    from eval_report.page import render_page

    from locomo_run.dataset_source import open_errata
    from locomo_run.ledger import Ledger
    from locomo_run.page import page_of
    from locomo_run.report import markdown, write_reports
    from locomo_run.results import compute
    from locomo_run.results_json import to_json
    from locomo_run.run_directory import dataset_of, read_facts, write_file

    with Ledger.read(directory) as ledger:
        facts = read_facts(ledger)
        results = compute(
            facts, dataset_of(facts, dataset), ledger, open_errata(errata)
        )
        page = page_of(results, ledger) if html else None
    if html and page:
        write_file(html, render_page(page, no_text=no_text))
        click.echo(html)
    elif write:
        write_reports(directory, results, as_printed=as_printed)
        click.echo(directory / "report.md")
    elif as_json:
        click.echo(to_json(results), nl=False)
    else:
        click.echo(markdown(results, as_printed=as_printed), nl=False)
