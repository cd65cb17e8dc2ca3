"""Every way to fail, on both faces: class, message, and whether to repeat."""

import gzip
import socket
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
import respx
from cmem_client import (
    START_COMMAND,
    CmemError,
    Connection,
    ConnectionLost,
    ProtocolError,
    Rejected,
    RouteMissing,
    ServerError,
    Source,
    StatusError,
    TimedOut,
    Unauthorized,
    WorkerNotRunning,
)

BASE = "http://localhost:37777"
Listen = Callable[[Callable[[socket.socket], None]], str]
Connect = Callable[..., Any]


def subclasses(kind: type) -> Iterator[type]:
    children: list[type] = kind.__subclasses__()
    for child in children:
        yield child
        yield from subclasses(child)


def failure(connect: Connect, **answer: Any) -> CmemError:
    with respx.mock(base_url=BASE, assert_all_called=False) as router:
        router.get("/api/projects").respond(**answer)
        router.get("/api/version").respond(json={"version": "13.25.3"})
        with pytest.raises(CmemError) as caught:
            connect().projects()
    return caught.value


# -- the connection ------------------------------------------------------------------


def test_a_refused_connection_names_the_address_and_the_command(
    connect: Connect,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

    with pytest.raises(WorkerNotRunning) as caught:
        connect(f"localhost:{port}").health()

    message = str(caught.value)
    assert message.startswith(f"Worker not running at localhost:{port} (")
    assert message.endswith(f". Start it with: {START_COMMAND}")
    assert "address from argument" in message
    assert caught.value.address == f"localhost:{port}"
    assert caught.value.safe_to_repeat


def test_a_refused_connection_tells_what_was_tried_to_find_the_worker(
    connect: Connect,
) -> None:
    connection = Connection(
        url=BASE, source=Source.DEFAULT, notes=("no worker answers at a or b",)
    )
    with respx.mock(base_url=BASE) as router:
        router.get("/api/health").mock(side_effect=httpx.ConnectError("refused"))

        with pytest.raises(WorkerNotRunning, match="no worker answers at a or b"):
            connect(connection).health()


def test_a_connection_that_breaks_before_the_answer_is_lost(
    connect: Connect, listen: Listen
) -> None:
    address = listen(lambda _: None)

    with pytest.raises(ConnectionLost, match=r"GET /api/health") as caught:
        connect(address).health()

    assert caught.value.safe_to_repeat
    assert address in str(caught.value)


def test_a_write_on_a_broken_connection_may_have_been_done(
    connect: Connect, listen: Listen
) -> None:
    with pytest.raises(ConnectionLost) as caught:
        connect(listen(lambda _: None)).save_memory("text", "notes")

    assert not caught.value.safe_to_repeat


def test_a_body_that_ends_early_is_a_lost_connection(
    connect: Connect, listen: Listen
) -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
    address = listen(lambda s: s.sendall(head + b'content-length: 90\r\n\r\n{"status"'))

    with pytest.raises(ConnectionLost):
        connect(address).health()


def test_an_answer_that_is_no_http_is_a_lost_connection(
    connect: Connect, listen: Listen
) -> None:
    with pytest.raises(ConnectionLost):
        connect(listen(lambda s: s.sendall(b"SSH-2.0-OpenSSH\r\n"))).health()


def test_a_worker_that_does_not_answer_in_time_is_a_timeout(
    connect: Connect, listen: Listen
) -> None:
    address = listen(lambda s: (s.recv(1), None)[1])

    with pytest.raises(TimedOut, match="in time") as caught:
        connect(address, timeout=0.05).health()

    assert caught.value.safe_to_repeat


def test_requests_share_a_budget_and_what_has_no_time_left_is_not_sent(
    connect: Connect,
) -> None:
    sent: list[float] = []
    now = [100.0]

    def slow(request: httpx.Request) -> httpx.Response:
        sent.append(request.extensions["timeout"]["read"])
        now[0] += 1.5
        return httpx.Response(200, json={"status": "ok"})

    caller = connect(
        transport=httpx.MockTransport(slow),
        clock=lambda: now[0],
        timeout=2.0,
        budget=4.0,
    )
    caller.health()
    caller.health()
    with pytest.raises(TimedOut, match=r"did not finish its answer .* within 1 s"):
        caller.health()
    with pytest.raises(TimedOut, match="the 4 s for all requests") as caught:
        caller.health()

    assert sent == [2.0, 2.0, 1.0]
    assert caught.value.safe_to_repeat


def test_a_body_that_trickles_is_a_timeout_too(connect: Connect) -> None:
    times = iter([0.0, 61.0])  # start, after the first piece of body

    with respx.mock(base_url=BASE) as router:
        router.get("/api/health").respond(json={"status": "ok"})

        with pytest.raises(TimedOut, match="did not finish its answer") as caught:
            connect(clock=lambda: next(times), timeout=60).health()

    assert caught.value.safe_to_repeat


@pytest.mark.parametrize(
    ("cause", "expected", "write_may_be_repeated"),
    [
        (httpx.ConnectError, WorkerNotRunning, True),
        (httpx.ConnectTimeout, TimedOut, True),
        (httpx.PoolTimeout, TimedOut, True),
        (httpx.ReadTimeout, TimedOut, False),
        (httpx.WriteTimeout, TimedOut, False),
        (httpx.ReadError, ConnectionLost, False),
        (httpx.WriteError, ConnectionLost, False),
        (httpx.RemoteProtocolError, ConnectionLost, False),
        (httpx.DecodingError, ProtocolError, False),
    ],
)
def test_an_error_of_the_transport_becomes_one_of_ours(
    connect: Connect,
    cause: type[httpx.RequestError],
    expected: type[CmemError],
    write_may_be_repeated: bool,
) -> None:
    with respx.mock(base_url=BASE, assert_all_called=False) as router:
        router.post("/api/memory/save").mock(side_effect=cause("it broke"))
        router.get("/api/version").respond(json={"version": "13.25.3"})

        with pytest.raises(expected, match=r"it broke|in time") as caught:
            connect().save_memory("text", "notes")

    assert type(caught.value) is expected
    assert caught.value.safe_to_repeat is write_may_be_repeated


@pytest.mark.parametrize("cause", sorted(subclasses(httpx.RequestError), key=str))
def test_no_error_of_the_transport_is_left_as_it_is(
    connect: Connect, cause: type[httpx.RequestError]
) -> None:
    with respx.mock(base_url=BASE, assert_all_called=False) as router:
        router.get("/api/health").mock(side_effect=cause)
        router.get("/api/version").mock(side_effect=cause)

        with pytest.raises(CmemError):
            connect().health()


def test_an_error_without_words_is_named_by_its_class(connect: Connect) -> None:
    with respx.mock(base_url=BASE) as router:
        router.get("/api/health").mock(side_effect=httpx.ReadError(""))

        with pytest.raises(ConnectionLost, match=r"\(ReadError\)"):
            connect().health()


# -- error statuses ------------------------------------------------------------------


def test_401_is_an_invalid_token(connect: Connect) -> None:
    error = failure(
        connect,
        status_code=401,
        json={"error": "Unauthorized", "message": "Missing API key"},
    )

    assert type(error) is Unauthorized
    assert str(error) == (
        "Invalid auth token (GET /api/projects: Unauthorized: Missing API key)"
    )


def test_404_of_a_page_is_a_route_this_worker_lacks(connect: Connect) -> None:
    error = failure(connect, status_code=404, html="<pre>Cannot GET /x</pre>")

    assert type(error) is RouteMissing
    assert str(error) == "This worker has no GET /api/projects (404)"
    assert (error.status, error.method, error.path) == (404, "GET", "/api/projects")
    assert error.body == "Cannot GET /x"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"json": {"error": "Not found"}, "status_code": 404}, "(404): Not found"),
        (
            {
                "status_code": 400,
                "json": {
                    "error": "ValidationError",
                    "issues": [
                        {"path": ["ids", 0], "message": "expected number"},
                        {"path": [], "message": "expected object"},
                        "odd",
                        {"message": "not shown"},
                    ],
                },
            },
            "ValidationError: ids.0: expected number, body: expected object, odd",
        ),
        (
            {"status_code": 403, "json": {"error": "Forbidden", "message": "no CORS"}},
            "(403): Forbidden: no CORS",
        ),
        ({"status_code": 400, "json": ["odd"]}, '(400): ["odd"]'),
        ({"status_code": 400, "text": '{"code":7}'}, '(400): {"code":7}'),
        (
            {
                "status_code": 413,
                "html": "<title>Error</title><pre>Too &lt;large&gt;<br> at x (y.js)",
            },
            "(413): Too <large>; send less at once (recent workers take 5 MB)",
        ),
        ({"status_code": 431}, "(431): no reason given; shorten the query"),
    ],
)
def test_another_4xx_carries_the_reason_of_the_worker(
    connect: Connect, answer: dict[str, Any], reason: str
) -> None:
    error = failure(connect, **answer)

    assert type(error) is Rejected
    assert str(error).startswith("The worker rejected GET /api/projects (")
    assert str(error).endswith(reason)


