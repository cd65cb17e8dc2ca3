"""A small HTTP/1.1 server on loopback, in a thread of its own."""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote, urlsplit

__all__ = ["HttpReply", "HttpRequest", "LoopbackServer"]

_GONE = (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """A request, its header names in lower case and its path decoded."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """A reply, or only the first part of one."""

    status: int
    body: bytes
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    """Break the connection in the middle of the body."""


class LoopbackServer:
    """Serves `127.0.0.1` on a free port with one function, keeping connections alive.

    The function runs in the server's thread; None breaks the connection.
    """

    def __init__(
        self, handle: Callable[[HttpRequest], Awaitable[HttpReply | None]]
    ) -> None:
        self._handle = handle
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve()), name="loopback", daemon=True
        )
        self._started = threading.Event()
        self._connections: set[asyncio.Task[None]] = set()
        self._socket: socket.socket
        self._loop: asyncio.AbstractEventLoop
        self._stop: asyncio.Event
        self.port = 0

    def start(self) -> None:
        """Listen; the port is known afterwards."""
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self._socket.getsockname()[1]
        self._thread.start()
        self._started.wait()

    def stop(self) -> None:
        """Break all connections and end the thread."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(
            self._connected, sock=self._socket, backlog=1024
        )
        self._started.set()
        await self._stop.wait()
        server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a connection is served by a task
        self._connections.add(task)
        try:
            with suppress(*_GONE):
                while await self._exchange(reader, writer):
                    pass
        except asyncio.CancelledError:
            pass  # the server stops; asyncio would log a cancelled connection
        finally:
            self._connections.discard(task)
            writer.transport.abort()

    async def _exchange(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        method, target, _ = first.split(" ", 2)
        pairs = (line.partition(":") for line in lines if line)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        address = urlsplit(target)
        reply = await self._handle(
            HttpRequest(
                method=method,
                path=unquote(address.path),
                query=dict(parse_qsl(address.query)),
                headers=headers,
                body=body,
            )
        )
        if reply is None:
            return False
        writer.write(_encode(reply))
        await writer.drain()
        if reply.cut:
            writer.close()  # after what was written has gone out
            await writer.wait_closed()
        return not reply.cut


def _encode(reply: HttpReply) -> bytes:
    try:
        phrase = HTTPStatus(reply.status).phrase
    except ValueError:
        phrase = "Unnamed"
    headers = {
        "content-type": reply.content_type,
        "content-length": str(len(reply.body)),
        **reply.headers,
    }
    lines = [f"HTTP/1.1 {reply.status} {phrase}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    head = "\r\n".join([*lines, "", ""]).encode("latin-1")
    body = reply.body[: len(reply.body) // 2] if reply.cut else reply.body
    return head + body
