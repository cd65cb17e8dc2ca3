"""What the worker can be asked, one flow per question, without any input or output."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import TypeVar

from pydantic import JsonValue

from ._errors import CmemError, ProtocolError, RouteMissing, StatusError
from ._models import (
    CompleteReceipt,
    Features,
    Health,
    InitReceipt,
    MemoryReceipt,
    Observation,
    ProcessingStatus,
    Projects,
    QueueReceipt,
    SearchPage,
    SearchResult,
    SessionStatus,
    Timed,
    VectorIndex,
    Version,
)
from ._replies import ask, checked, decode, printable, succeeded, wrong_shape
from ._wire import Flow, Request, get, post

T = TypeVar("T")


def named(name: str, value: str) -> str:
    """Return the value if it is more than white space.

    Raises:
        ValueError: It is blank: the worker would take it for "all" or invent a name.
    """
    if not value.strip():
        raise ValueError(f"{name} must not be blank")
    return value


def own_rows(
    request: Request, project: str, rows: Iterable[Observation]
) -> tuple[Observation, ...]:
    """Return the rows if all of them are the project's.

    Raises:
        ProtocolError: Some are not: the worker ignored the filter.
    """
    kept = tuple(rows)
    foreign = sorted({row.project for row in kept if not row.belongs_to(project)})
    if foreign:
        found = ", ".join(printable(name, 40) for name in foreign[:3])
        raise wrong_shape(request, f"rows of project {project!r} only", f"also {found}")
    return kept


def health() -> Flow[Health]:
    """Ask whether the worker lives."""
    return ask(get("/api/health"), Health)


def vector_index() -> Flow[VectorIndex]:
    """Ask which engine serves searches."""
    return ask(get("/api/chroma/status"), VectorIndex)


def processing_status(*, after_s: float = 0.0) -> Flow[ProcessingStatus]:
    """Ask how much is queued, over all sessions."""
    return ask(get("/api/processing-status", after_s=after_s), ProcessingStatus)


def projects() -> Flow[tuple[str, ...]]:
    """Ask for the names of all projects."""
    answer = yield from ask(get("/api/projects"), Projects)
    return answer.projects


def session_context(project: str) -> Flow[str]:
    """Ask for the text that a new session of a project would be given."""
    request = get("/api/context/inject", project=named("project", project))
    reply = yield request
    succeeded(request, reply)
    return reply.body.decode("utf-8", errors="replace")


def init_session(
    content_session_id: str, project: str, prompt: str
) -> Flow[InitReceipt]:
    """Open a session in a project with its first prompt."""
    body: dict[str, JsonValue] = {
        "contentSessionId": named("content_session_id", content_session_id),
        "project": named("project", project),
        "prompt": named("prompt", prompt),
    }
    return ask(post("/api/sessions/init", body), InitReceipt)


def derive_tool_use_id(
    content_session_id: str,
    tool_name: str,
    tool_input: JsonValue,
    tool_response: JsonValue,
    *,
    attempt: int = 1,
) -> str:
    """Name an observation by its content, so that the same post has the same name.

    Recent workers take each name once per session.  A name is also used up by an
    observation whose compression came to nothing, so posting that one again needs a
    higher `attempt`.

    Example:
        >>> derive_tool_use_id("s1", "Read", {"file_path": "a.txt"}, "tea")
        'toolu_9c50bdd056e1419737f2aa29'
    """
    content = json.dumps(
        [content_session_id, tool_name, tool_input, tool_response, attempt],
        sort_keys=True,
    )
    return f"toolu_{hashlib.sha256(content.encode()).hexdigest()[:24]}"


class _Accepted(Timed):
    status: str
    reason: str | None = None


def queue_observation(
    content_session_id: str,
    tool_name: str,
    tool_input: JsonValue,
    tool_response: JsonValue,
    *,
    cwd: str | None = None,
    tool_use_id: str | None = None,
    attempt: int = 1,
) -> Flow[QueueReceipt]:
    """Post a tool call for compression."""
    name = tool_use_id or derive_tool_use_id(
        content_session_id, tool_name, tool_input, tool_response, attempt=attempt
    )
    body: dict[str, JsonValue] = {
        "contentSessionId": named("content_session_id", content_session_id),
        "tool_name": named("tool_name", tool_name),
        "tool_input": tool_input,
        "tool_response": tool_response,
        "tool_use_id": name,
    }
    if cwd is not None:
        body["cwd"] = cwd
    answer = yield from ask(post("/api/sessions/observations", body), _Accepted)
    return QueueReceipt(**answer.model_dump(), tool_use_id=name)


def complete_session(content_session_id: str) -> Flow[CompleteReceipt]:
    """Close a session where the worker knows that notion."""
    body: dict[str, JsonValue] = {
        "contentSessionId": named("content_session_id", content_session_id)
    }
    return ask(post("/api/sessions/complete", body), CompleteReceipt)


def session_status(content_session_id: str) -> Flow[SessionStatus]:
    """Ask how much of one session is queued where the worker tells."""
    session = named("content_session_id", content_session_id)
    return ask(get("/api/sessions/status", contentSessionId=session), SessionStatus)


def search(query: str, project: str, limit: int) -> Flow[SearchResult]:
    """Search one project's observations, in the worker's order."""
    if limit < 1:
        raise ValueError(f"limit must be at least 1, not {limit}")
    request = get(
        "/api/search",
        query=named("query", query),
        project=named("project", project),
        type="observations",
        format="json",
        limit=limit,
    )
    reply = yield request
    page = decode(request, reply, SearchPage)
    return SearchResult(
        query=query,
        project=project,
        limit=limit,
        hits=own_rows(request, project, page.observations),
        latency_ms=reply.latency_ms,
    )


def save_memory(
    text: str, project: str, *, title: str | None = None
) -> Flow[MemoryReceipt]:
    """Store one observation as it is, without a model."""
    body: dict[str, JsonValue] = {
        "text": named("text", text),
        "project": named("project", project),
    }
    if title is not None:
        body["title"] = title
    return ask(post("/api/memory/save", body), MemoryReceipt)


def _has(request: Request) -> Flow[bool]:
    reply = yield request
    try:
        checked(request, reply)
    except RouteMissing:
        return False
    except StatusError as error:
        if error.status >= 500 or error.status == 401:
            raise
    return True


def features() -> Flow[Features]:
    """Ask for each optional route; the answers say which exist."""
    # without its required fields a request is refused by a route that exists
    return Features(
        complete_session=(yield from _has(post("/api/sessions/complete", {}))),
        session_status=(yield from _has(get("/api/sessions/status"))),
        tool_uses=(yield from _has(get("/api/tool-uses", limit=1))),
        vector_index=(yield from _has(get("/api/chroma/status"))),
    )


def explained(flow: Flow[T]) -> Flow[T]:
    """Add the worker's version to the message of a `ProtocolError`."""
    try:
        return (yield from flow)
    except ProtocolError as error:
        try:
            answer = yield from ask(get("/api/version"), Version)
            version = printable(answer.version, 40)
        except CmemError:
            version = "unknown"
        raise ProtocolError(
            f"{error} (worker version {version})", safe_to_repeat=error.safe_to_repeat
        ) from error.__cause__
