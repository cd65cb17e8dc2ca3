"""The few calls that the tests make, over plain httpx.

They use no client of this project, so that they say what the worker does and not what
our client makes of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from .real_worker import Worker

Row = dict[str, Any]

IDLE = {"isProcessing": False, "queueDepth": 0}

TRANSCRIPT = """\
[Session 1 — 9:10 am on 4 March, 2024]
[Conversation between Ines and Tomas]

Ines: My sister opened a bakery in Porto last Friday.
Tomas: Wonderful! I adopted a greyhound called Pixel.
Ines: Is Pixel the "shy" one you told me about?
Tomas: Yes. Next month I run the Lisbon marathon & hope to finish.
Ines: I will be there. My flight leaves on 2 April.
"""
"""Five lines of dialogue, of which the stub makes two observations."""


def open_session(worker: Worker, project: str, session: str) -> Row:
    """Open a session as the harness does."""
    prompt = f"Conversation between Ines and Tomas ({session})"
    body = {"contentSessionId": session, "project": project, "prompt": prompt}
    return _json(worker, "/api/sessions/init", body)


def observe(worker: Worker, session: str, transcript: str = TRANSCRIPT) -> None:
    """Post a transcript to an open session, as one observation."""
    body = {
        "contentSessionId": session,
        "tool_name": "Read",
        "tool_input": {"file_path": "conversation-transcript/session-1.txt"},
        "tool_response": transcript,
        "cwd": "/",
    }
    assert _json(worker, "/api/sessions/observations", body) == {"status": "queued"}


def post(
    worker: Worker, project: str, session: str, transcript: str = TRANSCRIPT
) -> None:
    """Open a session and post a transcript to it."""
    open_session(worker, project, session)
    observe(worker, session, transcript)


def status(worker: Worker) -> Row:
    """Return what the worker says about its queue."""
    answer: Row = worker.http.get("/api/processing-status").raise_for_status().json()
    return {name: answer[name] for name in IDLE}


def wait_for(condition: Callable[[], object], within: float = 30.0) -> None:
    """Wait until a condition holds; the bound is generous and says nothing of speed."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, f"waited for {within:g} s in vain"
        time.sleep(0.05)


def wait_until_idle(worker: Worker) -> None:
    """Wait until the queue is empty."""
    wait_for(lambda: status(worker) == IDLE)


def rows(worker: Worker, project: str) -> list[Row]:
    """Return the stored observations of a project, the first stored first."""
    reply = worker.http.get("/api/observations", params={"project": project})
    items: list[Row] = reply.raise_for_status().json()["items"]
    return sorted(items, key=lambda row: row["id"])


def search(worker: Worker, project: str, query: str, since: str = "") -> list[Row]:
    """Return the hits for a query, best first; `since` gives a date range."""
    reply = worker.http.get(
        "/api/search",
        params={
            "query": query,
            "project": project,
            "type": "observations",
            "format": "json",
            "limit": 10,
            **({"dateStart": since} if since else {}),
        },
    )
    hits: list[Row] = reply.raise_for_status().json()["observations"]
    return hits


def import_lines(
    worker: Worker, project: str, lines: Sequence[str], told: datetime
) -> Row:
    """Store lines as rows of one session, as they are and without the model."""
    date = {
        "created_at": told.isoformat(),
        "created_at_epoch": int(told.timestamp() * 1000),
    }
    session = {
        "content_session_id": f"{project}-s1",
        "memory_session_id": f"{project}-m1",
        "project": project,
        "platform_source": "claude",
        "user_prompt": "Conversation between Ines and Tomas",
        "started_at": date["created_at"],
        "started_at_epoch": date["created_at_epoch"],
        "completed_at": date["created_at"],
        "completed_at_epoch": date["created_at_epoch"],
        "status": "completed",
    }
    observations = [
        {
            **date,
            "memory_session_id": f"{project}-m1",
            "project": project,
            "text": None,
            "type": "discovery",
            "title": f"D1:{number}",
            "subtitle": None,
            "facts": "[]",
            "narrative": line,
            "concepts": "[]",
            "files_read": "[]",
            "files_modified": "[]",
            "prompt_number": 1,
            "discovery_tokens": 0,
        }
        for number, line in enumerate(lines, start=1)
    ]
    body: Row = {
        "sessions": [session],
        "observations": observations,
        "summaries": [],
        "prompts": [],
    }
    stats: Row = _json(worker, "/api/import", body)["stats"]
    return stats


def _json(worker: Worker, path: str, body: Row) -> Row:
    reply = worker.http.post(path, json=body)
    assert reply.is_success, reply.text[:500]
    answer: Row = reply.json()
    return answer
