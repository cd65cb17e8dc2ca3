"""What both faces share: where they connect, their limits, how they show."""

from __future__ import annotations

from collections.abc import Callable

from ._connection import Connection, resolve
from ._errors import TimedOut
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
        budget: float | None,
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
        self._budget = budget
        self._ends = None if budget is None else clock() + budget

    @property
    def connection(self) -> Connection:
        """Where this client connects, and who said so."""
        return self._connection

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._connection.url!r})"

    def _intake(self, request: Request, timeout: float) -> Intake:
        return Intake(
            request=request,
            connection=self._connection,
            max_bytes=self._max_reply_bytes,
            timeout=timeout,
            clock=self._clock,
        )

    def _time_for(self, request: Request) -> float:
        """Return the seconds that one request may take.

        Raises:
            TimedOut: The budget is used up; nothing was sent.
        """
        if self._ends is None:
            return self._timeout
        left = self._ends - self._clock()
        if left <= 0:
            raise TimedOut(
                f"No time left for {request}: the {self._budget:.3g} s for all "
                "requests together are over",
                safe_to_repeat=True,
            )
        return min(self._timeout, left)
