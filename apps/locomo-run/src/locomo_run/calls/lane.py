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

from locomo_run.calls import pace as paces
from locomo_run.calls.tries import CallFault, Limits, Tries
from locomo_run.errors import CallError, RunError
from locomo_run.ledger.entry import MAY_HAVE_COST, Attempt, Entry, Request, Status
from locomo_run.ledger.store import Ledger
from locomo_run.money.purse import Purse

T = TypeVar("T")

Call = Callable[[], Awaitable[Attempt]]
Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]


class Stopped(Exception):  # noqa: N818  # ends a worker, not the program
    """No further call is to be made."""


class Stop:
    """Why the run makes no further calls, if so; calls in flight are let through."""

    def __init__(self) -> None:
        self.reason: RunError | None = None
        self.event = asyncio.Event()
        """Set once there is a reason."""

    def set(self, reason: RunError) -> None:
        """Make no further calls; the first reason counts."""
        if self.reason is None:
            self.reason = reason
            self.event.set()

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
    _active: dict[str, tuple[str, float]] = field(default_factory=dict, init=False)
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
        item, since = min(self._active.values(), key=lambda call: call[1])
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
        if known is not None and settled(known, retry_failed=self.retry_failed):
            return known
        tries = Tries(self.limits, self.clock())
        while True:
            await self._enter(request, cost)
            try:
                attempt, fault = await self._call_once(call, cost)
                entry = self.ledger.append(request, attempt)
                if self.purse is not None:
                    self.purse.pay(attempt)
                if attempt.usage is not None:
                    await self._store_durably()
            finally:
                self._leave(request)
            if tries.over(attempt, fault, self.clock()):
                return entry
            if fault is not None:
                await self._back_off(tries.failed, fault)

    async def _call_once(
        self, call: Call, cost: float
    ) -> tuple[Attempt, CallFault | None]:
        try:
            async with asyncio.timeout(self.limits.timeout) as limit:
                attempt = await call()
        except Exception as error:  # noqa: BLE001  # whatever another's code raises
            fault = self._fault(error, late=limit.expired())
        else:
            self.pace = paces.after_reply(self.pace)
            return attempt, None
        finally:
            if self.purse is not None:
                self.purse.release(cost)
        self._heed(fault)
        failed = Attempt(
            status=Status.INFRA_ERROR,
            reason=fault.reason,
            reply={MAY_HAVE_COST: cost} if fault.billed and cost else {},
        )
        return failed, fault

    def _fault(self, error: Exception, *, late: bool) -> CallFault:
        """Read an error; one that the user has to mend stops the run."""
        match error:
            case CallFault():
                return error
            case CallError():
                return CallFault(one_line(str(error)))
            case RunError():
                self.stop.set(error)
                raise Stopped from error
            case TimeoutError() if late:
                return CallFault(
                    f"no reply within {self.limits.timeout:g} s", billed=True
                )
        return CallFault(one_line(f"{type(error).__name__}: {error}"), billed=True)

    def _heed(self, fault: CallFault) -> None:
        if fault.fatal:
            self.stop.set(RunError(f"{self.name}: {fault.reason}"))
        if fault.overload:
            self.overloads += 1
            self.pace = paces.after_overload(self.pace, self.clock(), fault.retry_after)

    async def _store_durably(self) -> None:
        """Keep a paid reply in the window until it cannot be lost any more.

        Replies that come at the same moment share a commit.
        """
        await asyncio.sleep(0)
        self.ledger.commit()

    async def _enter(self, request: Request, cost: float) -> None:
        """Wait for a place in the window and the end of a cool-down; reserve money."""
        while True:
            self.stop.check()
            wait = self.pace.not_before - self.clock()
            if wait > 0:
                await self.pause(wait)
            elif self.in_flight < self.pace.width:
                break
            else:
                self._freed.clear()
                await self._freed.wait()
        if self.purse is not None and (refusal := self.purse.reserve(cost)):
            self.stop.set(refusal)
            raise Stopped
        name = f"{request.stage} {request.item}"
        self._active[request.key] = name, self.clock()

    def _leave(self, request: Request) -> None:
        del self._active[request.key]
        self._freed.set()

    async def _back_off(self, failed: int, fault: CallFault) -> None:
        """Wait before the next attempt, unless the shared cool-down does so anyway."""
        if fault.overload:
            return
        await self.pause(
            min(fault.retry_after, paces.LONGEST_PAUSE)
            if fault.retry_after is not None
            else paces.pause_after(failed) * self.jitter.uniform(0.75, 1.0)
        )

    async def pause(self, seconds: float) -> None:
        """Sleep, but no longer than the run goes on."""
        waits = (
            asyncio.ensure_future(self.sleep(seconds)),
            asyncio.ensure_future(self.stop.event.wait()),
        )
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        self.stop.check()


def settled(entry: Entry, *, retry_failed: bool) -> bool:
    """Tell whether an entry is not to be asked for again."""
    if entry.ok:
        return True
    return not retry_failed and entry.attempt.status is not Status.INFRA_ERROR


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
