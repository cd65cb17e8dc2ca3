"""What a run notes about a claude-mem worker, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from eval_report import Table

from locomo_run.claude_mem.plain import counted, processes
from locomo_run.ledger.entry import Json
from locomo_run.reporting.cells import label, recall_cells, setting_cell, titled
from locomo_run.reporting.results import Results

NAMES = {
    "address": "address",
    "found_by": "address named by",
    "workers": "worker processes",
    "via": "way in",
    "mode": "mode by its word or settings",
    "mode_of_rows": "mode by its rows",
    "model": "model",
    "vectors": "search by vectors",
    "index": "vector index",
    "reused": "rows of another run taken over",
    "incomplete": "questions allowed with sessions missing",
}
"""What a run notes about its worker, in the words of the report."""

VALUES = {
    ("found_by", "argument"): "the option --worker",
    ("found_by", "environment"): "the environment",
    ("found_by", "probe"): "a worker that answered there",
    ("found_by", "default"): "nothing: it is the default",
    ("via", "observation"): "compressed by the worker's model",
    ("via", "import"): "imported word for word",
    ("mode_of_rows", "other"): "not code",
}
"""Noted values that need words of their own."""


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
    rows = [
        (words, _shown(name, results.worker[name]))
        for name, words in NAMES.items()
        if name in results.worker
    ]
    searches = cast(Mapping[str, int], results.worker.get("searches", {}))
    rows += [
        (f"searched by {mode}", counted(number, "question"))
        for mode, number in searches.items()
    ]
    told = results.worker.get("ingestion", {})  # none before the end of an ingestion
    ingested = cast(Mapping[str, Mapping[str, Json]], told)
    rows += [(f"stored of {name}", _held(held)) for name, held in ingested.items()]
    return Table(
        title=titled("The claude-mem worker", results),
        columns=("What", "Value"),
        rows=tuple(rows),
    )


def _held(held: Mapping[str, Json]) -> str:
    """How much of a conversation the worker holds."""
    sessions = counted(cast(int, held["sessions"]), "session")
    observations = counted(cast(int, held["observations"]), "observation")
    return f"{held['stored']} of {sessions}, {observations}"


def _shown(name: str, value: Json) -> str:
    """Say a value in words that a reader knows."""
    if name == "workers" and value is not None:
        return processes(cast(Sequence[Mapping[str, Json]], value))
    return VALUES.get((name, str(value)), setting_cell(value))
