"""Every error this package raises on purpose.

```text
CmemError
├── SettingsError        an address, port or token that cannot be used
├── WorkerNotRunning     nothing listens at the address; nothing was sent
├── ConnectionLost       the connection broke under way
├── TimedOut             no complete answer in time
├── StatusError          the worker answered with an error status
│   ├── Unauthorized     401
│   ├── RouteMissing     404 of a route: this worker is older or newer than it
│   ├── Rejected         any other 4xx, with the worker's own reason
│   └── ServerError      5xx, with the body, cut
├── ProtocolError        a success whose body is not what the route promises
└── WaitExpired          a wait ended without the rows it waited for
```

`safe_to_repeat` says whether sending the same request again can do no harm:
the request only reads, or repeats are recognised, or it never reached the worker.

Arguments that no worker could accept (a blank project, a limit of 0) are
`ValueError`: they are mistakes of the calling program, found before anything is sent.
"""
# ruff: noqa: N818 - the names say what is the case

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._waiting import WaitReport

START_COMMAND = "bun plugin/scripts/worker-service.cjs start"


class CmemError(Exception):
    """Anything this package raises on purpose.

    Attributes:
        safe_to_repeat: Whether the same request may be sent again without harm.
    """

    def __init__(self, message: str, *, safe_to_repeat: bool = False) -> None:
        super().__init__(message)
        self.safe_to_repeat = safe_to_repeat


class SettingsError(CmemError):
    """An address, port or token that cannot be used; nothing was sent."""


class WorkerNotRunning(CmemError):
    """Nothing listens at the address, so nothing was sent.

    Attributes:
        address: Where the worker was expected, `host:port`.
    """

    def __init__(self, address: str, *, cause: str, notes: tuple[str, ...]) -> None:
        details = "; ".join((cause, *notes))
        super().__init__(
            f"Worker not running at {address} ({details}). "
            f"Start it with: {START_COMMAND}",
            safe_to_repeat=True,
        )
        self.address = address


class ConnectionLost(CmemError):
    """The connection broke under way; the worker may have done what was asked."""


class TimedOut(CmemError):
    """No complete answer came in time; the worker may have done what was asked."""


class StatusError(CmemError):
    """The worker answered with an error status.

    Attributes:
        status: The HTTP status code.
        body: The start of the reply's text, with control characters escaped.
        method: The method of the request, such as `GET`.
        path: The path of the request, such as `/api/search`.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        body: str,
        method: str,
        path: str,
        safe_to_repeat: bool = False,
    ) -> None:
        super().__init__(message, safe_to_repeat=safe_to_repeat)
        self.status = status
        self.body = body
        self.method = method
        self.path = path


class Unauthorized(StatusError):
    """401: the worker wants a token, or another one."""


class RouteMissing(StatusError):
    """404 of a route: this worker is older or newer than it."""


class Rejected(StatusError):
    """A 4xx other than these, with the worker's own reason in the message."""


class ServerError(StatusError):
    """5xx: the worker failed; the message holds the start of its reply."""


class ProtocolError(CmemError):
    """A success whose body is not what the route promises."""


class WaitExpired(CmemError):
    """A wait ended without the rows it waited for.

    Attributes:
        report: What arrived, what did not, and what it looks like.
    """

    def __init__(self, report: WaitReport) -> None:
        super().__init__(str(report), safe_to_repeat=True)
        self.report = report
