"""Where calls of one kind are made: the only owner of retries and of the pace.

Everything that costs something goes through `Lane.obtain`, which looks into the ledger
before it asks, and stores what it got before it goes on.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from locomo_run import pace as paces
from locomo_run.entry import Attempt, Entry, Request, Status
from locomo_run.errors import RunError
from locomo_run.ledger import Ledger
from locomo_run.purse import Purse

T = TypeVar("T")

Call = Callable[[], Awaitable[Attempt]]
Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How hard a lane tries."""

    in_flight: int = 1
    """The most calls at once."""
    attempts: int = 8
    """Calls for one entry that may fail for reasons of infrastructure."""
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


class Stopped(Exception):  # noqa: N818  # ends a worker, not the program
    """No further call is to be made."""


class Stop:
    """Why the run makes no further calls, if so; calls in flight are let through."""

    def __init__(self) -> None:
        self.reason: RunError | None = None

    def set(self, reason: RunError) -> None:
        """Make no further calls; the first reason counts."""
        if self.reason is None:
            self.reason = reason

    def check(self) -> None:
        """Raise `Stopped` if no further calls are to be made."""
        if self.reason is not None:
            raise Stopped


@dataclass(slots=True, kw_only=True)
class Lane:
    """One kind of call: a sliding window, one cool-down, retries, and the ledger."""

    name: str
    ledger: Ledger
    limits: Limits
    stop: Stop
    purse: Purse | None = None
    """What pays for the calls; None where they are free."""
    retry_failed: bool = False
    """Whether to ask again what ended unusable or refused."""
    clock: Clock = time.monotonic
    sleep: Sleep = asyncio.sleep
    jitter: random.Random = field(default_factory=random.Random)
    pace: paces.Pace = field(init=False)
    overloads: int = field(default=0, init=False)
    """How often the other side asked for fewer calls."""
    _active: dict[str, float] = field(default_factory=dict, init=False)
    _freed: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    def __post_init__(self) -> None:
        self.pace = paces.start(self.limits.in_flight)

    @property
    def in_flight(self) -> int:
        """Calls that are being made at the moment."""
        return len(self._active)

    def longest(self) -> tuple[str, float] | None:
        """Return the item whose call has taken longest, and for how many seconds."""
        if not self._active:
            return None
        item, since = min(self._active.items(), key=lambda pair: pair[1])
        return item, self.clock() - since

    async def obtain(self, request: Request, call: Call, cost: float = 0.0) -> Entry:
        """Return what the ledger has, or make the call and store how it went.

        Args:
            request: What is asked; the key of the entry.
            call: Makes the call once.
            cost: The most that it may cost, in dollars.

        Raises:
            Stopped: no further call is to be made.
        """
        known = self.ledger.entry(request)
        if known is not None and not self._worth_asking_again(known):
            return known
        tries = _Tries(self.limits, self.clock())
        while True:
            attempt, fault = await self._call_once(request, call, cost)
            entry = self.ledger.append(request, attempt)
            if self.purse is not None:
                self.purse.pay(attempt)
            if tries.over(attempt, fault, self.clock()):
                return entry
            if fault is not None:
                await self._back_off(tries.failed, fault)

    def _worth_asking_again(self, entry: Entry) -> bool:
        if entry.ok:
            return False
        return self.retry_failed or entry.attempt.status is Status.INFRA_ERROR

    async def _call_once(
        self, request: Request, call: Call, cost: float
    ) -> tuple[Attempt, CallFault | None]:
        await self._enter(request, cost)
        try:
            async with asyncio.timeout(self.limits.timeout) as limit:
                attempt = await call()
        except CallFault as raised:
            fault = raised
        except Exception as error:  # noqa: BLE001  # whatever another's code raises
            late = isinstance(error, TimeoutError) and limit.expired()
            fault = CallFault(
                f"no reply within {self.limits.timeout:g} s"
                if late
                else one_line(f"{type(error).__name__}: {error}")
            )
        else:
            self.pace = paces.after_reply(self.pace)
            return attempt, None
        finally:
            self._leave(request, cost)
        if fault.fatal:
            self.stop.set(RunError(f"{self.name}: {fault.reason}"))
        if fault.overload:
            self.overloads += 1
            self.pace = paces.after_overload(self.pace, self.clock(), fault.retry_after)
        failed = Attempt(status=Status.INFRA_ERROR, reason=fault.reason)
        return failed, fault

    async def _enter(self, request: Request, cost: float) -> None:
        """Wait for a place in the window and the end of a cool-down; reserve money."""
        while True:
            self.stop.check()
            wait = self.pace.not_before - self.clock()
            if wait > 0:
                await self.sleep(wait)
            elif self.in_flight < self.pace.width:
                break
            else:
                self._freed.clear()
                await self._freed.wait()
        if self.purse is not None and (refusal := self.purse.reserve(cost)):
            self.stop.set(refusal)
            raise Stopped
        self._active[request.key] = self.clock()

    def _leave(self, request: Request, cost: float) -> None:
        if self.purse is not None:
            self.purse.release(cost)
        del self._active[request.key]
        self._freed.set()

    async def _back_off(self, failed: int, fault: CallFault) -> None:
        """Wait before the next attempt, unless the shared cool-down does so anyway."""
        if fault.overload:
            return
        pause = fault.retry_after or min(
            paces.FIRST_PAUSE * 2.0 ** (failed - 1), paces.LONGEST_PAUSE
        )
        await self.sleep(pause * self.jitter.uniform(0.75, 1.0))


@dataclass(slots=True)
class _Tries:
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
                or self.failed >= self.limits.attempts
                or now - self.began > self.limits.minutes * 60
            )
        if attempt.status in (Status.UNPARSED, Status.TRUNCATED):
            self.unusable += 1
            return self.unusable >= self.limits.unusable
        return True


async def each(
    items: Iterable[T], work: Callable[[T], Awaitable[None]], width: int
) -> None:
    """Do the work on every item, at most `width` at a time, in their order.

    Ends quietly when the work says that it is stopped.
    """
    remaining = iter(items)

    async def worker() -> None:
        try:
            for item in remaining:
                await work(item)
        except Stopped:
            pass

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(width):
                group.create_task(worker())
    except BaseExceptionGroup as errors:
        raise _first(errors) from errors


def one_line(text: str, limit: int = 500) -> str:
    """Put a text into one line and cut it."""
    return " ".join(text.split())[:limit]


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    first = errors.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
