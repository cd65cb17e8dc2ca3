"""One session at the worker: posted, waited for, and posted again within bounds.

```text
what the wait saw            what comes next
─────────────────────────    ────────────────────────────────────────────────────────
dropped, restarted           the same observation under a new name: the old one is
                             used up
parked                       the same session opened with a new prompt, which wakes it;
                             if that was in vain, the observation under a new name
stalled                      the same session opened with a new prompt, then another
                             wait: the model may only be slow
still working                another wait; a second post would be a second copy
cooldown                     nothing: no call of any session can go well; a repeated
                             command posts the observation under the name that it has
                             in the queue, which wakes it and makes no second copy
```
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import assert_never, cast

from cmem_client import (
    AsyncClient,
    Cause,
    CmemError,
    ConnectionLost,
    Observation,
    TimedOut,
    WaitExpired,
    WorkerNotRunning,
)

from locomo_run.claude_mem.account import process_of
from locomo_run.claude_mem.naming import transcript_path
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.claude_mem.place import Place
from locomo_run.claude_mem.plain import plain
from locomo_run.claude_mem.settings import WorkerSettings, end_of
from locomo_run.errors import RunError
from locomo_run.ledger.entry import Attempt, Json, Status

ABSENCE = 60.0
"""Seconds that a worker which has gone may take to come back."""

TOOL = "Read"

QUEUED = "queued"
"""The number under which an observation is in the queue, in the reply of an attempt."""

Reply = Mapping[str, Json]
"""What an attempt tells for those who come after it."""


class Step(StrEnum):
    """What is done at an attempt."""

    POST = "post"
    WAKE = "wake"
    WAIT = "wait"


class QuotaError(RunError):
    """The worker makes no model calls for a while."""


class GoneError(RunError):
    """The worker does not answer any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """How one attempt at a session went."""

    attempt: Attempt
    next_step: Step | None = None
    """What may help; None if it went well or nothing helps."""
    seconds: float | None = None
    """How long the rows took to come."""
    fatal: RunError | None = None
    """Why no other session can go well either."""


def next_step(cause: Cause, last: Step) -> Step | None:
    """Return what may bring the rows of a session after a wait in vain, if anything.

    >>> next_step(Cause.PARKED, Step.POST), next_step(Cause.PARKED, Step.WAKE)
    (<Step.WAKE: 'wake'>, <Step.POST: 'post'>)
    """
    match cause:
        case Cause.DROPPED | Cause.RESTARTED:
            return Step.POST
        case Cause.PARKED:
            return Step.POST if last is Step.WAKE else Step.WAKE
        case Cause.STALLED:
            return Step.WAIT if last is Step.WAKE else Step.WAKE
        case Cause.WORKING | Cause.INDEX_BEHIND:
            return Step.WAIT
        case Cause.COOLDOWN:
            return None
        case _:
            assert_never(cause)


