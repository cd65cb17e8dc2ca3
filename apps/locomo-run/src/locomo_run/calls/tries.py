"""How often and how long a call is tried."""

from __future__ import annotations

from dataclasses import dataclass

from locomo_run.ledger.entry import Attempt, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How hard a lane tries."""

    in_flight: int = 1
    """The most calls at once."""
    attempts: int | None = None
    """Calls for one entry that may fail for reasons of infrastructure; None for as
    many as fit into the minutes."""
    unusable: int = 3
    """Replies to one entry that may be cut off or unreadable."""
    minutes: float = 10.0
    """How long one entry is tried for."""
    timeout: float = 120.0
    """Seconds that one call may take."""


class CallFault(Exception):  # noqa: N818  # a call's fault, not an error of this program
    """A call that brought no reply; a `Call` raises it."""

    def __init__(
        self,
        reason: str,
        *,
        retryable: bool = True,
        overload: bool = False,
        fatal: bool = False,
        retry_after: float | None = None,
        billed: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retryable = retryable
        """Whether the same call may go well later."""
        self.overload = overload
        """Whether the other side asks for fewer calls."""
        self.fatal = fatal
        """Whether no call can go well any more: a wrong key, an unknown model."""
        self.retry_after = retry_after
        """Seconds to wait, if the other side says so."""
        self.billed = billed
        """Whether the other side may have replied and billed that all the same."""


@dataclass(slots=True)
class Tries:
    """The tries for one entry, and when there have been enough."""

    limits: Limits
    began: float
    failed: int = 0
    unusable: int = 0

    def over(self, attempt: Attempt, fault: CallFault | None, now: float) -> bool:
        """Count an attempt; tell whether it was the last one."""
        if fault is not None:
            self.failed += 1
            return (
                not fault.retryable
                or self.failed == self.limits.attempts
                or now - self.began > self.limits.minutes * 60
            )
        if attempt.status in (Status.UNPARSED, Status.TRUNCATED):
            self.unusable += 1
            return self.unusable >= self.limits.unusable
        return True
