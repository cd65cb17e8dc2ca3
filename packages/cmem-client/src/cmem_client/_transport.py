"""Between our requests and httpx: arguments, bounded reading, errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypedDict

import httpx

from ._connection import Connection
from ._errors import (
    CmemError,
    ConnectionLost,
    ProtocolError,
    TimedOut,
    WorkerNotRunning,
)
from ._replies import printable
from ._wire import Reply, Request

MAX_REPLY_BYTES = 32 * 1024 * 1024
_MAX_ERROR_BYTES = 64 * 1024
_CONNECT_S = 5.0


class Configuration(TypedDict):
    """Arguments that `httpx.Client` and `httpx.AsyncClient` share."""

    base_url: str
    headers: Mapping[str, str]
    timeout: httpx.Timeout
    trust_env: bool


class Arguments(TypedDict):
    """Arguments of `stream` that both faces share."""

    method: str
    url: str
    params: Mapping[str, str | int]
    content: bytes | None
    headers: Mapping[str, str]
    timeout: httpx.Timeout


def _limits(timeout: float) -> httpx.Timeout:
    return httpx.Timeout(timeout, connect=min(timeout, _CONNECT_S))


def configuration(connection: Connection, timeout: float) -> Configuration:
    """Build the arguments of an httpx client; loopback needs no proxy."""
    headers = {"User-Agent": "claude-mem-client", "Accept": "application/json"}
    if connection.token is not None:
        headers["Authorization"] = f"Bearer {connection.token.get_secret_value()}"
    return Configuration(
        base_url=connection.url,
        headers=headers,
        timeout=_limits(timeout),
        trust_env=not connection.is_loopback,
    )


def arguments(request: Request, timeout: float) -> Arguments:
    """Build the arguments of one httpx request."""
    content, headers = None, {}
    if request.body is not None:
        content = json.dumps(request.body, allow_nan=False).encode()
        headers = {"Content-Type": "application/json"}
    return Arguments(
        method=request.method,
        url=request.path,
        params=request.query,
        content=content,
        headers=headers,
        timeout=_limits(timeout),
    )


@dataclass(slots=True, kw_only=True)
class Intake:
    """Reads one reply, within a size and a time."""

    request: Request
    connection: Connection
    max_bytes: int
    timeout: float
    clock: Callable[[], float]
    _started: float = field(init=False)
    _body: bytearray = field(init=False, default_factory=bytearray)

    def __post_init__(self) -> None:
        self._started = self.clock()

    def take(self, chunk: bytes, *, is_error: bool) -> bool:
        """Keep a piece of the body; return whether more is wanted.

        Raises:
            TimedOut: The whole reply takes longer than the timeout.
            ProtocolError: A success is too large to be what was asked for.
        """
        self._body += chunk
        if self.clock() - self._started > self.timeout:
            raise TimedOut(
                f"The worker did not finish its answer to {self.request} within "
                f"{self.timeout:g} s",
                safe_to_repeat=self.request.repeatable,
            )
        if is_error:
            # its start says what went wrong
            return len(self._body) < _MAX_ERROR_BYTES
        if len(self._body) > self.max_bytes:
            raise ProtocolError(
                f"Unexpected reply to {self.request}: more than {self.max_bytes} bytes "
                "(see max_reply_bytes)",
                safe_to_repeat=self.request.repeatable,
            )
        return True

    def reply(self, response: httpx.Response) -> Reply:
        """Return what was read."""
        token = self.connection.token
        return Reply(
            status=response.status_code,
            content_type=response.headers.get("content-type", ""),
            body=bytes(self._body),
            latency_ms=(self.clock() - self._started) * 1000,
            secret="" if token is None else token.get_secret_value(),
        )


def _translated(
    error: httpx.RequestError, request: Request, connection: Connection
) -> CmemError:
    address, cause = connection.address, printable(str(error)) or type(error).__name__
    match error:
        case httpx.ConnectError():
            origin = f"address from {connection.source}"
            return WorkerNotRunning(
                address, cause=f"{cause}; {origin}", notes=connection.notes
            )
        case httpx.ConnectTimeout() | httpx.PoolTimeout():
            return TimedOut(
                f"No connection to the worker at {address} in time ({request})",
                safe_to_repeat=True,
            )
        case httpx.TimeoutException():
            return TimedOut(
                f"No answer from the worker at {address} in time ({request})",
                safe_to_repeat=request.repeatable,
            )
        case httpx.DecodingError():
            return ProtocolError(
                f"Unexpected reply to {request}: its compression is broken ({cause})",
                safe_to_repeat=request.repeatable,
            )
        case _:
            return ConnectionLost(
                f"Lost the connection to the worker at {address} during {request} "
                f"({cause})",
                safe_to_repeat=request.repeatable,
            )


@contextmanager
def translated_errors(request: Request, connection: Connection) -> Iterator[None]:
    """Turn the errors of httpx into those of this package."""
    try:
        yield
    except httpx.RequestError as error:
        raise _translated(error, request, connection) from error