@dataclass(slots=True, kw_only=True)
class Poster:
    """What posts sessions, one attempt at a time."""

    client: AsyncClient
    options: ClaudeMemOptions
    settings: WorkerSettings | None = None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    _opened: set[str] = field(default_factory=set)
    """Sessions that were opened by this process."""

    async def attempt(
        self, place: Place, step: Step, number: int, cooled: Reply | None = None
    ) -> Tried:
        """Make one attempt; whatever the worker does is told, not raised.

        Args:
            place: The session.
            step: What to do.
            number: Of the attempt, from 1, over all calls of the program.
            cooled: What the attempt before told that ended with a cooldown: the process
                in whose queue its observation is, and under which number.
        """
        queued = cooled or {}
        if (end := self.cooldown_end()) is not None:
            return self._cooling(end, queued)
        began = self.clock()
        try:
            health = await self.client.health()
            worker = process_of(health)
            if queued.get("worker") == worker:
                number = cast(int, queued[QUEUED])
            queued = {"worker": worker, QUEUED: number}
            refusal = await self._act(place, step, number)
            if refusal:
                return Tried(
                    attempt=Attempt(
                        status=Status.REFUSED,
                        reason=plain(refusal),
                        reply={"worker": worker},
                    )
                )
            await self.client.wait_for_processing(
                place.project,
                [place.session],
                timeout=self.options.session_timeout,
                stall=self.options.stall,
                poll=self.options.poll,
            )
            grouped = await self.client.observations_by_session(place.project)
        except WaitExpired as expired:
            return await self._expired(expired, step, queued)
        except WorkerNotRunning as error:
            return await self._gone(error)
        except CmemError as error:
            return Tried(attempt=_failed(str(error)), next_step=Step.POST)
        seconds = self.clock() - began
        rows = grouped[place.session]
        return Tried(attempt=stored(rows, worker, seconds), seconds=seconds)

    def cooldown_end(self) -> datetime | None:
        """Return when the worker calls its model again, if its files tell."""
        return self.settings.cooldown_until(self.now()) if self.settings else None

    async def _act(self, place: Place, step: Step, number: int) -> str:
        """Post what the step says; return why the worker does not take it."""
        if step is Step.WAKE:
            await self.client.init_session(
                place.session, place.project, f"{place.prompt} (again, {number})"
            )
        elif step is Step.POST:
            if place.session not in self._opened:
                opened = await self.client.init_session(
                    place.session, place.project, place.prompt
                )
                if opened.skipped and opened.reason != "duplicate":
                    return f"the worker skipped the session: {opened.reason}"
                self._opened.add(place.session)
            return await self._queue(place, number)
        return ""

    async def _queue(self, place: Place, number: int) -> str:
        try:
            receipt = await self.client.queue_observation(
                place.session,
                TOOL,
                {"file_path": transcript_path(place.number)},
                place.transcript,
                attempt=number,
            )
        except (ConnectionLost, TimedOut):
            return ""  # it may have arrived: the wait will tell
        if receipt.queued:
            return ""
        return f"the worker skipped the observation: {receipt.reason}"

    async def _expired(self, expired: WaitExpired, step: Step, queued: Reply) -> Tried:
        cause = expired.report.missing[0].cause
        following = next_step(cause, step)
        if following is None:
            end = self.cooldown_end() or await self._logged_end()
            return self._cooling(end, queued)
        if cause is Cause.RESTARTED:
            self._opened.clear()
        return Tried(attempt=_failed(f"{cause}: {expired}"), next_step=following)

    async def _logged_end(self) -> datetime | None:
        """Ask the worker's log for the end of its cooldown."""
        with suppress(CmemError):
            return end_of(await self.client.cooldown(), self.now())
        return None

    def _cooling(self, end: datetime | None, queued: Reply) -> Tried:
        until = f"{end:%H:%M} UTC" if end else "30 minutes after its last model call"
        reason = f"the quota of its model is used up: it makes no calls until {until}"
        return Tried(
            attempt=replace(_failed(reason), reply=queued),
            fatal=QuotaError(
                f"{reason}; everything stored is kept. Repeat the command then, or "
                "stop the worker, mend the quota, delete quota-cooldown.json and "
                "observer-health.json in its data directory, start it and repeat"
            ),
        )

    async def _gone(self, error: WorkerNotRunning) -> Tried:
        """Wait for a worker that is being started again."""
        self._opened.clear()  # some workers forget their sessions
        deadline = self.clock() + ABSENCE
        while self.clock() < deadline:
            await self.sleep(self.options.poll)
            try:
                await self.client.health()
            except CmemError:
                continue
            return Tried(attempt=_failed(f"{error}; it came back"), next_step=Step.POST)
        return Tried(
            attempt=_failed(str(error)),
            fatal=GoneError(
                f"{error}; everything stored is kept, and the same command goes on"
            ),
        )


def stored(
    rows: tuple[Observation, ...], worker: dict[str, Json], seconds: float | None
) -> Attempt:
    """Return the good attempt of a session whose rows were read back."""
    ordered = sorted(rows, key=lambda row: row.id)
    return Attempt(
        status=Status.OK,
        reply={
            "rows": [row.id for row in ordered],
            "created": [row.created_at_epoch for row in ordered],
            "worker": worker,
        },
        latency_ms=None if seconds is None else seconds * 1000,
    )


def _failed(reason: str) -> Attempt:
    return Attempt(status=Status.INFRA_ERROR, reason=plain(reason))
