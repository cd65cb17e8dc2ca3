"""How far a run is, read from its ledger, also while another process writes it."""

from __future__ import annotations

from pathlib import Path

from locomo_run.ledger.entry import Json, Stage
from locomo_run.ledger.store import Ledger
from locomo_run.outcome import State
from locomo_run.reporting.results import compute
from locomo_run.run_directory import dataset_of, read_facts


def read_status(directory: Path, dataset: str | None = None) -> dict[str, Json]:
    """Return the state of a run as plain values.

    Args:
        directory: The run directory.
        dataset: Where its data set is, if not where the run noted it.

    Raises:
        RunError: there is no run, or its data set cannot be read.
    """
    with Ledger.read(directory) as ledger:
        facts = read_facts(ledger)
        results = compute(facts, dataset_of(facts, dataset), ledger)
        ingested = sum(entry.ok for entry in ledger.entries(Stage.INGEST))
        writer = ledger.writer()
    f1 = results.f1_overall(facts.headline)
    return {
        "run": str(directory),
        "recipe": facts.recipe,
        "written_by": writer,
        "conversations_ingested": ingested,
        "questions": len(results.outcomes),
        **{state.value: results.count(state) for state in State},
        "complete": results.count(State.ANSWERED) == len(results.outcomes),
        f"f1_{facts.headline}": f1.mean,
        "f1_count": f1.count,
        "last_entry": results.times[1] if results.times else None,
    }
