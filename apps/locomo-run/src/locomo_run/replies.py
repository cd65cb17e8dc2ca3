"""Stored replies, read back from the ledger."""

from __future__ import annotations

import json

from locomo_run.ledger.entry import Entry
from locomo_run.ledger.store import Ledger
from locomo_run.memory import Hit


def prediction_of(entry: Entry | None) -> str | None:
    """Return the prediction of a good answer entry, None without one."""
    return str(entry.attempt.reply["text"]) if entry is not None and entry.ok else None


def hits_of(entry: Entry, ledger: Ledger) -> tuple[Hit, ...]:
    """Return the hits of a good search entry."""
    listed = json.loads(ledger.stored(str(entry.attempt.reply["hits"])))
    return tuple(
        Hit(**{**hit, "turns": None if hit["turns"] is None else tuple(hit["turns"])})
        for hit in listed
    )
