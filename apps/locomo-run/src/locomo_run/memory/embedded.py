"""The embedded memory: SQLite FTS5 in process, one document per turn, BM25.

A document has five indexed columns: what was said, the caption of the image, the
speaker, the day of the session, and what was said just before.
A question becomes its content words, each quoted, joined by OR; the porter tokenizer
stems both sides.
The ranking has no constant fitted to LoCoMo or to any other labelled questions:

- k1 = 1.2 and b = 0.75 are those of FTS5, which are the textbook's.
- The turn before counts half: an answer follows its question and often repeats none of
  its words, but what was said in the turn itself must win over what was said near it.
  One half is the plainest weight for "less than the turn itself".
- A turn of a speaker whom the question names gains ln 2.
  FTS5 gives a word that occurs in half of the documents no weight at all, and in a talk
  between two each name is such a word; ln 2 is what the smoothed idf,
  ln(1 + (N - n + 0.5) / (n + 0.5)), gives at n = N / 2.

Every conversation is an index of its own, so that document frequencies are its own and
a search reads nothing else.
Ties go to the earlier turn.
"""

from __future__ import annotations

import hashlib
import math
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from locomo_dataset import Conversation, Session

from locomo_run.errors import CallError, RunError
from locomo_run.memory import Hit, Query, Setting
from locomo_run.memory.terms import STOP_WORDS, content_terms, words
from locomo_run.memory.turns import turn_text

_VERSION = 1
"""Of the file's layout and of the ranking; the file keeps it as its user_version."""

_TOKENIZER = "porter unicode61 remove_diacritics 2"
_INDEXED = {"text": 1.0, "caption": 1.0, "speaker": 1.0, "day": 1.0, "previous": 0.5}
"""Indexed columns and their weights."""
_KEPT = ("id", "shown", "date", "session")
_COLUMNS = (*_INDEXED, *_KEPT)
_WEIGHTS = ", ".join(f"{weight:g}" for weight in _INDEXED.values())
_NAMED_SPEAKER = math.log(2)

_MAX_TERMS = 256
"""Far above any real question; keeps a 100 kB paste from becoming a huge query."""


