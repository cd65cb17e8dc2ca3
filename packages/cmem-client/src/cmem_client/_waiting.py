"""When a wait is over, and what it looks like if it ends in vain.

Pure functions of what one look at the worker showed; `_watch` does the looking.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum, unique
from typing import assert_never

from ._models import Health

QUOTA_COOLDOWN = timedelta(minutes=30)
"""How long a worker calls no model after its quota was found used up."""

_COOLING = re.compile(
    r"^\[(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})\] .*"
    r"(?:quota cooldown is active .*\bretryInMs=(?P<left>\d+)"
    r"|Generator paused for quota)",
    re.MULTILINE,
)

IDLE_LOOKS = 2
"""Looks at an idle worker without the rows before they count as dropped."""


@unique
class Cause(StrEnum):
    """What a missing session looks like."""

    DROPPED = "dropped"
    """The worker is idle: it took the observation and stored nothing."""
    PARKED = "parked"
    """The queue stands still: the worker waits after a failed model call."""
    STALLED = "stalled"
    """The queue stands still, and the worker's log does not say why."""
    COOLDOWN = "cooldown"
    """The queue stands still: the model's quota is used up, all sessions wait."""
    RESTARTED = "restarted"
    """Another process answers than at the start: its queue may be lost."""
    INDEX_BEHIND = "index_behind"
    """The rows are stored, but search does not find them yet."""
    WORKING = "working"
    """The worker was busy and moving when the time was up."""


