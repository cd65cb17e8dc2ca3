import asyncio
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any

import httpx
import pytest
from cmem_client import AsyncClient, Client
from cmem_client.testing import FakeWorker
from hypothesis import settings

# a law that holds slowly on a busy machine still holds
settings.register_profile("cmem_client", deadline=None)
settings.load_profile("cmem_client")


class Caller:
    """Calls a method of either face and returns its result."""

    def __init__(
        self, client: Client | AsyncClient, runner: asyncio.Runner | None
    ) -> None:
        self.client = client
        self._runner = runner

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.client, name)
        if self._runner is None:
            return method
        runner = self._runner
        return lambda *args, **kwargs: runner.run(method(*args, **kwargs))


@cache
def _tls_context() -> ssl.SSLContext:
    """Read the certificates once: for each client they cost more than its test."""
    return ssl.create_default_context()


@pytest.fixture(params=["sync", "async"])
def connect(request: pytest.FixtureRequest) -> Iterator[Callable[..., Caller]]:
    """Return a function that makes a client of one face and then of the other."""
    callers: list[Caller] = []
    tls = _tls_context()
    runner = None if request.param == "sync" else asyncio.Runner()
    face = Client if runner is None else AsyncClient
    transport = httpx.HTTPTransport if runner is None else httpx.AsyncHTTPTransport

    def make(address: str | FakeWorker = "localhost:37777", **options: Any) -> Caller:
        options.setdefault("token", "")
        if isinstance(address, FakeWorker):
            factory = address.client if runner is None else address.async_client
            caller = Caller(factory(**options), runner)
        else:
            options.setdefault("transport", transport(verify=tls))
            caller = Caller(face(address, **options), runner)
        callers.append(caller)
        return caller

    yield make
    for caller in callers:
        caller.close()
    if runner is not None:
        runner.close()


@pytest.fixture
def listen() -> Iterator[Callable[[Callable[[socket.socket], None]], str]]:
    """Return a function that serves raw connections on a free port of loopback."""
    servers: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def serve(server: socket.socket, handle: Callable[[socket.socket], None]) -> None:
        with suppress(OSError):  # the server was closed: the test is over
            while True:
                connection, _ = server.accept()
                with connection, suppress(OSError):
                    connection.settimeout(5)
                    connection.recv(65536)
                    handle(connection)

    def start(handle: Callable[[socket.socket], None]) -> str:
        server = socket.create_server(("127.0.0.1", 0))
        thread = threading.Thread(target=serve, args=(server, handle))
        servers.append(server)
        threads.append(thread)
        thread.start()
        return f"127.0.0.1:{server.getsockname()[1]}"

    yield start
    for server in servers:
        with suppress(OSError):  # wakes accept
            server.shutdown(socket.SHUT_RDWR)
        server.close()
    for thread in threads:
        thread.join(timeout=10)
