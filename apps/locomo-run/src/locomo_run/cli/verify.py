"""`locomo-run verify`."""

from __future__ import annotations

import json

import click

from locomo_run.cli.options import JSON
from locomo_run.cli.run_options import run_config, run_options
from locomo_run.cli.values import option
from locomo_run.errors import InvalidRunError


@click.command
@run_options
@option(
    "--rows",
    type=click.IntRange(min=0),
    metavar="N",
    default=5,
    help="Observations shown of each conversation, the newest first.  [5]",
)
@JSON
@click.pass_context
def verify(ctx: click.Context, /, *, rows: int, as_json: bool, **_: object) -> None:
    """Show what a claude-mem worker holds of the data set, and ask three questions.

    Reads only, and costs nothing. Takes the options of `run`; exits with 3 if a
    session has no rows.
    """
    from cmem_client import Client

    from locomo_run.claude_mem import verify as verifying
    from locomo_run.claude_mem.connect import in_our_words, locate
    from locomo_run.claude_mem.plain import not_in_the_memory
    from locomo_run.dataset_source import open_dataset
    from locomo_run.start import conversations_of

    config = run_config(ctx)
    dataset = open_dataset(config.dataset)
    conversations = conversations_of(dataset, config.selection.resolve(dataset))
    connection, _settings = locate(config.claude_mem)
    with in_our_words(), Client(connection) as client:
        seen = verifying.verify(client, conversations, config.claude_mem)
    if as_json:
        click.echo(json.dumps(verifying.as_json(seen), indent=1))
    else:
        click.echo(verifying.as_text(seen, rows=rows))
    missing = sum(len(held.missing) for held in seen.held)
    if missing:
        raise InvalidRunError(
            f"{not_in_the_memory(missing)}; `locomo-run ingest` posts what is missing"
        )