def test_5xx_carries_the_body_cut(connect: Connect) -> None:
    error = failure(
        connect, status_code=500, text='{"error":"no such table: ' + "x" * 5000 + '"}'
    )

    assert type(error) is ServerError
    assert str(error).startswith(
        'The worker failed at GET /api/projects (500): {"error":"no such table: xxx'
    )
    assert str(error).endswith("x…")
    assert len(error.body) == 501


def test_a_failed_write_is_not_safe_to_repeat_unless_the_worker_was_starting(
    connect: Connect,
) -> None:
    with respx.mock(base_url=BASE) as router:
        route = router.post("/api/memory/save")
        caller = connect()

        def outcome(status: int) -> bool:
            route.respond(status, json={"error": "Service initializing"})
            with pytest.raises(ServerError, match="Service initializing") as caught:
                caller.save_memory("text", "notes")
            return caught.value.safe_to_repeat

        assert (outcome(500), outcome(503)) == (False, True)


@pytest.mark.parametrize(
    "kind", [Unauthorized, RouteMissing, Rejected, ServerError, StatusError]
)
def test_every_status_error_is_caught_as_one(kind: type[CmemError]) -> None:
    assert issubclass(kind, StatusError)
    assert issubclass(kind, CmemError)


# -- successes that are none -----------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (
            {"html": "<title>Hi</title><h1>A router's page</h1>"},
            "expected JSON, found content type text/html; charset=utf-8: A router's",
        ),
        (
            {"content": b"{}"},
            "expected JSON, found content type missing: {}",
        ),
        (
            {"content": b'{"projects": ["a', "content_type": "application/json"},
            "expected JSON, found Unterminated string",
        ),
        (
            {"content": b"", "content_type": "application/json"},
            ": empty body",
        ),
        (
            {"content": b'{"\xff": 1}', "content_type": "application/json"},
            "expected JSON, found 'utf-8' codec can't decode",
        ),
        (
            {"content": b"[" * 200_000, "content_type": "application/json"},
            "found JSON nested too deeply",
        ),
        ({"json": ["a"]}, 'expected a JSON object, found ["a"]'),
        (
            {
                "headers": {"content-type": "application/json"},
                "content": b'{"items":[]}',
            },
            'expected Projects (field required at $.projects), found {"items":[]}',
        ),
        (
            {"json": {"projects": ["a", 1]}},
            "expected Projects (input should be a valid string at $.projects[1])",
        ),
        ({"status_code": 302}, "expected a success, found status 302"),
    ],
)
def test_a_success_of_another_shape_says_what_was_expected_and_what_came(
    connect: Connect, answer: dict[str, Any], found: str
) -> None:
    error = failure(connect, **answer)

    assert type(error) is ProtocolError
    assert str(error).startswith("Unexpected reply to GET /api/projects: ")
    assert found in str(error)
    assert str(error).endswith(" (worker version 13.25.3)")
    assert len(str(error)) < 500


