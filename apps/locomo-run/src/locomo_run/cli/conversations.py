"""`locomo-run conversations`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import click

from locomo_run.cli.options import DATASET_OF_RUN, JSON, RUN
from locomo_run.ledger.entry import Json


@click.command
@RUN
@DATASET_OF_RUN
@JSON
def conversations(directory: Path, dataset: str | None, *, as_json: bool) -> None:
    """Set out the scores of a run by conversation, from the easiest to the hardest."""
    from eval_report import render_text

    from locomo_run.comparing.conversations import by_conversation
    from locomo_run.ledger.store import Ledger
    from locomo_run.reporting.conversation_tables import (
        conversation_tables,
        conversations_spec,
    )
    from locomo_run.reporting.results import compute
    from locomo_run.run_directory import dataset_of, read_facts

    with Ledger.read(directory) as ledger:
        facts = read_facts(ledger)
        results = compute(facts, dataset_of(facts, dataset), ledger)
        found = by_conversation(results, _observations(ledger.fact("claude_mem")))
    if as_json:
        click.echo(json.dumps(conversations_spec(found), indent=1))
    else:
        tables = conversation_tables(found, results)
        click.echo("\n".join(render_text(table) for table in tables))


def _observations(account: Json) -> dict[str, int]:
    """Return what a claude-mem worker stored of each conversation."""
    ingestion = account.get("ingestion") if isinstance(account, Mapping) else None
    stored = ingestion.items() if isinstance(ingestion, Mapping) else ()
    return {
        name: count
        for name, each in stored
        if isinstance(each, Mapping) and isinstance(count := each["observations"], int)
    }
