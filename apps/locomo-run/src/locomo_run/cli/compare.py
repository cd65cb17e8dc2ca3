"""`locomo-run compare`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from locomo_run.cli.options import DATASET_OF_RUN, JSON
from locomo_run.cli.values import option


@click.command
@click.argument(
    "directories",
    metavar="RUN RUN...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
)
@DATASET_OF_RUN
@option(
    "--profile",
    type=click.Choice(("locomo", "mem0", "standard", "squad", "squad2")),
    help="The F1 profile.  [the first run's headline]",
)
@option(
    "--changed",
    type=click.IntRange(min=0),
    metavar="N",
    default=5,
    help="Name the N questions that changed most.  [5]",
)
@option(
    "--html",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help=(
        "Write the second run beside the first as a page: one HTML file. A third run "
        "has a page of its own, FILE with -2 before the suffix, and so on."
    ),
)
@option(
    "--no-text",
    is_flag=True,
    help="Leave questions, golds and answers out; LoCoMo's text is under CC BY-NC.",
)
@option(
    "--force",
    is_flag=True,
    help="Compare runs whose data set or judges differ; the comparison says so.",
)
@JSON
def compare(
    directories: tuple[Path, ...],
    dataset: str | None,
    profile: str | None,
    changed: int,
    *,
    html: Path | None,
    no_text: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Set runs beside the first of them, question by question.

    Prints Markdown. Differences are the other run minus the first one.
    """
    from locomo_run.comparing.comparable import Run
    from locomo_run.comparing.comparison import compare as set_beside
    from locomo_run.comparing.report import comparison_markdown, comparison_spec
    from locomo_run.ledger.store import Ledger
    from locomo_run.reporting.results import compute
    from locomo_run.run_directory import dataset_of, read_facts, write_file

    short = {directory.resolve().name for directory in directories}
    runs, pages = [], {}
    for directory in directories:
        alone = len(short) == len(directories)
        name = directory.resolve().name if alone else str(directory)
        with Ledger.read(directory) as ledger:
            facts = read_facts(ledger)
            results = compute(facts, dataset_of(facts, dataset), ledger)
            if html is not None:
                from locomo_run.reporting.page import page_of

                pages[name] = page_of(results, ledger)
        runs.append(Run(name=name, results=results))
    found = set_beside(runs, profile=profile, force=force)
    if html is not None:
        from eval_report.page import render_comparison_page

        from locomo_run.comparing.page import comparison_pages, numbered

        for number, page in enumerate(comparison_pages(found, pages), start=1):
            path = numbered(html, number)
            write_file(path, render_comparison_page(page, no_text=no_text))
            click.echo(f"page: {path}", err=True)
    if as_json:
        spec = comparison_spec(found, changes=changed, text=not no_text)
        click.echo(json.dumps(spec, indent=1))
    else:
        markdown = comparison_markdown(found, changes=changed, text=not no_text)
        click.echo(markdown, nl=False)
