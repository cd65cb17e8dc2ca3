"""Both faces against a mocked network: what is sent, and what is made of the answer."""

import asyncio
import inspect
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
import respx
from cmem_client import (
    AsyncClient,
    Client,
    Connection,
    ServerError,
    Source,
    derive_tool_use_id,
)

BASE = "http://localhost:37777"
ROW = {"id": 7, "project": "notes", "title": "Tea", "facts": '["Ann likes tea"]'}

ONE_REQUEST: list[tuple[str, tuple[Any, ...], str, str, Any, Any, dict[str, Any]]] = [
    # method, arguments, verb, path, what is sent, the answer, what it becomes
    (
        "health",
        (),
        "GET",
        "/api/health",
        {},
        {"status": "ok", "version": "13.25.3", "pid": 9, "mcpReady": True},
        {"status": "ok", "version": "13.25.3", "pid": 9, "mcp_ready": True},
    ),
    (
        "vector_index",
        (),
        "GET",
        "/api/chroma/status",
        {},
        {"status": "healthy", "connected": True},
        {"status": "healthy", "healthy": True},
    ),
    (
        "init_session",
        ("s1", "notes", "A talk"),
        "POST",
        "/api/sessions/init",
        {"contentSessionId": "s1", "project": "notes", "prompt": "A talk"},
        {"sessionDbId": 3, "promptNumber": 1, "skipped": False},
        {"session_db_id": 3, "prompt_number": 1, "skipped": False, "reason": None},
    ),
    (
        "queue_observation",
        ("s1", "Read", {"file_path": "a.txt"}, "Ann likes tea."),
        "POST",
        "/api/sessions/observations",
        {
            "contentSessionId": "s1",
            "tool_name": "Read",
            "tool_input": {"file_path": "a.txt"},
            "tool_response": "Ann likes tea.",
            "tool_use_id": derive_tool_use_id(
                "s1", "Read", {"file_path": "a.txt"}, "Ann likes tea."
            ),
        },
        {"status": "queued"},
        {"queued": True, "reason": None},
    ),
    (
        "complete_session",
        ("s1",),
        "POST",
        "/api/sessions/complete",
        {"contentSessionId": "s1"},
        {"status": "completed", "sessionDbId": 3},
        {"status": "completed", "session_db_id": 3},
    ),
    (
        "session_status",
        ("s1",),
        "GET",
        "/api/sessions/status",
        {"contentSessionId": "s1"},
        {"status": "active", "sessionDbId": 3, "queueLength": 2},
        {"status": "active", "session_db_id": 3, "queue_length": 2},
    ),
    (
        "processing_status",
        (),
        "GET",
        "/api/processing-status",
        {},
        {"isProcessing": True, "queueDepth": 1},
        {"is_processing": True, "queue_depth": 1, "parked_sessions": None},
    ),
    (
        "search",
        ("tea", "notes", 5),
        "GET",
        "/api/search",
        {
            "query": "tea",
            "project": "notes",
            "limit": "5",
            "type": "observations",
            "format": "json",
        },
        {"observations": [ROW], "totalResults": 1},
        {"query": "tea", "project": "notes", "limit": 5},
    ),
    (
        "save_memory",
        ("Ann likes tea.", "notes"),
        "POST",
        "/api/memory/save",
        {"text": "Ann likes tea.", "project": "notes"},
        {"success": True, "id": 7, "title": "Ann likes tea."},
        {"id": 7, "title": "Ann likes tea.", "project": None},
    ),
]


