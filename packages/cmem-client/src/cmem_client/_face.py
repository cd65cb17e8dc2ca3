"""What both faces share: where they connect, their limits, how they show."""

from __future__ import annotations

from collections.abc import Callable

from ._connection import Connection, resolve
from ._transport import Intake
from ._wire import Request


class Face:
    """The part of a client that needs neither `await` nor its absence."""

    def __init__(
        self,
        address: str | Connection | None,
        *,
        token: str | None,
        timeout: float,
        max_reply_bytes: int,
        clock: Callable[[], float],
    ) -> None:
        self._connection = (
            address
            if isinstance(address, Connection)
            else resolve(address, token=token)
        )
        self._timeout = timeout
        self._max_reply_bytes = max_reply_bytes
        self._clock = clock

    @property
    def connection(self) -> Connection:
        """Where this client connects, and who said so."""
        return self._connection

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._connection.url!r})"

    def _intake(self, request: Request) -> Intake:
        return Intake(
            request=request,
            connection=self._connection,
            max_bytes=self._max_reply_bytes,
            timeout=self._timeout,
            clock=self._clock,
        )
