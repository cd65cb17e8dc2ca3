"""`locomo-run batch`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import click

from locomo_run.cli.options import JSON, RUN
from locomo_run.cli.values import option


@click.group()
def batch() -> None:
    """See and cancel the message batches of a run.

    They are posted and collected by `run --batch` and `judge --batch`.
    """


@batch.command()
@RUN
@JSON
def status(directory: Path, *, as_json: bool) -> None:
    """List the batches of a run, and how far the open ones are at the endpoint."""
    from locomo_run.batches.control import in_words, look

    seen = asyncio.run(look(directory))
    if as_json:
        click.echo(json.dumps([each.spec() for each in seen], indent=1))
        return
    for line in in_words(seen):
        click.echo(line)
    if not seen:
        click.echo(f"no batches in {directory}", err=True)


@batch.command()
@RUN
@option(
    "--forget",
    is_flag=True,
    help="Also give up batches that the endpoint does not know; what they hold may "
    "then be bought twice.",
)
def cancel(directory: Path, *, forget: bool) -> None:
    """Cancel the open batches of a run.

    What is done by then is billed, and the run's own command collects it; the rest
    is bought again only by a command that asks for it.
    """
    from locomo_run.batches.control import cancel as cancel_batches

    for line in asyncio.run(cancel_batches(directory, forget=forget)):
        click.echo(line)