def sent(request: httpx.Request) -> dict[str, Any]:
    if request.method == "GET":
        return dict(request.url.params)
    assert request.headers["content-type"] == "application/json"
    value = json.loads(request.content)
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize(
    ("method", "arguments", "verb", "path", "body", "answer", "expected"),
    ONE_REQUEST,
    ids=[row[0] for row in ONE_REQUEST],
)
def test_a_method_sends_one_request_and_types_its_answer(
    connect: Callable[..., Any],
    method: str,
    arguments: tuple[Any, ...],
    verb: str,
    path: str,
    body: dict[str, Any],
    answer: dict[str, Any],
    expected: dict[str, Any],
) -> None:
    with respx.mock(base_url=BASE) as router:
        route = router.route(method=verb, path=path).respond(json=answer)

        result = getattr(connect(), method)(*arguments)

    assert route.call_count == 1
    assert sent(route.calls.last.request) == body
    assert {name: getattr(result, name) for name in expected} == expected


def test_hits_keep_the_order_of_the_worker(connect: Callable[..., Any]) -> None:
    with respx.mock(base_url=BASE) as router:
        rows = [{**ROW, "id": number} for number in (3, 9, 1)]
        router.get("/api/search").respond(json={"observations": rows})

        result = connect().search("tea", "notes")

    assert [hit.id for hit in result.hits] == [3, 9, 1]
    assert result.hits[0].facts == ("Ann likes tea",)


def test_the_latency_runs_from_the_request_until_its_body_is_read(
    connect: Callable[..., Any],
) -> None:
    times = iter([10.0, 10.05, 10.25])  # start, after the one piece of body, end

    with respx.mock(base_url=BASE) as router:
        router.get("/api/search").respond(json={"observations": []})
        caller = connect(clock=lambda: next(times))

        result = caller.search("tea", "notes")

    assert result.latency_ms == pytest.approx(250)


def test_an_optional_field_is_sent_only_if_given(connect: Callable[..., Any]) -> None:
    with respx.mock(base_url=BASE) as router:
        save = router.post("/api/memory/save").respond(json={"id": 1})
        post = router.post("/api/sessions/observations").respond(
            json={"status": "skipped", "reason": "private"}
        )
        caller = connect()
        caller.save_memory("text", "notes", title="Title")
        receipt = caller.queue_observation(
            "s1", "Read", None, "text", cwd="/x", tool_use_id="mine"
        )

    assert sent(save.calls.last.request)["title"] == "Title"
    assert sent(post.calls.last.request)["cwd"] == "/x"
    assert sent(post.calls.last.request)["tool_use_id"] == "mine"
    assert (receipt.queued, receipt.reason) == (False, "private")
    assert receipt.tool_use_id == "mine"


def test_projects_are_a_tuple_of_names(connect: Callable[..., Any]) -> None:
    with respx.mock(base_url=BASE) as router:
        router.get("/api/projects").respond(json={"projects": ["b", "a"]})

        assert connect().projects() == ("b", "a")


def test_features_are_what_does_not_answer_404(connect: Callable[..., Any]) -> None:
    page: dict[str, Any] = {"html": "<pre>Cannot GET</pre>"}
    with respx.mock(base_url=BASE) as router:
        router.post("/api/sessions/complete").respond(404, **page)
        router.get("/api/sessions/status").respond(400, json={"error": "Missing"})
        router.get("/api/tool-uses").respond(404, **page)
        router.get("/api/chroma/status").respond(json={"status": "disabled"})

        features = connect().features()

    assert features.model_dump() == {
        "complete_session": False,
        "session_status": True,
        "tool_uses": False,
        "vector_index": True,
    }