@unique
class Limit(StrEnum):
    """Which limit ended a wait."""

    TOTAL = "total"
    """`timeout` seconds have passed."""
    STALL = "stall"
    """Nothing changed for `stall` seconds."""
    IDLE = "idle"
    """The worker has nothing left to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long to wait, in seconds, and for how much."""

    timeout: float
    stall: float
    poll: float
    observations: int
    """Observations that were queued for each session, in all."""

    def __post_init__(self) -> None:
        for name in ("timeout", "stall", "poll", "observations"):
            value: float = getattr(self, name)
            if not value > 0:
                raise ValueError(f"{name} must be above 0, not {value}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionProgress:
    """How far one session is."""

    session: str
    rows: int = 0
    """Rows of the session that can be read back."""
    stored: int | None = None
    """Posted observations that became rows; None where the worker cannot say."""
    queued: int | None = None
    """Observations still in the session's queue; None where the worker cannot say."""
    complete: bool = False
    """Whether everything posted for the session has become rows."""
    searchable: bool | None = None
    """Whether search finds its newest row; None where that was not asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look at the worker."""

    idle: bool
    queue_depth: int
    sessions: tuple[SessionProgress, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A session without what was waited for."""

    session: str
    rows: int
    cause: Cause


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitReport:
    """How a wait went.

    As text it says what is missing, what that looks like, and what to do.
    """

    project: str
    sessions: tuple[SessionProgress, ...]
    elapsed_s: float
    """Seconds from the start of the wait to its last look."""
    limit: Limit | None = None
    """The limit that ended it; None for a wait that got what it waited for."""
    missing: tuple[Missing, ...] = ()

    def __str__(self) -> str:
        head = (
            f"{len(self.sessions) - len(self.missing)} of {len(self.sessions)} "
            f"sessions of project {self.project!r} are ready after "
            f"{self.elapsed_s:.1f} s"
        )
        if self.limit is None:
            return head
        lines = [f"{head}; {_ENDED[self.limit]}."]
        for cause in Cause:
            names = [f"{m.session!r}" for m in self.missing if m.cause is cause]
            if names:
                shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
                lines.append(f"It looks {_LOOKS[cause]} ({len(names)}: {shown}).")
        return " ".join(lines)


_ENDED: Mapping[Limit, str] = {
    Limit.TOTAL: "the time is up",
    Limit.STALL: "nothing changed for too long",
    Limit.IDLE: "the worker has nothing left to do",
}

_LOOKS: Mapping[Cause, str] = {
    Cause.DROPPED: (
        "dropped: the worker stored nothing for what it took, so its model found "
        "nothing worth keeping or failed; post again with a higher attempt"
    ),
    Cause.PARKED: (
        "parked: the worker waits after a failed model call and does not try again by "
        "itself; post to the same session to wake it"
    ),
    Cause.STALLED: (
        "stalled: nothing moves and the worker's log does not say why, so its model is "
        "slow or has failed; wait longer, or post to the same session"
    ),
    Cause.COOLDOWN: (
        "like a quota cooldown: the worker makes no model calls for up to 30 minutes; "
        "wait, or see quota-cooldown.json in its data directory"
    ),
    Cause.RESTARTED: (
        "restarted: another worker process answers now and the queue may be lost; "
        "post again"
    ),
    Cause.INDEX_BEHIND: (
        "as if the vector index is behind: the rows are stored but search does not "
        "find them yet; wait longer"
    ),
    Cause.WORKING: "unfinished: the worker is still busy; wait longer",
}


def is_complete(progress: SessionProgress, *, idle: bool, observations: int) -> bool:
    """Return whether everything posted for a session has become rows.

    One observation's rows are stored together, so a single observation needs nothing
    but a row.  For several, the worker's own word per session decides where it has
    one; elsewhere it must have at least as many rows and nothing left to do.

    Example:
        >>> row = SessionProgress(session="s1", rows=1)
        >>> is_complete(row, idle=False, observations=1)
        True
        >>> is_complete(row, idle=True, observations=2)
        False
    """
    if progress.stored is not None:
        return progress.rows > 0 and progress.stored >= observations
    if progress.rows < observations:
        return False
    if progress.queued is not None:
        return progress.queued == 0
    return idle or observations == 1


def is_ready(progress: SessionProgress) -> bool:
    """Return whether a session is stored and, where asked, found by search."""
    return progress.complete and progress.searchable is not False


def limit_reached(
    look: Look, limits: Limits, *, elapsed: float, unchanged: float, idle_looks: int
) -> Limit | None:
    """Return the limit that a wait has reached, if any.

    An index that lags behind gives no sign of progress, so only the total limit ends a
    wait for it.
    """
    if not all(progress.complete for progress in look.sessions):
        if idle_looks >= IDLE_LOOKS:
            return Limit.IDLE
        if unchanged >= limits.stall:
            return Limit.STALL
    return Limit.TOTAL if elapsed >= limits.timeout else None


def logged_cause(log: str) -> Cause | None:
    """Return why a queue stands still, as far as the worker's log tells.

    Example:
        >>> logged_cause("... Generator paused for quota; preserving buffered work")
        <Cause.COOLDOWN: 'cooldown'>
    """
    if "quota cooldown is active" in log or "Generator paused for quota" in log:
        return Cause.COOLDOWN
    return Cause.PARKED if "Generator paused for" in log else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cooldown:
    """What a worker's log tells of a cooldown of its model's quota.

    The log's times carry no zone: they are taken for this machine's.
    """

    told: datetime
    """When that was written."""
    until: datetime
    """When the worker calls its model again."""


def logged_cooldown(log: str) -> Cooldown | None:
    """Return the cooldown that a worker's log tells of last, over or not.

    Example:
        >>> line = "[2026-01-02 03:04:05.000] [WARN ] Generator paused for quota"
        >>> str(logged_cooldown(line).until)[:19]
        '2026-01-02 03:34:05'
    """
    found = [*_COOLING.finditer(log)]
    if not found:
        return None
    try:
        told = datetime.fromisoformat(found[-1]["at"]).astimezone()
        left = found[-1]["left"]
        rest = QUOTA_COOLDOWN if left is None else timedelta(milliseconds=int(left))
        return Cooldown(told=told, until=told + rest)
    except (ValueError, OverflowError):
        return None


def has_restarted(before: Health, now: Health, elapsed: float) -> bool:
    """Return whether another process answers than `elapsed` seconds ago.

    In a container every worker may have the same process id, so its uptime must have
    grown too, by half the time at least: it is told in whole seconds or, by old
    workers, in milliseconds.

    Example:
        >>> start = Health(status="ok", pid=1, uptime=500)
        >>> has_restarted(start, Health(status="ok", pid=1, uptime=620), 120.0)
        False
        >>> has_restarted(start, Health(status="ok", pid=1, uptime=60), 120.0)
        True
    """
    if None not in (before.pid, now.pid) and before.pid != now.pid:
        return True
    if before.uptime is None or now.uptime is None:
        return False
    return now.uptime - before.uptime + 1 < elapsed / 2


def cause_of(limit: Limit, *, restarted: bool, logged: Cause | None) -> Cause:
    """Return what unstored sessions look like at the end of a wait."""
    if restarted:
        return Cause.RESTARTED
    match limit:
        case Limit.IDLE:
            return Cause.DROPPED
        case Limit.STALL:
            return logged or Cause.STALLED
        case Limit.TOTAL:
            return Cause.WORKING
        case _:
            assert_never(limit)


def missing_from(look: Look, cause: Cause) -> tuple[Missing, ...]:
    """Return the sessions that are not ready, with what each looks like."""
    return tuple(
        Missing(
            session=progress.session,
            rows=progress.rows,
            cause=Cause.INDEX_BEHIND if progress.complete else cause,
        )
        for progress in look.sessions
        if not is_ready(progress)
    )
