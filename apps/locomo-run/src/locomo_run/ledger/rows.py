"""The rows of the ledger: values to and from its tables."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import NamedTuple

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

INSERT_ATTEMPT = (
    "INSERT INTO attempt VALUES "
    "((SELECT id FROM request WHERE key = ?), ?, ?, ?, ?, ?, ?, ?, ?)"
)
"""Takes the key of a stored request, then the attempt."""

_TOKENS = ("input", "output", "cache_write", "cache_read")

_USED = """CASE
  WHEN attempt.request NOT IN (SELECT request FROM attempt WHERE number > 1) THEN 1
  ELSE attempt.number = (
    SELECT number FROM attempt AS each WHERE each.request = attempt.request
    ORDER BY each.status = 'ok' DESC, each.number DESC LIMIT 1
  )
END"""
"""Whether an attempt is its entry's: the last good one, or the last of bad ones."""

_ENTRIES = """
SELECT
  stage, item, run, content, status, reply, reason, latency_ms, model, usage,
  (SELECT max(number) FROM attempt AS each WHERE each.request = attempt.request)
FROM request JOIN attempt ON attempt.request = request.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What attempts of one kind cost together."""

    stage: Stage
    model: str
    usage: Usage
    """Summed over those that were told; None where none was."""
    calls: int = 1
    untold: int = 0
    """Calls among them whose tokens nobody told."""
    used: bool = True
    """Whether their replies are entries; other replies were paid for in vain."""


class Scored(NamedTuple):
    """The score of an entry, without the rest of its reply."""

    item: str
    run: int
    content: str
    """Of the request, in canonical form."""
    status: str
    score: float | None
    """None unless the entry is good."""


def insert_request(db: sqlite3.Connection, request: Request) -> None:
    """Store a request that is not stored yet."""
    db.execute(
        "INSERT INTO request (key, stage, item, run, content) "
        "VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
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
        INSERT_ATTEMPT,
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


def find_entry(db: sqlite3.Connection, key: str) -> Entry | None:
    """Return the entry with a key, or None."""
    row = db.execute(
        f"{_ENTRIES} WHERE key = ? ORDER BY status = 'ok' DESC, number DESC LIMIT 1",
        (key,),
    ).fetchone()
    return None if row is None else _entry(*row)


def load_entries(db: sqlite3.Connection, stage: Stage) -> Iterator[Entry]:
    """Return the entries of a stage, in the order in which they were stored."""
    rows = db.execute(
        f"{_ENTRIES} WHERE stage = ? AND {_USED} ORDER BY attempt.rowid", (stage,)
    )
    return (_entry(*row) for row in rows.fetchall())


def load_scores(db: sqlite3.Connection, stage: Stage) -> Iterator[Scored]:
    """Return the score of every entry of a stage, in no promised order."""
    rows = db.execute(
        "SELECT item, run, content, status,"  # noqa: S608  # a constant
        " CASE status WHEN 'ok' THEN json_extract(reply, '$.score') END "
        "FROM request JOIN attempt ON attempt.request = request.id "
        f"WHERE stage = ? AND {_USED}",
        (stage,),
    )
    return map(Scored._make, rows)


def count_entries(db: sqlite3.Connection) -> dict[Stage, int]:
    """Return how many entries there are, by stage."""
    rows = db.execute(
        "SELECT stage, count(*) FROM request "
        "WHERE EXISTS (SELECT 1 FROM attempt WHERE attempt.request = request.id) "
        "GROUP BY stage"
    )
    return {Stage(stage): count for stage, count in rows}


def load_bills(db: sqlite3.Connection) -> Iterator[Bill]:
    """Return what the attempts cost that a model was paid for, summed by their kind."""
    sums = ", ".join(f"sum(json_extract(usage, '$.{kind}'))" for kind in _TOKENS)
    told = ", ".join(f"json_extract(usage, '$.{kind}')" for kind in _TOKENS)
    rows = db.execute(
        "SELECT stage, model, json_extract(usage, '$.batch') AS batch,"  # noqa: S608  # constants
        f" {_USED} AS used, count(*), sum(coalesce({told}) IS NULL), {sums} "
        "FROM attempt CROSS JOIN request ON request.id = attempt.request "
        "WHERE usage IS NOT NULL GROUP BY stage, model, batch, used"
    )
    for stage, model, batch, used, calls, untold, *tokens in rows:
        yield Bill(
            stage=Stage(stage),
            model=model,
            usage=Usage(**dict(zip(_TOKENS, tokens, strict=True)), batch=bool(batch)),
            calls=calls,
            untold=untold,
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


def _entry(
    stage: str,
    item: str,
    run: int,
    content: str,
    status: str,
    reply: str,
    reason: str,
    latency_ms: float | None,
    model: str,
    usage: str | None,
    attempts: int,
) -> Entry:
    return Entry(
        request=Request(
            stage=Stage(stage), item=item, run=run, content=json.loads(content)
        ),
        attempt=Attempt(
            status=Status(status),
            reply=json.loads(reply),
            reason=reason,
            latency_ms=latency_ms,
            model=model,
            usage=None if usage is None else Usage(**json.loads(usage)),
        ),
        attempts=attempts,
    )
