"""How far a run is, read from its ledger, also while another process writes it."""

from __future__ import annotations

from pathlib import Path

from locomo_dataset import Dataset

from locomo_run.claude_mem.naming import item_name
from locomo_run.judging.judged import Judged
from locomo_run.ledger.entry import Json, Stage, Status
from locomo_run.ledger.store import Ledger
from locomo_run.money.spend import spend, total
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
        ingested = _ingested(results.dataset, ledger)
        writer = ledger.writer()
    f1 = results.f1_overall(facts.headline)
    judges = [_of_judge(judged) for judged in results.judged]
    answered = results.count(State.ANSWERED) == len(results.outcomes) > 0
    spent = total(spend(results.bills, results.prices))
    return {
        "run": str(directory),
        "recipe": facts.recipe,
        "written_by": writer,
        "conversations_ingested": sum(stored == whole for stored, whole in ingested),
        "sessions_ingested": sum(stored for stored, _ in ingested),
        "questions": len(results.outcomes),
        **{state.value: results.count(state) for state in State},
        "complete": answered and not any(judge["missing"] for judge in judges),
        f"f1_{facts.headline}": f1.mean,
        "f1_count": f1.count,
        "judges": judges,
        "model_calls": spent.calls,
        "spent_usd": spent.dollars,
        "last_entry": results.times[1] if results.times else None,
    }


def _ingested(dataset: Dataset, ledger: Ledger) -> list[tuple[int, int]]:
    """Return how many sessions of each conversation are stored, and how many it has.

    A memory of this process takes conversations whole, a worker session by session.
    """
    entries = {each.request.item: each.ok for each in ledger.entries(Stage.INGEST)}
    found = []
    for conversation in dataset.conversations:
        name, count = conversation.sample_id, len(conversation.sessions)
        items = [item_name(name, session.number) for session in conversation.sessions]
        one_by_one = any(item in entries for item in items)
        stored = (
            sum(entries.get(item, False) for item in items)
            if one_by_one
            else count * entries.get(name, False)
        )
        found.append((stored, count))
    return found


def _of_judge(judged: Judged) -> dict[str, Json]:
    statuses = judged.statuses()
    ok, missing = statuses[Status.OK.value], statuses["missing"]
    j = judged.overall()
    return {
        "protocol": judged.name,
        "ok": ok,
        "failed": statuses.total() - ok - missing,
        "missing": missing,
        "j": j.mean,
        "j_count": j.count,
    }