class EmbeddedMemory:
    """A memory that needs no worker, no model and no network.

    Safe to share between threads: one connection behind one lock.
    Closing it twice is harmless.

    Args:
        path: The SQLite file, or `:memory:` to keep nothing.
        neighbours: How many turns before and after a hit, of the same session, come
            along with it. They count within the limit and have no score.

    Raises:
        RunError: The file cannot be opened, is no database, or has another layout.
        ValueError: `neighbours` is negative.
    """

    def __init__(self, path: str | Path = ":memory:", *, neighbours: int = 0) -> None:
        if neighbours < 0:
            raise ValueError(f"neighbours must be 0 or more, not {neighbours}")
        self._neighbours = neighbours
        self._lock = threading.Lock()
        self._db = _open(path)

    def ingest(self, conversation: Conversation) -> None:
        """Store a conversation, in place of what is stored under its id.

        Raises:
            RunError: SQLite cannot write: a full disk, a locked file, no FTS5.
        """
        with self._lock:
            try:
                with self._db:
                    self._db.execute("BEGIN IMMEDIATE")
                    self._store(conversation)
            except sqlite3.Error as error:
                raise RunError(
                    "embedded memory: cannot store conversation "
                    f"{conversation.sample_id!r}: {error}"
                ) from error

    def search(self, query: Query, limit: int) -> tuple[Hit, ...]:
        """Return at most `limit` turns of the query's conversation, best first.

        Any text is a question: operators, quotes and control characters are no syntax.
        A question without a content word ("Who is it?") has no hits.

        Raises:
            CallError: The conversation has not been ingested, or SQLite failed.
        """
        terms = content_terms(query.text)[:_MAX_TERMS]
        with self._lock:
            try:
                number = self._number(query.sample_id)
                if number is None:
                    raise CallError(
                        f"embedded memory: conversation {query.sample_id!r} is not "
                        "stored; ingest it before searching"
                    )
                if not terms or limit < 1:
                    return ()
                named = self._named_speakers(number, query.text)
                found = self._match(number, terms, named, limit)
                return tuple(islice(self._with_neighbours(number, found), limit))
            except sqlite3.Error as error:
                raise CallError(f"embedded memory: search failed: {error}") from error

    def describe(self) -> Mapping[str, Setting]:
        """Return the fingerprint: version, tokenizer, ranking, stop list, neighbours.

        The stop list is a hash, so that a changed list is another memory even if nobody
        raised the version.
        """
        stop_words = hashlib.sha256(" ".join(sorted(STOP_WORDS)).encode()).hexdigest()
        weights = " ".join(f"{name}:{weight:g}" for name, weight in _INDEXED.items())
        return {
            "name": "embedded",
            "version": _VERSION,
            "tokenizer": _TOKENIZER,
            "ranking": f"bm25 {weights} named-speaker:ln2",
            "stop_words": stop_words[:12],
            "neighbours": self._neighbours,
        }

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._db.close()

    def _store(self, conversation: Conversation) -> None:
        number = self._number(conversation.sample_id)
        if number is None:
            number = self._db.execute(
                "INSERT INTO conversation (sample_id) VALUES (?)",
                (conversation.sample_id,),
            ).lastrowid
        self._db.execute("DELETE FROM speaker WHERE conversation = ?", (number,))
        self._db.execute(f"DROP TABLE IF EXISTS turn_{number}")
        kept = ", ".join(f"{column} UNINDEXED" for column in _KEPT)
        self._db.execute(
            f"CREATE VIRTUAL TABLE turn_{number} USING fts5"
            f"({', '.join(_INDEXED)}, {kept}, tokenize = '{_TOKENIZER}')"
        )
        speakers = {t.speaker for s in conversation.sessions for t in s.turns}
        self._db.executemany(
            "INSERT INTO speaker (conversation, name) VALUES (?, ?)",
            [(number, name) for name in sorted(speakers)],
        )
        marks = ", ".join("?" * len(_COLUMNS))
        self._db.executemany(
            f"INSERT INTO turn_{number} ({', '.join(_COLUMNS)}) VALUES ({marks})",  # noqa: S608  # constants and an integer
            _documents(conversation.sessions),
        )

    def _number(self, sample_id: str) -> int | None:
        row = self._db.execute(
            "SELECT number FROM conversation WHERE sample_id = ?", (sample_id,)
        ).fetchone()
        return None if row is None else int(row[0])

    def _named_speakers(self, number: int, question: str) -> list[str]:
        asked = set(words(question))
        rows = self._db.execute(
            "SELECT name FROM speaker WHERE conversation = ?", (number,)
        )
        return [name for (name,) in rows if not asked.isdisjoint(words(name))]

    def _match(
        self, number: int, terms: Sequence[str], named: Sequence[str], limit: int
    ) -> list[_Found]:
        is_named = f"speaker IN ({', '.join('?' * len(named))})"
        rows = self._db.execute(
            "SELECT rowid, session, id, shown, date, "  # noqa: S608  # constants and an integer
            f"? * ({is_named}) - bm25(turn_{number}, {_WEIGHTS}) AS score "
            f"FROM turn_{number} WHERE turn_{number} MATCH ? "
            "ORDER BY score DESC, rowid LIMIT ?",
            (_NAMED_SPEAKER, *named, " OR ".join(f'"{t}"' for t in terms), limit),
        )
        return [_Found(*row) for row in rows]

    def _with_neighbours(self, number: int, found: Iterable[_Found]) -> Iterator[Hit]:
        seen: set[int] = set()
        for hit in found:
            around = [hit, *self._around(number, hit)] if self._neighbours else [hit]
            for each in around:
                if each.row not in seen:
                    seen.add(each.row)
                    yield each.as_hit()

    def _around(self, number: int, hit: _Found) -> list[_Found]:
        rows = self._db.execute(
            f"SELECT rowid, session, id, shown, date, NULL FROM turn_{number} "  # noqa: S608  # an integer
            "WHERE rowid BETWEEN ? AND ? AND session = ? AND rowid <> ? "
            "ORDER BY abs(rowid - ?), rowid",
            (
                hit.row - self._neighbours,
                hit.row + self._neighbours,
                hit.session,
                hit.row,
                hit.row,
            ),
        )
        return [_Found(*row) for row in rows]


class _Found(NamedTuple):
    row: int
    session: int
    id: str
    shown: str
    date: str
    score: float | None

    def as_hit(self) -> Hit:
        return Hit(
            id=self.id,
            text=self.shown,
            date=self.date,
            score=self.score,
            turns=(self.id,),
        )


def _open(path: str | Path) -> sqlite3.Connection:
    try:
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            _prepare(db, path)
        except BaseException:
            db.close()
            raise
    except sqlite3.Error as error:
        raise RunError(f"embedded memory: cannot open {path}: {error}") from error
    return db


def _prepare(db: sqlite3.Connection, path: str | Path) -> None:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version not in (0, _VERSION):
        raise RunError(
            f"embedded memory: {path} has layout {version}, this program writes "
            f"layout {_VERSION}; name another file or delete it"
        )
    db.executescript(
        f"""
        PRAGMA user_version = {_VERSION};
        CREATE TABLE IF NOT EXISTS conversation
            (number INTEGER PRIMARY KEY, sample_id TEXT NOT NULL UNIQUE);
        CREATE TABLE IF NOT EXISTS speaker
            (conversation INTEGER NOT NULL, name TEXT NOT NULL);
        """
    )


def _documents(sessions: Iterable[Session]) -> Iterator[tuple[str | int, ...]]:
    for session in sessions:
        day = session.date_text.rpartition(" on ")[2]
        previous = ""
        for turn in session.turns:
            yield (
                turn.text,
                turn.caption or "",
                turn.speaker,
                day,
                previous,
                turn.id,
                turn_text(turn),
                session.date_text,
                session.number,
            )
            previous = turn.text
