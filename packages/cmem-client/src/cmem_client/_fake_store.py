"""The fake worker's database: sessions, rows, lists, imports."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from pydantic import JsonValue

Row = dict[str, JsonValue]

_STARTED = datetime(2026, 1, 1, tzinfo=UTC)
_DEFAULT_ROWS = 20
_MAX_ROWS = 100


class StoreError(Exception):
    """What SQLite would complain about; the worker answers it with 500."""


@dataclass(slots=True, kw_only=True)
class Session:
    """One session as the worker keeps it."""

    content_session_id: str
    memory_session_id: str
    project: str
    db_id: int
    prompts: list[str] = field(default_factory=list)
    private: bool = False
    names: set[str] = field(default_factory=set)
    """Tool use ids that were taken."""


class Store:
    """Everything that survives a restart."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.sessions: dict[str, Session] = {}
        self.projects: list[str] = []
        self._ticks = 0

    def _now(self) -> tuple[str, int]:
        self._ticks += 1
        moment = _STARTED + timedelta(milliseconds=self._ticks)
        return (
            moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            int(moment.timestamp() * 1000),
        )

    def open(self, content_session_id: str, project: str, generation: int) -> Session:
        """Return a session, made on first sight."""
        known = self.sessions.get(content_session_id)
        if known is None:
            known = Session(
                content_session_id=content_session_id,
                memory_session_id=f"openrouter-{content_session_id}-{generation}",
                project=project,
                db_id=len(self.sessions) + 1,
            )
            self.sessions[content_session_id] = known
            self._see_project(project)
        return known

    def _see_project(self, project: str) -> None:
        if project not in self.projects:
            self.projects.insert(0, project)

    def add(self, values: Mapping[str, JsonValue]) -> int:
        """Store a row unless the session has it; return its id."""
        same = ("memory_session_id", "title", "narrative")
        for known in self.rows:
            if all(known[column] == values.get(column) for column in same):
                return int(str(known["id"]))
        created, epoch = self._now()
        row: Row = {
            "id": len(self.rows) + 1,
            "memory_session_id": None,
            "project": "",
            "text": None,
            "type": "discovery",
            "title": None,
            "subtitle": None,
            "narrative": None,
            "facts": "[]",
            "concepts": "[]",
            "files_read": "[]",
            "files_modified": "[]",
            "prompt_number": 1,
            "created_at": created,
            "created_at_epoch": epoch,
        }
        self.rows.append({**row, **values})
        return len(self.rows)

    def save_memory(self, text: str, title: str | None, project: str) -> int:
        """Store a text as one row."""
        self._see_project(project)
        return self.add(
            {
                "memory_session_id": f"manual-{project}",
                "project": project,
                "title": title or text[:60],
                "subtitle": "Manual memory",
                "narrative": text,
                "prompt_number": None,
            }
        )

    def page(self, project: str, limit: str, offset: str) -> Row:
        """List rows, newest first, with the worker's own idea of limits."""
        size = min(int(limit), _MAX_ROWS) if limit.isdigit() else _DEFAULT_ROWS
        start = int(offset) if offset.isdigit() else 0
        rows = self.of_project(project)
        return {
            "items": list(rows[start : start + (size or _DEFAULT_ROWS)]),
            "hasMore": len(rows) > start + (size or _DEFAULT_ROWS),
            "offset": start,
            "limit": size or _DEFAULT_ROWS,
        }

    def of_project(self, project: str) -> list[Row]:
        """Return a project's rows, newest first; without a project all rows."""
        rows = [row for row in self.rows if project in ("", row["project"])]
        return sorted(rows, key=lambda row: int(str(row["id"])), reverse=True)

    def rename_sessions(self, generation: int) -> None:
        """Give every session a new name of the worker's own and no taken names."""
        for session in self.sessions.values():
            name = session.content_session_id
            session.memory_session_id = f"openrouter-{name}-{generation}"
            session.names.clear()

    def content_sessions(self, memory_session_ids: Sequence[JsonValue]) -> JsonValue:
        """Return the sessions behind the worker's own session ids."""
        return [
            {
                "id": session.db_id,
                "content_session_id": session.content_session_id,
                "memory_session_id": session.memory_session_id,
                "project": session.project,
                "status": "active",
            }
            for session in self.sessions.values()
            if session.memory_session_id in memory_session_ids
        ]

    def import_rows(self, body: Mapping[str, JsonValue]) -> dict[str, int]:
        """Store rows one by one; a bad one leaves those before it in place."""
        stats = {
            f"{kind}{done}": 0
            for kind in ("sessions", "observations", "summaries", "prompts")
            for done in ("Imported", "Skipped")
        }
        for session in _rows(body, "sessions"):
            stats[f"sessions{self._import_session(session)}"] += 1
        names = {session.memory_session_id for session in self.sessions.values()}
        present = {_identity(row) for row in self.rows}
        for row in _rows(body, "observations"):
            if row.get("memory_session_id") not in names:
                raise StoreError("FOREIGN KEY constraint failed")
            if row.get("type") is None:
                raise StoreError("NOT NULL constraint failed: observations.type")
            if _identity(row) in present:
                stats["observationsSkipped"] += 1
                continue
            present.add(_identity(row))
            self.rows.append({**row, "id": len(self.rows) + 1})
            stats["observationsImported"] += 1
        return stats

    def _import_session(self, row: Row) -> str:
        name = str(row["content_session_id"])
        if name in self.sessions:
            return "Skipped"
        session = self.open(name, str(row["project"]), 0)
        session.memory_session_id = str(row["memory_session_id"])
        return "Imported"


def _identity(row: Row) -> tuple[JsonValue, ...]:
    """Return by what an import recognises a row that it has."""
    return row["memory_session_id"], row.get("title"), row.get("created_at_epoch")


def _rows(body: Mapping[str, JsonValue], kind: str) -> list[Row]:
    rows = body.get(kind)
    if not isinstance(rows, list):
        return []
    return [row for row in rows if isinstance(row, dict)]


def encoded(items: Sequence[str]) -> str:
    """Spell a list as the worker's columns do: JSON inside a string."""
    return json.dumps(list(items))
