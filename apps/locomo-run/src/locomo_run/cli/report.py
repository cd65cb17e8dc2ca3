"""`locomo-run report`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import click

from locomo_run.cli.options import DATASET_OF_RUN, ERRATA, JSON, RUN
from locomo_run.cli.values import option


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
    "--findings",
    is_flag=True,
    help="Write findings.md into the run.",
)
@option(
    "--methodology",
    is_flag=True,
    help="Write methodology.md into the run.",
)
@option(
    "--html",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the page: one HTML file with charts and every question.",
)
@option(
    "--csv",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write one line per question as CSV.",
)
@option(
    "--jsonl",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write one flat JSON object per question, as data frames take them.",
)
@option(
    "--no-text",
    is_flag=True,
    help="Leave questions, golds, predictions and hits out; LoCoMo's text is under "
    "CC BY-NC.",
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
    findings: bool,
    methodology: bool,
    html: Path | None,
    csv: Path | None,
    jsonl: Path | None,
    no_text: bool,
    as_printed: bool,
    as_json: bool,
) -> None:
    """Print the report of a run, made anew from its ledger."""
    from eval_report.page import render_page

    from locomo_run.dataset_source import open_errata
    from locomo_run.ledger.store import Ledger
    from locomo_run.reporting.exports import to_csv, to_jsonl
    from locomo_run.reporting.findings import findings as shown
    from locomo_run.reporting.methodology import methodology as described
    from locomo_run.reporting.page import page_of
    from locomo_run.reporting.report import markdown
    from locomo_run.reporting.results import compute
    from locomo_run.reporting.results_json import json_parts
    from locomo_run.run_directory import dataset_of, read_facts, write_file

    with Ledger.read(directory) as ledger:
        facts = read_facts(ledger)
        results = compute(
            facts, dataset_of(facts, dataset), ledger, open_errata(errata)
        )
        targets: tuple[tuple[Path | None, Callable[[], str | Iterable[str]]], ...] = (
            (
                directory / "report.md" if write else None,
                lambda: markdown(results, as_printed=as_printed, no_text=no_text),
            ),
            (
                directory / "results.json" if write else None,
                lambda: json_parts(results, no_text=no_text),
            ),
            (directory / "findings.md" if findings else None, lambda: shown(results)),
            (
                directory / "methodology.md" if methodology else None,
                lambda: described(results),
            ),
            (html, lambda: render_page(page_of(results, ledger), no_text=no_text)),
            (csv, lambda: to_csv(results, no_text=no_text)),
            (jsonl, lambda: to_jsonl(results, no_text=no_text)),
        )
        written = [path for path, make in targets if path and write_file(path, make())]
    if as_json:
        for part in json_parts(results, no_text=no_text):
            click.echo(part, nl=False)
    elif not written:
        click.echo(markdown(results, as_printed=as_printed, no_text=no_text), nl=False)
    for path in written:
        click.echo(path, err=as_json)
