"""`locomo-run import`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from locomo_run.cli.options import JSON
from locomo_run.cli.values import option

SHOWN = 20


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@option(
    "--format",
    "format_name",
    type=click.Choice(("auto", "mem0", "evermemos", "zep", "backboard", "jsonl")),
    default="auto",
    help="Of the file.  [found out]",
)
@option(
    "--dataset",
    metavar="PATH|NAME",
    default="locomo10",
    help="The data set that the file is about.  [locomo10]",
)
@option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Run directory.  [runs/imported-<format>-<hash>]",
)
@JSON
def import_results(
    file: Path, *, format_name: str, dataset: str, out: Path | None, as_json: bool
) -> None:
    """Turn published results of another harness into a run.

    Answers are scored anew; verdicts are kept under a protocol name of their own. The
    format jsonl is one object a line: conversation, question, prediction, and gold,
    category and verdicts (a list of 1 and 0) if there are any.
    """
    from locomo_run.dataset_source import open_dataset
    from locomo_run.importing.into_run import import_results as make_run

    found = make_run(
        file, open_dataset(dataset), dataset, format_name=format_name, out=out
    )
    if as_json:
        body = {
            "run": str(found.directory),
            "answers": found.answers,
            "matched": found.matched,
            "problems": list(found.problems),
        }
        click.echo(json.dumps(body, indent=1))
        return
    click.echo(f"run: {found.directory}")
    click.echo(f"{found.matched:,} of {found.answers:,} answers matched")
    for problem in found.problems[:SHOWN]:
        click.echo(f"  {problem}", err=True)
    if len(found.problems) > SHOWN:
        click.echo(f"  and {len(found.problems) - SHOWN:,} more", err=True)
    click.echo(f"`locomo-run report {found.directory}` prints its tables", err=True)
