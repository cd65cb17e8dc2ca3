"""Stored replies, read back from the ledger."""

from __future__ import annotations

import json
from typing import Any

from locomo_run.ledger.entry import Entry
from locomo_run.ledger.store import Ledger
from locomo_run.memory import Hit


def prediction_of(entry: Entry | None) -> str | None:
    """Return the prediction of a good answer entry, None without one."""
    return str(entry.attempt.reply["text"]) if entry is not None and entry.ok else None


def listed_hits(entry: Entry, ledger: Ledger) -> list[dict[str, Any]]:
    """Return the hits of a good search entry as they are stored."""
    listed: list[dict[str, Any]] = json.loads(
        ledger.stored(str(entry.attempt.reply["hits"]))
    )
    return listed


def hits_of(entry: Entry, ledger: Ledger) -> tuple[Hit, ...]:
    """Return the hits of a good search entry."""
    return tuple(
        Hit(**{**hit, "turns": None if hit["turns"] is None else tuple(hit["turns"])})
        for hit in listed_hits(entry, ledger)
    )
