"""A claude-mem worker for tests: in this process, without a network or a model.

`FakeWorker` answers like three versions of the real worker that differ much; what it
does was recorded from them.  Its clients share a clock that only it moves, so a wait
of minutes takes no time.

Example:
    >>> worker = FakeWorker(outcomes=[Outcome.DROPPED])
    >>> with worker.client() as client:
    ...     _ = client.init_session("s1", "notes", "A talk about tea")
    ...     receipt = client.queue_observation("s1", "Read", {}, "Ann likes tea.")
    ...     depth = client.processing_status().queue_depth
    ...     receipt.queued, depth, client.count_observations("notes")
    (True, 1, 0)
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping

import httpx
from pydantic import JsonValue

from ._async_client import AsyncClient
from ._client import Client
from ._fake_index import Index
from ._fake_queue import Compress, Outcome, Queue, keep_all
from ._fake_routes import ABILITIES, Routes
from ._fake_store import Store, StoreError

__all__ = ["VERSIONS", "Compress", "FakeWorker", "Outcome"]

VERSIONS = tuple(ABILITIES)
"""The versions that a `FakeWorker` can be, oldest first."""

_ADDRESS = "localhost:37777"
_BODY_LIMIT = 5 * 1024 * 1024
_OLD_BODY_LIMIT = 50 * 1024 * 1024


class FakeWorker:
    """A claude-mem worker that lives in the test.

    It is a handler for `httpx.MockTransport`; `client` and `async_client` are the
    short way to one.

    Args:
        version: Which worker to be: one of `VERSIONS`.
        token: Refuse requests without this bearer token.
        outcomes: What becomes of the observations, one after the other; they are
            stored once these are used up.
        compress: The model: the narratives of the rows made of one tool response.
        looks: How many answers to `processing_status` an observation stays queued.
        vectors: Search by meaning (here: by common words) instead of by phrase.
        index_lag: How many answers to `processing_status` the vector index is behind.
        mode: The mode that a recent worker names to a session.
        latency_s: How far one request moves the clock.

    Attributes:
        version: The version it is.
        requests: Every request that arrived.
        now_s: The clock, in seconds.
    """

    def __init__(
        self,
        version: str = VERSIONS[-1],
        *,
        token: str | None = None,
        outcomes: Iterable[Outcome] = (),
        compress: Compress = keep_all,
        looks: int = 1,
        vectors: bool = False,
        index_lag: int = 0,
        mode: str = "conversation",
        latency_s: float = 0.012,
    ) -> None:
        if version not in VERSIONS:
            raise ValueError(f"version must be one of {VERSIONS}, not {version!r}")
        can = ABILITIES[version]
        self.version = version
        self.requests: list[httpx.Request] = []
        self.now_s = 0.0
        self._token = token
        self._latency_s = latency_s
        self._running = True
        self._store = Store()
        self._queue = Queue(
            self._store,
            compress=compress,
            outcomes=outcomes,
            parks=can.newest,
            keeps_paths=can.newest,
        )
        self._routes = Routes(
            self._store,
            self._queue,
            Index(self._store, phrases=can.recent, vectors=vectors, lag=index_lag),
            version,
            looks=looks,
            mode=mode,
            clock=self._clock,
        )

    @property
    def cooldown(self) -> bool:
        """Whether the worker makes no model calls at present; may be set."""
        return self._queue.cooldown

    @cooldown.setter
    def cooldown(self, active: bool) -> None:
        self._queue.cooldown = active

    def transport(self) -> httpx.MockTransport:
        """Return a transport to this worker, for either face."""
        return httpx.MockTransport(self)

    def client(self, *, token: str = "") -> Client:
        """Return a client of this worker that never really sleeps."""
        return Client(
            _ADDRESS,
            token=token,
            transport=self.transport(),
            clock=self._clock,
            sleep=self._pass,
        )

    def async_client(self, *, token: str = "") -> AsyncClient:
        """Return an asynchronous client of this worker that never really sleeps."""

        async def sleep(seconds: float) -> None:
            self._pass(seconds)

        return AsyncClient(
            _ADDRESS,
            token=token,
            transport=self.transport(),
            clock=self._clock,
            sleep=sleep,
        )

    def stop(self) -> None:
        """Refuse connections from now on."""
        self._running = False

    def restart(self) -> None:
        """Start again as another process; recent workers lose their queue."""
        self._running = True
        self._routes.starts += 1
        self._routes.started_s = self.now_s
        if self._routes.can.recent:
            self._queue.items.clear()
        if not self._routes.can.newest:
            # these name their sessions anew and forget what was posted
            self._store.rename_sessions(self._routes.starts)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """Answer one request, as a handler of `httpx.MockTransport`."""
        if not self._running:
            raise httpx.ConnectError("Connection refused", request=request)
        self.requests.append(request)
        self._pass(self._latency_s)
        path = request.url.path
        if self._token and request.headers.get("authorization") != (
            f"Bearer {self._token}"
        ):
            return httpx.Response(401, json={"error": "Unauthorized"})
        limit = _BODY_LIMIT if self._routes.can.recent else _OLD_BODY_LIMIT
        if len(request.content) > limit:
            return _page(413, "PayloadTooLargeError: request entity too large")
        body = _json_object(request)
        if body is None:
            return _page(400, "SyntaxError: JSON Parse error")
        try:
            answer = self._routes.answer(
                request.method, path, dict(request.url.params), body
            )
        except StoreError as error:
            return httpx.Response(500, json={"error": str(error)})
        if answer is None:
            return _page(404, f"Cannot {request.method} {path}")
        status, value = answer
        if isinstance(value, str):
            return httpx.Response(status, text=value)
        return httpx.Response(status, json=value)

    def _clock(self) -> float:
        return self.now_s

    def _pass(self, seconds: float) -> None:
        self.now_s += seconds


def _json_object(request: httpx.Request) -> Mapping[str, JsonValue] | None:
    """Parse a request's body; None if it is no JSON, empty if it is no object."""
    if "json" not in request.headers.get("content-type", ""):
        return {}
    try:
        value: JsonValue = json.loads(request.content)
    except ValueError:
        return None
    return value if isinstance(value, dict) else {}


def _page(status: int, text: str) -> httpx.Response:
    """Build the page that the worker's web framework answers with."""
    return httpx.Response(
        status,
        html=(
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            "<title>Error</title>\n</head>\n<body>\n"
            f"<pre>{html.escape(text)}</pre>\n</body>\n</html>\n"
        ),
    )
