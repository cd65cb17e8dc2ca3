"""`locomo-run runs`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from locomo_run.cli.options import JSON
from locomo_run.errors import RunError


@click.command
@click.argument(
    "folder",
    default="runs",
    type=click.Path(path_type=Path, file_okay=False),
)
@JSON
def runs(folder: Path, *, as_json: bool) -> None:
    """List the runs in a folder (`runs` by default)."""
    from locomo_run.ledger.file import FILE_NAME
    from locomo_run.status import read_status

    found = []
    for ledger in sorted(folder.glob(f"*/{FILE_NAME}")):
        try:
            found.append(read_status(ledger.parent))
        except (RunError, ValueError) as error:
            click.echo(f"{ledger.parent}: {error}", err=True)
    if as_json:
        click.echo(json.dumps(found, indent=1))
        return
    for run in found:
        state = "complete" if run["complete"] else "not complete"
        click.echo(
            f"{run['run']}  {run['answered']}/{run['questions']} answered, {state}"
        )
    if not found:
        click.echo(f"no runs in {folder}", err=True)
