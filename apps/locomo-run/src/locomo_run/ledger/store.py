"""The ledger: one SQLite file that holds whatever a run has paid for.

A row is written the moment a reply exists and is never changed. Commits are grouped
(`COMMIT_ROWS`, `COMMIT_SECONDS`); a reply counts as stored once its commit is durable,
so that a killed process loses the replies of the last fraction of a second at most.

One process writes at a time; any number read, also while it writes.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from locomo_run.batches.ledger import BatchLedger, note_attempt
from locomo_run.ledger.entry import (
    Attempt,
    Entry,
    Json,
    Request,
    Stage,
    canonical,
    digest,
)
from locomo_run.ledger.file import (
    FILE_NAME,
    LedgerError,
    check_version,
    connect,
    connect_read_only,
    explained,
    is_locked,
    take_lock,
    version,
)
from locomo_run.ledger.rows import (
    Bill,
    Scored,
    better,
    count_entries,
    find_entry,
    insert_attempt,
    insert_request,
    load_bills,
    load_entries,
    load_lost,
    load_scores,
)
from locomo_run.ledger.schema import SCHEMA

COMMIT_ROWS = 200
COMMIT_SECONDS = 0.25


class Ledger:
    """An open ledger; use `Ledger.write` or `Ledger.read` to get one."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        *,
        lock: sqlite3.Connection | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._db = connection
        self._path = path
        self._lock = lock
        self._clock = clock
        self._pending = 0
        self._pending_since = 0.0
        self.batches = BatchLedger(self._reading, self._durable)

    @classmethod
    def write(
        cls, directory: Path, *, clock: Callable[[], float] = time.monotonic
    ) -> Self:
        """Open the ledger of a run directory for writing; create both if needed.

        Raises:
            LedgerError: another process writes it, the directory cannot be written,
                or the file is not a ledger of this version.
        """
        path = directory / FILE_NAME
        with explained(path), ExitStack() as opened:
            directory.mkdir(parents=True, exist_ok=True)
            lock = opened.enter_context(closing(take_lock(directory)))
            db = opened.enter_context(closing(connect(path)))
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
            if not version(db):
                db.executescript(SCHEMA)
            check_version(db, path)
            ledger = cls(db, path, lock=lock, clock=clock)
            ledger.set_facts({"writer": os.getpid()})
            opened.pop_all()  # the ledger closes them now
        return ledger

    @classmethod
    def read(cls, directory: Path) -> Self:
        """Open the ledger of a run directory for reading only.

        Works while another process writes, and on a read-only copy.

        Raises:
            LedgerError: there is none, or it is not a ledger of this version.
        """
        path = directory / FILE_NAME
        if not path.is_file():
            raise LedgerError(
                f"{directory} is not a run directory: it holds no {FILE_NAME}; "
                "`locomo-run runs` lists the runs of a folder"
            )
        with explained(path), ExitStack() as opened:
            db = opened.enter_context(closing(connect_read_only(path)))
            check_version(db, path)
            db.execute("BEGIN")  # from its first query on it sees one moment
            ledger = cls(db, path)
            opened.pop_all()  # the ledger closes it now
        return ledger

    @classmethod
    def blank(cls) -> Self:
        """Return the ledger of a run that has not begun, in memory."""
        db = sqlite3.connect(":memory:", isolation_level=None)
        db.executescript(SCHEMA)
        return cls(db, Path(FILE_NAME))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Commit what is pending and leave a single file that can be copied."""
        try:
            if self._lock is not None:
                self.commit()
                with suppress(sqlite3.OperationalError):  # a reader holds it in WAL
                    self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    self._db.execute("PRAGMA journal_mode=DELETE")
        finally:
            self._db.close()
            if self._lock is not None:
                self._lock.close()

    @property
    def directory(self) -> Path:
        """The run directory."""
        return self._path.parent

    # entries

    def entry(self, request: Request) -> Entry | None:
        """Return what is stored for a request, or None."""
        return self._entry(request.key)

    def entries(self, stage: Stage) -> Iterator[Entry]:
        """Return the entries of a stage, in the order in which they were stored."""
        with explained(self._path):
            return load_entries(self._db, stage)

    def scores(self, stage: Stage) -> Iterator[Scored]:
        """Return the score of every entry of a stage, in no promised order."""
        with explained(self._path):
            yield from load_scores(self._db, stage)

    def counts(self) -> dict[Stage, int]:
        """Return how many entries there are, by stage."""
        with explained(self._path):
            return count_entries(self._db)

    def append(
        self, request: Request, attempt: Attempt, *, batch: str | None = None
    ) -> Entry:
        """Store one more attempt at a request and return the entry as it then is.

        Args:
            request: What was asked.
            attempt: How it went.
            batch: The batch that it came out of.
        """
        key = request.key
        before = self._entry(key)
        number = before.attempts + 1 if before else 1
        with explained(self._path):
            self._begin()
            if before is None:
                insert_request(self._db, request)
            insert_attempt(self._db, key, number, attempt)
            if batch is not None:
                note_attempt(self._db, batch, key, number)
        self._commit_if_due()
        return better(before, request, attempt, number)

    def _entry(self, key: str) -> Entry | None:
        with explained(self._path):
            return find_entry(self._db, key)

    # texts that many entries share, and facts about the run

    def store(self, body: str) -> str:
        """Keep a text once, under the digest that is returned."""
        name = digest(body)
        with explained(self._path):
            self._begin()
            self._db.execute(
                "INSERT INTO content VALUES (?, ?) ON CONFLICT DO NOTHING", (name, body)
            )
        return name

    def stored(self, name: str) -> str:
        """Return the text kept under a digest.

        Raises:
            LedgerError: there is none.
        """
        with explained(self._path):
            row = self._db.execute(
                "SELECT body FROM content WHERE digest = ?", (name,)
            ).fetchone()
        if row is None:
            raise LedgerError(f"{self._path}: text {name} is referred to but missing")
        return str(row[0])

    def fact(self, name: str) -> Json:
        """Return a fact about the run, None if it is not known."""
        with explained(self._path):
            row = self._db.execute(
                "SELECT value FROM fact WHERE name = ?", (name,)
            ).fetchone()
        return None if row is None else json.loads(row[0])

    def facts(self) -> dict[str, Json]:
        """Return all facts about the run, by name."""
        with explained(self._path):
            rows = self._db.execute("SELECT name, value FROM fact ORDER BY name")
            return {name: json.loads(value) for name, value in rows}

    def set_facts(self, facts: Mapping[str, Json]) -> None:
        """Set facts about the run, durably and all at once."""
        with self._durable() as db:
            db.executemany(
                "INSERT INTO fact VALUES (?, ?) "
                "ON CONFLICT DO UPDATE SET value = excluded.value",
                [(name, canonical(value)) for name, value in facts.items()],
            )

    def writer(self) -> int | None:
        """Return the id of the process that writes at the moment, None if none does."""
        pid = self.fact("writer")
        locked = is_locked(self._path.parent)
        return pid if locked and isinstance(pid, int) else None

    def bills(self) -> Iterator[Bill]:
        """Return what all attempts cost, good or bad, summed by their kind."""
        with explained(self._path):
            yield from load_bills(self._db)

    def lost(self) -> float:
        """Return the dollars that calls without a reply may have cost, at the most."""
        with explained(self._path):
            return load_lost(self._db)

    def times(self) -> tuple[str, str] | None:
        """Return when the first and the last attempt were stored (ISO 8601, UTC)."""
        with explained(self._path):
            first, last = self._db.execute(
                "SELECT min(at), max(at) FROM attempt"
            ).fetchone()
        return None if first is None else (first, last)

    # transactions

    def commit(self) -> None:
        """Make everything appended so far durable."""
        if self._db.in_transaction:
            with explained(self._path):
                self._db.execute("COMMIT")
        self._pending = 0

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with explained(self._path):
            yield self._db

    @contextmanager
    def _durable(self) -> Iterator[sqlite3.Connection]:
        with explained(self._path):
            self._begin()
            yield self._db
        self.commit()

    def _begin(self) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")
            self._pending_since = self._clock()

    def _commit_if_due(self) -> None:
        self._pending += 1
        age = self._clock() - self._pending_since
        if self._pending >= COMMIT_ROWS or age >= COMMIT_SECONDS:
            self.commit()