def test_a_worker_that_fails_has_no_known_features(
    connect: Callable[..., Any],
) -> None:
    with respx.mock(base_url=BASE) as router:
        router.post("/api/sessions/complete").respond(500, json={"error": "no"})

        with pytest.raises(ServerError):
            connect().features()


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("init_session", (" ", "notes", "A talk")),
        ("init_session", ("s1", "", "A talk")),
        ("init_session", ("s1", "notes", "\n")),
        ("queue_observation", ("", "Read", None, "text")),
        ("queue_observation", ("s1", " ", None, "text")),
        ("complete_session", ("",)),
        ("session_status", ("",)),
        ("search", (" ", "notes")),
        ("search", ("tea", "")),
        ("search", ("tea", "notes", 0)),
        ("list_observations", ("",)),
        ("count_observations", ("",)),
        ("observations_by_session", ("",)),
        ("save_memory", ("", "notes")),
        ("save_memory", ("text", "")),
        ("wait_for_processing", ("notes", [])),
        ("wait_for_processing", ("notes", [""])),
        ("wait_for_processing", ("", ["s1"])),
    ],
)
def test_an_argument_that_no_worker_could_accept_is_refused_before_it_is_sent(
    connect: Callable[..., Any], method: str, arguments: tuple[Any, ...]
) -> None:
    with respx.mock(base_url=BASE, assert_all_called=False) as router:
        with pytest.raises(ValueError, match=r"must (not be|be at least)"):
            getattr(connect(), method)(*arguments)

        assert router.calls.call_count == 0


def test_a_client_shows_where_it_connects(connect: Callable[..., Any]) -> None:
    caller = connect("127.0.0.1:1234")

    name = type(caller.client).__name__
    assert repr(caller.client) == f"{name}('http://127.0.0.1:1234')"
    assert caller.client.connection.source is Source.ARGUMENT


def test_a_resolved_connection_is_taken_as_it_is(connect: Callable[..., Any]) -> None:
    connection = Connection(url="http://127.0.0.1:5", source=Source.PROBE)

    assert connect(connection).client.connection is connection


def test_the_context_of_a_session_is_a_text(connect: Callable[..., Any]) -> None:
    with respx.mock(base_url=BASE) as router:
        route = router.get("/api/context/inject").respond(text="Mode: Café (café)\n")

        assert connect().session_context("notes") == "Mode: Café (café)\n"

    assert sent(route.calls.last.request) == {"project": "notes"}


def test_details_of_the_health_that_are_not_understood_spoil_nothing(
    connect: Callable[..., Any],
) -> None:
    answer = {
        "status": "ok",
        "ai": {"provider": "claude", "lastInteraction": "never"},
        "rateLimits": {
            "five_hour": {"status": "rejected", "resetsAt": 1_796_064_446},
            "seven_day": {"status": 7, "resetsAt": True, "overageStatus": [1]},
            "overage": None,
        },
    }
    with respx.mock(base_url=BASE) as router:
        router.get("/api/health").respond(json=answer)

        health = connect().health()

    assert health.ai.last_interaction is None
    assert list(health.rate_limits) == ["five_hour", "seven_day"]
    assert health.rate_limits["five_hour"].resets_at == datetime(
        2026, 11, 30, 18, 47, 26, tzinfo=UTC
    )
    assert health.rate_limits["seven_day"].resets_at is None
    assert health.rate_limits["seven_day"].status == "7"


def test_a_context_that_fails_is_an_error(connect: Callable[..., Any]) -> None:
    with respx.mock(base_url=BASE) as router:
        router.get("/api/context/inject").respond(500, json={"error": "locked"})

        with pytest.raises(ServerError, match="locked"):
            connect().session_context("notes")


def test_a_base_path_is_kept(connect: Callable[..., Any]) -> None:
    with respx.mock(base_url="https://memory.example/worker") as router:
        router.get("/api/projects").respond(json={"projects": []})

        assert connect("https://memory.example/worker/").projects() == ()


def test_both_faces_have_the_same_methods_and_arguments() -> None:
    def surface(face: type) -> dict[str, str]:
        return {
            name: ", ".join(map(str, inspect.signature(member).parameters.values()))
            for name, member in inspect.getmembers(face, inspect.isfunction)
            if not name.startswith("_")
        }

    assert surface(Client) == surface(AsyncClient)


async def _in_a_block() -> bool:
    async with AsyncClient("localhost:37777", token="") as client:
        pass
    return client._http.is_closed


def test_a_block_closes_the_connections() -> None:
    with Client("localhost:37777", token="") as client:
        pass

    assert client._http.is_closed
    assert asyncio.run(_in_a_block())
