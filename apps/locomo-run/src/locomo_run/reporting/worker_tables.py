"""What a run notes about a claude-mem worker, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from eval_report import Table

from locomo_run.ledger.entry import Json
from locomo_run.reporting.cells import NOT_KNOWN, label, recall_cells, titled
from locomo_run.reporting.results import Results


def session_recall_table(results: Results) -> Table | None:
    """Set out how many sessions of the evidence were found, where hits tell theirs."""
    overall = results.session_recall()
    if not overall.count:
        return None
    categories = sorted({o.question.category for o in results.answerable})
    rows = [(label(c), *recall_cells(results.session_recall(c))) for c in categories]
    return Table(
        title=titled("Evidence recall by session", results),
        columns=("Category", "n", "Recall"),
        rows=(*rows, ("overall", *recall_cells(overall))),
        notes=(
            "Share of the sessions with a question's evidence that its hits come from.",
            "A session holds many turns: this is a weaker claim than recall by turn.",
        ),
    )


def worker_table(results: Results) -> Table | None:
    """Set out what the run noted about its claude-mem worker."""
    if not results.worker:
        return None
    skipped = ("remarks", "ingestion")
    rows = [
        (name, NOT_KNOWN if value is None else str(value))
        for name, value in results.worker.items()
        if name not in skipped
    ]
    told = results.worker.get("ingestion", {})  # none before the end of an ingestion
    ingested = cast(Mapping[str, Mapping[str, Json]], told)
    rows += [(f"ingestion {name}", _held(held)) for name, held in ingested.items()]
    return Table(
        title=titled("The claude-mem worker", results),
        columns=("What", "Value"),
        rows=tuple(rows),
    )


def _held(held: Mapping[str, Json]) -> str:
    """How much of a conversation the worker holds."""
    sessions = f"{held['stored']} of {held['sessions']} sessions"
    return f"{sessions}, {held['observations']} observations"
