"""What the ledger knows of message batches: planned, posted, collected.

A batch is in the ledger before it is posted, and its id at the endpoint before anybody
asks for it, so that no kill makes a paid reply unknown. The rows say which requests are
in a batch, and which attempt came out of it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from llm_judge import JudgeSettings

from locomo_run.ledger.entry import Request, Stage, digest
from locomo_run.ledger.rows import insert_request

SCHEMA = """
CREATE TABLE batch (
  id TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  stage TEXT NOT NULL,
  purpose TEXT NOT NULL,
  settings TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  requests INTEGER NOT NULL,
  ids_digest TEXT NOT NULL,
  cost REAL NOT NULL,
  withheld TEXT NOT NULL,
  planned_at TEXT NOT NULL,
  posted_id TEXT
) WITHOUT ROWID;
CREATE TABLE batch_request (
  batch TEXT NOT NULL REFERENCES batch (id),
  key TEXT NOT NULL REFERENCES request (key),
  attempt INTEGER,
  PRIMARY KEY (batch, key)
) WITHOUT ROWID;
"""


class BatchState(StrEnum):
    """How far a batch is."""

    PLANNED = "planned"
    """About to be posted; whether the endpoint has it is not known."""
    POSTED = "posted"
    """The endpoint has it."""
    COLLECTED = "collected"
    """Every request of it has its attempt."""
    ABANDONED = "abandoned"
    """Nothing will come of it: it never existed, or the user gave it up."""


OPEN = (BatchState.PLANNED, BatchState.POSTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """One batch, as it was planned."""

    id: str
    """Ours, drawn at random; a part of every custom id."""
    state: BatchState = BatchState.PLANNED
    stage: Stage
    purpose: str
    """What the replies are for: `answer`, or the signature of a judge."""
    settings: JudgeSettings
    endpoint: str
    """The address that it was posted to, without credentials."""
    requests: int
    """How many it holds."""
    ids_digest: str
    """Of its custom ids, see `ids_digest`."""
    cost: float
    """The most that it may cost, in dollars."""
    withheld: tuple[str, ...] = ()
    """What is left out of its requests, since the endpoint refuses it."""
    planned_at: datetime
    posted_id: str | None = None
    """The endpoint's id, None as long as it is not known."""


def custom_id(batch: str, key: str) -> str:
    """Name a request in a batch, in at most 64 characters.

    >>> custom_id("0123456789abcdef", "e3b0c44298fc1c149afbf4c8996fb924")
    'e3b0c44298fc1c149afbf4c8996fb924-0123456789abcdef'
    """
    return f"{key}-{batch}"


def key_of(batch: str, name: str) -> str | None:
    """Return the key of a request from its custom id; None if it is another batch's.

    >>> key_of("0123456789abcdef", "e3b0-0123456789abcdef"), key_of("01", "e3b0-02")
    ('e3b0', None)
    """
    key, _, of = name.partition("-")
    return key if of == batch else None


def ids_digest(names: Sequence[str]) -> str:
    """Return the digest of custom ids, in whatever order they come.

    >>> ids_digest(["a-1", "b-1"]) == ids_digest(["b-1", "a-1"])
    True
    """
    return digest("\n".join(sorted(names)))


class BatchLedger:
    """The batches of a ledger; `Ledger.batches` is one.

    Args:
        reading: Gives the database for queries.
        durable: Gives it for writes that are durable once the block ends.
    """

    def __init__(
        self,
        reading: Callable[[], AbstractContextManager[sqlite3.Connection]],
        durable: Callable[[], AbstractContextManager[sqlite3.Connection]],
    ) -> None:
        self._reading = reading
        self._durable = durable

    def plan(self, batch: Batch, requests: Mapping[str, Request]) -> None:
        """Note a batch that is about to be posted, durably.

        Args:
            batch: In state planned.
            requests: What it holds, by key.
        """
        row = (
            batch.id,
            batch.state,
            batch.stage,
            batch.purpose,
            batch.settings.model_dump_json(),
            batch.endpoint,
            batch.requests,
            batch.ids_digest,
            batch.cost,
            json.dumps(batch.withheld),
            batch.planned_at.isoformat(),
            batch.posted_id,
        )
        with self._durable() as db:
            db.execute(
                "INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row
            )
            for each in requests.values():
                insert_request(db, each)
            db.executemany(
                "INSERT INTO batch_request VALUES (?, ?, NULL)",
                [(batch.id, key) for key in requests],
            )

    def post(
        self, batch: Batch, posted_id: str, withheld: Sequence[str] | None = None
    ) -> None:
        """Note under which id the endpoint has a batch, durably.

        Args:
            batch: In state planned.
            posted_id: The endpoint's id.
            withheld: What was left out; None for what was planned.
        """
        left_out = json.dumps(batch.withheld if withheld is None else list(withheld))
        with self._durable() as db:
            db.execute(
                "UPDATE batch SET state = ?, posted_id = ?, withheld = ? WHERE id = ?",
                (BatchState.POSTED, posted_id, left_out, batch.id),
            )

    def end(self, batch: Batch, state: BatchState) -> None:
        """Note that a batch is collected or abandoned, durably."""
        with self._durable() as db:
            db.execute("UPDATE batch SET state = ? WHERE id = ?", (state, batch.id))

    def all(self) -> list[Batch]:
        """Return all batches in the order in which they were planned."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT id, state, stage, purpose, settings, endpoint, requests, "
                "ids_digest, cost, withheld, planned_at, posted_id FROM batch "
                "ORDER BY planned_at, id"
            ).fetchall()
        return [_batch(row) for row in rows]

    def open(self, purpose: str | None = None) -> list[Batch]:
        """Return the batches that replies are expected of, of one purpose or of all."""
        return [
            batch
            for batch in self.all()
            if batch.state in OPEN and purpose in (None, batch.purpose)
        ]

    def outstanding(self, batch: Batch) -> dict[str, Request]:
        """Return the requests of a batch that have no attempt from it, by key."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT key, stage, item, run, content FROM batch_request "
                "JOIN request USING (key) WHERE batch = ? AND attempt IS NULL",
                (batch.id,),
            ).fetchall()
        return {
            key: Request(
                stage=Stage(stage), item=item, run=run, content=json.loads(content)
            )
            for key, stage, item, run, content in rows
        }

    def expected(self) -> set[str]:
        """Return the keys of all requests that an open batch may bring a reply to."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT key FROM batch_request JOIN batch ON batch.id = batch "
                "WHERE attempt IS NULL AND state IN (?, ?)",
                OPEN,
            ).fetchall()
        return {key for (key,) in rows}


def note_attempt(db: sqlite3.Connection, batch: str, key: str, number: int) -> None:
    """Note which attempt at a request came out of a batch."""
    db.execute(
        "UPDATE batch_request SET attempt = ? WHERE batch = ? AND key = ?",
        (number, batch, key),
    )


def _batch(row: Sequence[str]) -> Batch:
    name, state, stage, purpose, settings, endpoint, requests, *rest = row
    ids, cost, withheld, planned_at, posted_id = rest
    return Batch(
        id=name,
        state=BatchState(state),
        stage=Stage(stage),
        purpose=purpose,
        settings=JudgeSettings.model_validate_json(settings),
        endpoint=endpoint,
        requests=int(requests),
        ids_digest=ids,
        cost=float(cost),
        withheld=tuple(json.loads(withheld)),
        planned_at=datetime.fromisoformat(planned_at),
        posted_id=posted_id,
    )
