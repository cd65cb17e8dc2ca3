"""The rows of the ledger: tables, and values to and from them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from locomo_run.batches import ledger as batch_ledger
from locomo_run.ledger.entry import (
    MAY_HAVE_COST,
    Attempt,
    Entry,
    Request,
    Stage,
    Status,
    Usage,
    canonical,
)
from locomo_run.ledger.file import SCHEMA_VERSION

SCHEMA = f"""
BEGIN;
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE content (digest TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE request (
  key TEXT PRIMARY KEY,
  stage TEXT NOT NULL,
  item TEXT NOT NULL,
  run INTEGER NOT NULL,
  content TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE attempt (
  key TEXT NOT NULL REFERENCES request (key),
  number INTEGER NOT NULL,
  status TEXT NOT NULL,
  reply TEXT NOT NULL,
  reason TEXT NOT NULL,
  latency_ms REAL,
  model TEXT NOT NULL,
  usage TEXT,
  at TEXT NOT NULL,
  PRIMARY KEY (key, number)
);
{batch_ledger.SCHEMA}
PRAGMA user_version={SCHEMA_VERSION};
COMMIT;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What one attempt cost."""

    stage: Stage
    model: str
    usage: Usage
    used: bool = True
    """Whether its reply is the entry; other replies were paid for in vain."""


def insert_request(db: sqlite3.Connection, request: Request) -> None:
    """Store a request that is not stored yet."""
    db.execute(
        "INSERT INTO request VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            request.key,
            request.stage,
            request.item,
            request.run,
            canonical(request.content),
        ),
    )


def insert_attempt(
    db: sqlite3.Connection, key: str, number: int, attempt: Attempt
) -> None:
    """Store an attempt at a stored request, with the time."""
    usage = None if attempt.usage is None else canonical(asdict(attempt.usage))
    db.execute(
        "INSERT INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            key,
            number,
            attempt.status,
            canonical(attempt.reply),
            attempt.reason,
            attempt.latency_ms,
            attempt.model,
            usage,
            datetime.now(UTC).isoformat(timespec="milliseconds"),
        ),
    )


def load_entries(db: sqlite3.Connection) -> dict[str, Entry]:
    """Return all entries by their keys."""
    entries: dict[str, Entry] = {}
    requests = {
        key: Request(
            stage=Stage(stage), item=item, run=run, content=json.loads(content)
        )
        for key, stage, item, run, content in db.execute(
            "SELECT key, stage, item, run, content FROM request"
        )
    }
    for key, number, status, reply, reason, latency, model, usage in db.execute(
        "SELECT key, number, status, reply, reason, latency_ms, model, usage "
        "FROM attempt ORDER BY rowid"
    ):
        attempt = Attempt(
            status=Status(status),
            reply=json.loads(reply),
            reason=reason,
            latency_ms=latency,
            model=model,
            usage=_usage(usage),
        )
        entries[key] = better(entries.get(key), requests[key], attempt, number)
    return entries


def load_bills(db: sqlite3.Connection) -> Iterator[Bill]:
    """Return what every attempt cost that a model was paid for."""
    for stage, model, usage, used in db.execute(
        "SELECT stage, model, usage, number = coalesce("
        "  max(number) FILTER (WHERE status = 'ok') OVER (PARTITION BY key),"
        "  max(number) OVER (PARTITION BY key)) AS used "
        "FROM attempt JOIN request USING (key)"
    ):
        if usage is not None:
            yield Bill(
                stage=Stage(stage),
                model=model,
                usage=Usage(**json.loads(usage)),
                used=bool(used),
            )


def load_lost(db: sqlite3.Connection) -> float:
    """Return what calls without a reply may have cost, in dollars, at the most."""
    (lost,) = db.execute(
        "SELECT total(json_extract(reply, ?)) FROM attempt WHERE usage IS NULL",
        (f"$.{MAY_HAVE_COST}",),
    ).fetchone()
    return float(lost)


def better(
    before: Entry | None, request: Request, attempt: Attempt, number: int
) -> Entry:
    """Return the entry after one more attempt: a bad one never replaces a good one."""
    if before is not None and before.ok and attempt.status is not Status.OK:
        attempt = before.attempt
    return Entry(request=request, attempt=attempt, attempts=number)


def _usage(text: str | None) -> Usage | None:
    return None if text is None else Usage(**json.loads(text))
