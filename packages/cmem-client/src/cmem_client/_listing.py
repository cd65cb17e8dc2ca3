"""Everything a project holds, page by page and session by session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError

from ._endpoints import named, own_rows
from ._models import Observation, ObservationPage, Stats
from ._replies import ask, checked, excerpt, wrong_shape
from ._wire import Flow, get, post

PAGE_ROWS = 100
"""The worker gives at most 100 rows per page, without saying so."""

_SESSIONS_PER_REQUEST = 500


class _Session(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    memory_session_id: str
    content_session_id: str


_SESSIONS = TypeAdapter(tuple[_Session, ...])


def list_observations(project: str) -> Flow[tuple[Observation, ...]]:
    """List a project's rows, newest first, each once."""
    named("project", project)
    rows: dict[int, Observation] = {}
    offset = 0
    while True:
        request = get(
            "/api/observations", project=project, limit=PAGE_ROWS, offset=offset
        )
        page = yield from ask(request, ObservationPage)
        # a row stored meanwhile shifts the pages, so one may be seen twice
        rows |= {row.id: row for row in own_rows(request, project, page.items)}
        offset += len(page.items)
        if not page.has_more:
            return tuple(rows.values())
        if not page.items:
            raise wrong_shape(request, "rows or an end", "an empty page with more rows")


def count_observations(project: str | None = None) -> Flow[int]:
    """Count a project's rows, or those of the whole store in one request."""
    if project is None:
        stats = yield from ask(get("/api/stats"), Stats)
        return stats.database.observations
    rows = yield from list_observations(project)
    return len(rows)


def _content_sessions(memory_session_ids: Sequence[str]) -> Flow[dict[str, str]]:
    names: dict[str, str] = {}
    for start in range(0, len(memory_session_ids), _SESSIONS_PER_REQUEST):
        chunk: list[JsonValue] = [
            *memory_session_ids[start : start + _SESSIONS_PER_REQUEST]
        ]
        request = post(
            "/api/sdk-sessions/batch", {"memorySessionIds": chunk}, repeatable=True
        )
        reply = yield request
        try:
            sessions = _SESSIONS.validate_python(checked(request, reply))
        except ValidationError:
            expected = "a list of sessions"
            # the cause would show the reply unabridged in a traceback
            raise wrong_shape(request, expected, excerpt(reply)) from None
        names |= {s.memory_session_id: s.content_session_id for s in sessions}
    return names


def _grouped(
    rows: Iterable[Observation], names: dict[str, str]
) -> dict[str | None, tuple[Observation, ...]]:
    groups: dict[str | None, list[Observation]] = {}
    for row in rows:
        groups.setdefault(names.get(row.memory_session_id or ""), []).append(row)
    return {session: tuple(group) for session, group in groups.items()}


def observations_by_session(
    project: str,
) -> Flow[dict[str | None, tuple[Observation, ...]]]:
    """Group a project's rows by the session that the caller named."""
    rows = yield from list_observations(project)
    ids = sorted({row.memory_session_id for row in rows if row.memory_session_id})
    names = yield from _content_sessions(ids)
    return _grouped(rows, names)
