"""Looking at the worker until the rows of some sessions have arrived."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from ._endpoints import (
    health,
    named,
    processing_status,
    search,
    session_status,
    vector_index,
)
from ._errors import CmemError, ConnectionLost, RouteMissing, TimedOut, WaitExpired
from ._listing import count_observations, observations_by_session
from ._models import Health, Logs, Observation, ToolUses
from ._replies import ask
from ._waiting import (
    Cause,
    Cooldown,
    Limit,
    Limits,
    Look,
    SessionProgress,
    WaitReport,
    cause_of,
    has_restarted,
    is_complete,
    is_ready,
    limit_reached,
    logged_cause,
    logged_cooldown,
    missing_from,
)
from ._wire import Flow, get

_LOG_LINES = 200
_TOOL_USES = 1_000
_PROBE_CHARS = 500
_PROBE_HITS = 50


def _stored_uses(session: str) -> Flow[int | None]:
    """Count a session's observations that became rows; None if none was named."""
    answer = yield from ask(
        get("/api/tool-uses", contentSessionId=session, limit=_TOOL_USES), ToolUses
    )
    if not answer.tool_uses:
        return None
    return len({u.tool_use_id for u in answer.tool_uses if u.observation_id})


def _probe_text(row: Observation) -> str:
    text = row.narrative or row.title or row.text or ""
    return text.strip()[:_PROBE_CHARS]


class _Watch:
    """What one wait remembers between looks."""

    def __init__(
        self, project: str, sessions: Sequence[str], observations: int
    ) -> None:
        self.project = project
        self.observations = observations
        self.vectors = False
        self._progress = {name: SessionProgress(session=name) for name in sessions}
        self._rows: dict[str | None, tuple[Observation, ...]] = {}
        self._count: int | None = None
        self._has_uses = True
        self._has_status = True

    def blank(self) -> Look:
        """Return the look before the first."""
        return Look(idle=False, queue_depth=0, sessions=tuple(self._progress.values()))

    def look(self, after_s: float) -> Flow[Look]:
        # the status comes first: what it calls done is in the rows read after it
        status = yield from processing_status(after_s=after_s)
        count = yield from count_observations()
        if count != self._count:
            self._rows = yield from observations_by_session(self.project)
            self._count = count
        for name, known in self._progress.items():
            if not is_ready(known):
                self._progress[name] = yield from self._examine(name, idle=status.idle)
        return Look(
            idle=status.idle,
            queue_depth=status.queue_depth,
            sessions=tuple(self._progress.values()),
        )

    def _examine(self, session: str, *, idle: bool) -> Flow[SessionProgress]:
        rows = self._rows.get(session, ())
        progress = SessionProgress(session=session, rows=len(rows))
        if not rows:
            return progress
        progress = yield from self._with_evidence(progress)
        if not is_complete(progress, idle=idle, observations=self.observations):
            return progress
        found = (yield from self._is_found(rows)) if self.vectors else None
        return replace(progress, complete=True, searchable=found)

    def _with_evidence(self, progress: SessionProgress) -> Flow[SessionProgress]:
        """Add the worker's own word on a session, from the routes that it has."""
        session = progress.session
        if self._has_uses:
            try:
                stored = yield from _stored_uses(session)
            except RouteMissing:
                self._has_uses = False
            else:
                return replace(progress, stored=stored)
        if self._has_status:
            try:
                status = yield from session_status(session)
            except RouteMissing:
                self._has_status = False
            else:
                return replace(progress, queued=status.queue_length)
        return progress

    def _is_found(self, rows: Sequence[Observation]) -> Flow[bool | None]:
        """Search for the newest row by its own words; None if it has none."""
        newest = max(rows, key=lambda row: row.id)
        text = _probe_text(newest)
        if not text:
            return None
        result = yield from search(text, self.project, _PROBE_HITS)
        return newest.id in {hit.id for hit in result.hits}


def _log() -> Flow[str]:
    answer = yield from ask(get("/api/logs", lines=_LOG_LINES), Logs)
    return answer.logs


def cooldown() -> Flow[Cooldown | None]:
    """Ask the worker's log for the last cooldown of its model's quota."""
    return logged_cooldown((yield from _log()))


def _has_vectors() -> Flow[bool]:
    try:
        index = yield from vector_index()
    except RouteMissing:
        return False
    return index.healthy


def _why(limit: Limit, before: Health, elapsed: float) -> Flow[Cause]:
    """Ask the worker for signs of what went wrong; silence is no sign."""
    restarted, logged = False, None
    with suppress(CmemError):
        restarted = has_restarted(before, (yield from health()), elapsed)
        if limit is Limit.STALL:
            logged = logged_cause((yield from _log()))
    return cause_of(limit, restarted=restarted, logged=logged)


def wait_for_processing(
    project: str,
    sessions: Sequence[str],
    limits: Limits,
    *,
    searchable: bool,
    clock: Callable[[], float],
) -> Flow[WaitReport]:
    """Look until every session's rows have arrived.

    Raises:
        WaitExpired: A limit was reached first.
    """
    if not sessions:
        raise ValueError("sessions must not be empty: there is nothing to wait for")
    for name in sessions:
        named("session", name)
    watch = _Watch(named("project", project), sessions, limits.observations)
    started = changed = clock()
    before = yield from health()
    watch.vectors = searchable and (yield from _has_vectors())
    last, idle_looks, after_s = watch.blank(), 0, 0.0
    while True:
        try:
            look = yield from watch.look(after_s)
        except (ConnectionLost, TimedOut):
            look = replace(last, idle=False)  # one lost look is no news
        now = clock()
        idle_looks = idle_looks + 1 if look.idle else 0
        if look != last:
            changed = now
        elapsed, last = now - started, look
        report = WaitReport(project=project, sessions=look.sessions, elapsed_s=elapsed)
        if all(map(is_ready, look.sessions)):
            return report
        limit = limit_reached(
            look,
            limits,
            elapsed=elapsed,
            unchanged=now - changed,
            idle_looks=idle_looks,
        )
        if limit is not None:
            cause = yield from _why(limit, before, elapsed)
            missing = missing_from(look, cause)
            raise WaitExpired(replace(report, limit=limit, missing=missing))
        after_s = min(limits.poll, limits.timeout - elapsed)
