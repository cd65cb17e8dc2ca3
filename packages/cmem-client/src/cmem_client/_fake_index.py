"""The fake worker's search: by phrase, by common words, or not at all."""

from __future__ import annotations

import re

from pydantic import JsonValue

from ._fake_store import Row, Store

_TEXT_COLUMNS = ("title", "subtitle", "narrative", "text", "facts")


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _row_text(row: Row) -> str:
    return " ".join(str(row[column]) for column in _TEXT_COLUMNS if row.get(column))


def _holds_phrase(row: Row, query: str) -> bool:
    phrase = " ".join(_words(query))
    return bool(phrase) and f" {phrase} " in f" {' '.join(_words(_row_text(row)))} "


def _common_words(row: Row, query: str) -> int:
    return len(set(_words(query)) & set(_words(_row_text(row))))


class Index:
    """What searches find; a vector index finds a row some looks after it is stored."""

    def __init__(self, store: Store, *, phrases: bool, vectors: bool, lag: int) -> None:
        self.vectors = vectors
        self._store = store
        self._phrases = phrases
        self._lag = lag
        self._looks = 0
        self._seen_at: dict[str, int] = {}

    def look(self) -> None:
        """Let time pass."""
        self._looks += 1
        self._see_rows()

    def find(self, query: str, project: str, limit: int) -> list[JsonValue]:
        """Return the rows that a search finds, best first."""
        rows = self._store.of_project(project)
        if query and self.vectors:
            self._see_rows()
            rows = [row for row in rows if self._is_indexed(row)]
            rows.sort(key=lambda row: -_common_words(row, query))
            rows = [row for row in rows if _common_words(row, query)]
        elif query:
            rows = [row for row in rows if self._phrases and _holds_phrase(row, query)]
        return [*rows[:limit]]

    def _see_rows(self) -> None:
        for row in self._store.rows:
            self._seen_at.setdefault(str(row["id"]), self._looks)

    def _is_indexed(self, row: Row) -> bool:
        return self._seen_at[str(row["id"])] + self._lag <= self._looks