def test_a_worker_that_does_not_tell_its_version_is_of_unknown_version(
    connect: Connect,
) -> None:
    with respx.mock(base_url=BASE) as router:
        router.get("/api/health").respond(json=[])
        router.get("/api/version").respond(json=[])

        with pytest.raises(ProtocolError, match=r"\(worker version unknown\)$"):
            connect().health()


def test_what_a_terminal_would_act_on_is_escaped(connect: Connect) -> None:
    error = failure(
        connect, status_code=500, content=b"\x1b[2J wiped \x07", content_type="text/x"
    )

    assert str(error).endswith(r"\x1b[2J wiped \x07")


# -- size ------------------------------------------------------------------------------


def test_a_reply_of_several_megabytes_is_read(connect: Connect) -> None:
    narrative = "tea " * 1_000_000
    row = {"id": 1, "project": "notes", "narrative": narrative}
    with respx.mock(base_url=BASE) as router:
        router.get("/api/search").respond(json={"observations": [row]})

        result = connect().search("tea", "notes")

    assert result.hits[0].narrative == narrative


def test_a_reply_above_the_limit_is_not_read_to_its_end(connect: Connect) -> None:
    with respx.mock(base_url=BASE, assert_all_called=False) as router:
        router.get("/api/health").respond(json={"status": "x" * 4_000})
        router.get("/api/version").respond(json={"version": "13.25.3"})

        with pytest.raises(ProtocolError, match="more than 2000 bytes"):
            connect(max_reply_bytes=2_000).health()


def test_a_compressed_reply_is_bounded_by_what_it_unpacks_to(connect: Connect) -> None:
    headers = {"content-encoding": "gzip", "content-type": "application/json"}
    bomb = gzip.compress(b'{"status": "' + b"x" * 100_000)
    with respx.mock(base_url=BASE, assert_all_called=False) as router:
        router.get("/api/health").respond(content=bomb, headers=headers)
        router.get("/api/version").respond(json={"version": "13.25.3"})

        with pytest.raises(ProtocolError, match="more than 50000 bytes"):
            connect(max_reply_bytes=50_000).health()


def test_of_an_error_of_megabytes_only_the_start_is_read(
    connect: Connect, listen: Listen
) -> None:
    sent = 0

    def flood(client: socket.socket) -> None:
        nonlocal sent
        client.sendall(b"HTTP/1.1 500 Oops\r\ncontent-type: text/plain\r\n\r\n")
        for _ in range(2_000):
            client.sendall(b"no " * 10_000)
            sent += 30_000

    with pytest.raises(ServerError, match="no no no"):
        connect(listen(flood)).health()

    assert sent < 60_000_000
