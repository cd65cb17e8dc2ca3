"""Stored replies, read back from the ledger."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from locomo_run.context import block
from locomo_run.ledger.entry import Attempt, Entry, Json, Request
from locomo_run.ledger.store import Ledger
from locomo_run.memory import Hit


def prediction_of(entry: Entry | None) -> str | None:
    """Return the prediction of a good answer entry, None without one."""
    return str(entry.attempt.reply["text"]) if entry is not None and entry.ok else None


def listed_hits(entry: Entry, ledger: Ledger) -> list[dict[str, Any]]:
    """Return the hits of a good search entry as they are stored."""
    return _listed(entry.attempt.reply["hits"], ledger)


def hits_of(entry: Entry, ledger: Ledger) -> tuple[Hit, ...]:
    """Return the hits of a good search entry."""
    return tuple(_hit(listed) for listed in listed_hits(entry, ledger))


def context_size(request: Request, ledger: Ledger) -> dict[str, Json]:
    """Say in an answer's reply how many characters its block of hits has."""
    read = cast(int, request.content["hits_read"])
    hits = _listed(request.content["hits"], ledger)[:read]
    return {"context_chars": len(block([_hit(listed) for listed in hits]))}


def with_more(attempt: Attempt, more: Mapping[str, Json]) -> Attempt:
    """Return an attempt with more in its reply."""
    return replace(attempt, reply={**attempt.reply, **more})


def _listed(stored: Json, ledger: Ledger) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(ledger.stored(str(stored)))
    return listed


def _hit(listed: Mapping[str, Any]) -> Hit:
    turns = listed["turns"]
    return Hit(**{**listed, "turns": None if turns is None else tuple(turns)})
