"""The fake worker's routes: what it answers, as recorded from real ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from ._fake_index import Index
from ._fake_queue import Item, Queue
from ._fake_store import Session, Store

Answer = tuple[int, JsonValue]
Body = Mapping[str, JsonValue]
Query = Mapping[str, str]

_PRIVATE: Body = {"status": "skipped", "reason": "private"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """In what the versions differ."""

    recent: bool
    """Phrase search, schema checks, named observations, a queue in memory, 5 MB."""
    completes: bool
    tells_session_status: bool
    newest: bool
    """Tool uses, parking, duplicate prompts skipped, sessions without init."""


ABILITIES: Mapping[str, Abilities] = {
    "10.6.3": Abilities(
        recent=False, completes=True, tells_session_status=False, newest=False
    ),
    "13.4.0": Abilities(
        recent=True, completes=False, tells_session_status=True, newest=False
    ),
    "13.25.3": Abilities(
        recent=True, completes=False, tells_session_status=False, newest=True
    ),
}


class Routes:
    """The worker's answers to requests that reach it."""

    def __init__(
        self,
        store: Store,
        queue: Queue,
        index: Index,
        version: str,
        *,
        looks: int,
        mode: str,
        clock: Callable[[], float],
    ) -> None:
        self.can = ABILITIES[version]
        self.starts = 1
        self.started_s = clock()
        self._clock = clock
        self._store = store
        self._queue = queue
        self._version = version
        self._looks_each = looks
        self._mode = mode
        self._index = index
        self._table = self._routes()

    def answer(self, method: str, path: str, query: Query, body: Body) -> Answer | None:
        """Return status and JSON, or a text; None for a route that is lacking."""
        handler = self._table.get((method, path))
        return None if handler is None else handler(query, body)

    def _routes(self) -> dict[tuple[str, str], Callable[[Query, Body], Answer]]:
        routes: dict[tuple[str, str], Callable[[Query, Body], Answer]] = {
            ("GET", "/api/health"): self._health,
            ("GET", "/api/version"): self._tell_version,
            ("GET", "/api/stats"): self._stats,
            ("GET", "/api/logs"): self._logs,
            ("GET", "/api/projects"): self._projects,
            ("GET", "/api/processing-status"): self._processing_status,
            ("GET", "/api/observations"): self._observations,
            ("GET", "/api/search"): self._search,
            ("GET", "/api/context/inject"): self._context,
            ("POST", "/api/sessions/init"): self._init,
            ("POST", "/api/sessions/observations"): self._observe,
            ("POST", "/api/sdk-sessions/batch"): self._sdk_sessions,
            ("POST", "/api/memory/save"): self._save_memory,
            ("POST", "/api/import"): self._import,
        }
        if self.can.completes:
            routes["POST", "/api/sessions/complete"] = self._complete
        if self.can.tells_session_status:
            routes["GET", "/api/sessions/status"] = self._session_status
        if self.can.recent:
            routes["GET", "/api/chroma/status"] = self._chroma_status
        if self.can.newest:
            routes["GET", "/api/tool-uses"] = self._tool_uses
        return routes

    def _health(self, query: Query, body: Body) -> Answer:
        uptime_s = int(self._clock() - self.started_s)
        return 200, {
            "status": "ok",
            "version": self._version,
            "pid": 1000 + self.starts,
            "uptime": uptime_s if self.can.recent else 1000 * uptime_s,
            "initialized": True,
            "mcpReady": True,
            "ai": {"provider": "openrouter", "lastInteraction": None},
        }

    def _tell_version(self, query: Query, body: Body) -> Answer:
        return 200, {"version": self._version}

    def _stats(self, query: Query, body: Body) -> Answer:
        return 200, {
            "worker": {"version": self._version},
            "database": {
                "observations": len(self._store.rows),
                "sessions": len(self._store.sessions),
            },
        }

    def _logs(self, query: Query, body: Body) -> Answer:
        return 200, {"logs": "\n".join(self._queue.log)}

    def _projects(self, query: Query, body: Body) -> Answer:
        answer: dict[str, JsonValue] = {"projects": [*self._store.projects]}
        if self.can.recent:
            answer["sources"] = ["claude"]
        return 200, answer

    def _processing_status(self, query: Query, body: Body) -> Answer:
        depth = self._queue.look()
        self._index.look()
        answer: dict[str, JsonValue] = {
            "isProcessing": depth > 0,
            "queueDepth": depth,
        }
        if self.can.newest:
            answer["parkedSessions"] = 0  # not what it says: see `Outcome.PARKED`
        return 200, answer

    def _observations(self, query: Query, body: Body) -> Answer:
        page = self._store.page(
            query.get("project", ""), query.get("limit", ""), query.get("offset", "")
        )
        return 200, page

    def _search(self, query: Query, body: Body) -> Answer:
        text, limit = query.get("query", ""), query.get("limit", "50")
        if query.get("format") != "json":
            words = f'No results found matching "{text}"'
            return 200, {"content": [{"type": "text", "text": words}]}
        if query.get("type") != "observations" or not limit.isdigit():
            found: list[JsonValue] = []
        else:
            found = self._index.find(text, query.get("project", ""), int(limit))
        return 200, {
            "observations": found,
            "sessions": [],
            "prompts": [],
            "totalResults": len(found),
            "query": text,
        }

    def _context(self, query: Query, body: Body) -> Answer:
        project = query.get("project", "")
        if not self._store.of_project(project):
            return 200, "# claude-mem status\n\nThis project has no memory yet.\n"
        mode = f"Mode: A Mode ({self._mode})\n" if self.can.newest else ""
        return 200, f"# [{project}] recent context\n{mode}"

    def _init(self, query: Query, body: Body) -> Answer:
        refusal = self._invalid(body, "contentSessionId")
        if refusal is not None:
            return refusal
        name, prompt = str(body["contentSessionId"]), str(body.get("prompt", ""))
        project = str(body.get("project", "unknown"))
        session = self._store.open(name, project, self.starts)
        if self.can.newest:
            session.project = project
        answer: dict[str, JsonValue] = {
            "sessionDbId": session.db_id,
            "promptNumber": max(len(session.prompts), 1),
        }
        session.private = not prompt.strip()
        if session.private:
            return 200, {**answer, "skipped": True, "reason": "private"}
        if self.can.newest and session.prompts[-1:] == [prompt]:
            answer |= {"skipped": True, "reason": "duplicate"}
            return 200, {**answer, "contextInjected": True}
        session.prompts.append(prompt)
        answer["promptNumber"] = len(session.prompts)
        answer |= {"skipped": False, "contextInjected": False}
        return 200, {**answer, "status": "initialized"} if self.can.recent else answer

    def _observe(self, query: Query, body: Body) -> Answer:
        refusal = self._invalid(body, "contentSessionId", "tool_name")
        if refusal is not None:
            return refusal
        name = str(body["contentSessionId"])
        session = self._store.sessions.get(name)
        if not self.can.newest and (session is None or session.private):
            return 200, {**_PRIVATE}
        if session is None:
            session = self._store.open(name, "", self.starts)
        self._queue_item(session, body)
        return 200, {"status": "queued"}

    def _queue_item(self, session: Session, body: Body) -> None:
        given = body.get("tool_use_id")
        use_id = str(given) if given and self.can.recent else None
        if use_id in session.names:
            return
        if use_id is not None:
            session.names.add(use_id)
        tool_input = body.get("tool_input")
        path = tool_input.get("file_path") if isinstance(tool_input, dict) else None
        self._queue.post(
            Item(
                session=session,
                tool_use_id=use_id,
                text=str(body.get("tool_response")),
                path=None if path is None else str(path),
                looks_left=self._looks_each,
            )
        )

    def _invalid(self, body: Body, *required: str) -> Answer | None:
        missing = [key for key in required if not body.get(key)]
        if not missing:
            return None
        if not self.can.recent:
            return 400, {"error": f"Missing {missing[0]}"}
        message = "Invalid input: expected string, received undefined"
        issues: list[JsonValue] = [
            {"path": [key], "message": message, "code": "invalid_type"}
            for key in missing
        ]
        return 400, {"error": "ValidationError", "issues": issues}

    def _complete(self, query: Query, body: Body) -> Answer:
        refusal = self._invalid(body, "contentSessionId")
        if refusal is not None:
            return refusal
        session = self._store.sessions.get(str(body["contentSessionId"]))
        if session is None:
            return 200, {"status": "skipped", "reason": "not_active"}
        self._queue.forget(session)
        return 200, {"status": "completed", "sessionDbId": session.db_id}

    def _session_status(self, query: Query, body: Body) -> Answer:
        name = query.get("contentSessionId")
        if not name:
            return 400, {"error": "Missing contentSessionId query parameter"}
        session = self._store.sessions.get(name)
        if session is None:
            return 200, {"status": "not_found", "queueLength": 0}
        return 200, {
            "status": "active",
            "sessionDbId": session.db_id,
            "queueLength": self._queue.depth_of(name),
            "summaryStored": False,
        }

    def _tool_uses(self, query: Query, body: Body) -> Answer:
        uses: list[JsonValue] = [
            {
                "tool_use_id": use.tool_use_id,
                "content_session_id": use.session,
                "observation_id": use.observation_id,
            }
            for use in self._queue.uses
            if query.get("contentSessionId") in {None, use.session}
        ]
        return 200, {"count": len(uses), "toolUses": uses}

    def _chroma_status(self, query: Query, body: Body) -> Answer:
        status = "healthy" if self._index.vectors else "disabled"
        return 200, {"status": status, "connected": self._index.vectors}

    def _sdk_sessions(self, query: Query, body: Body) -> Answer:
        ids = body.get("memorySessionIds")
        return 200, self._store.content_sessions(ids if isinstance(ids, list) else [])

    def _save_memory(self, query: Query, body: Body) -> Answer:
        refusal = self._invalid(body, "text")
        if refusal is not None:
            return refusal
        title, project = body.get("title"), str(body.get("project") or "claude-mem")
        row_id = self._store.save_memory(
            str(body["text"]), None if title is None else str(title), project
        )
        if not (self.can.recent or self._index.vectors):
            # stored all the same
            return 500, {"error": "null is not an object (syncObservation)"}
        return 200, {"success": True, "id": row_id, "title": title, "project": project}

    def _import(self, query: Query, body: Body) -> Answer:
        return 200, {"success": True, "stats": {**self._store.import_rows(body)}}
