"""Is this worker fit for a run? What can be seen in seconds, without its model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from cmem_client import (
    Client,
    CmemError,
    Cooldown,
    Health,
    ProtocolError,
    RouteMissing,
    ServerError,
    TimedOut,
)

from locomo_run.claude_mem.canary import SAMPLE, START
from locomo_run.claude_mem.checks import Check, failed, passed, warned
from locomo_run.claude_mem.mode import active_mode, check_mode
from locomo_run.claude_mem.naming import project_name
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.claude_mem.ownership import foreign_projects, foreign_warning
from locomo_run.claude_mem.provider import check_model, check_quota
from locomo_run.claude_mem.settings import WorkerSettings

SLOW = "see what keeps the worker busy, and try again once it answers at once"
PROBE_TITLE = "Smoke test of locomo-run"
PROBE = "The kingfisher of the smoke test sat on a green bollard."
PROBE_QUERY = "green bollard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen of a worker without writing to it."""

    checks: tuple[Check, ...]
    answers: bool = True
    foreign: tuple[str, ...] | None = None
    """The projects that no run of the namespace has made; None if not known."""


def check_worker(
    client: Client,
    options: ClaudeMemOptions,
    settings: WorkerSettings | None,
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Seen:
    """Look at a worker, reading only; ends early if it does not answer.

    Args:
        client: The worker, with a budget of time for all of the checks; what comes
            after it is over fails unseen.
        options: How a run would use it.
        settings: What its files say, where they can be read.
        now: The time, for a cooldown.
    """
    try:
        health = client.health()
    except CmemError as error:
        return Seen(checks=(_broken("worker", error),), answers=False)
    checks = [
        passed("worker", f"answers at {client.connection}"),
        _process(health),
        check_model(health, settings),
        *check_quota(health, settings, _cooldown(client, settings), now()),
        _tried("vector search", lambda: _vectors(client)),
    ]
    try:
        foreign = foreign_projects(client.projects(), options.namespace)
    except CmemError as error:
        return Seen(checks=(*checks, _broken("projects", error)))
    return Seen(checks=(*checks, _projects(foreign)), foreign=foreign)


def check_storing(
    client: Client,
    options: ClaudeMemOptions,
    settings: WorkerSettings | None,
    *,
    write: bool,
) -> Iterator[Check]:
    """Store a row and find it, if that is allowed, and see which mode is told there."""
    if write:
        yield _tried("search", lambda: _search(client, options))
    else:
        yield not_tried("search", "it would store a row")
    yield check_mode(_told_mode(client, options), settings)


def not_tried(name: str, why: str) -> Check:
    """Say that a check was left out, since it writes to somebody's own memory."""
    return warned(
        name,
        f"not tried: {why} in a worker that holds other projects, or that does not "
        "tell which it holds",
        "evaluate with a worker that has a data directory of its own, or say --yes",
    )


def _tried(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except CmemError as error:
        return _broken(name, error)


def _broken(name: str, error: CmemError) -> Check:
    if isinstance(error, TimedOut):
        return failed(name, f"no answer in time: {error}", SLOW)
    return failed(name, str(error), START)


def _process(health: Health) -> Check:
    if health.initialized is False:
        return warned("process", f"{_named(health)} is still starting", "try again")
    return passed("process", _named(health))


def _named(health: Health) -> str:
    return f"version {health.version or 'unknown'}, pid {health.pid or 'unknown'}"


def _cooldown(client: Client, settings: WorkerSettings | None) -> Cooldown | None:
    """Ask the worker's log where its files do not tell."""
    if settings is None:
        with suppress(CmemError):
            return client.cooldown()
    return None


def _vectors(client: Client) -> Check:
    name = "vector search"
    try:
        index = client.vector_index()
    except RouteMissing:
        return warned(
            name,
            "this worker is too old to have any; without it, it finds nothing",
            "use a worker of version 13 or later",
        )
    if index.healthy:
        return passed(name, "works")
    return warned(
        name,
        f"{index.status}; questions are searched keyword by keyword",
        "see the guide on claude-mem for vector search; it is healthy some 15 s after "
        "the worker's start at the earliest",
    )


def _projects(foreign: Sequence[str]) -> Check:
    if foreign:
        return warned(
            "projects",
            foreign_warning(foreign),
            "this command, `locomo-run ingest` and `locomo-run run` ask before they "
            "write to it",
        )
    return passed("projects", "none but those of this namespace")


def _search(client: Client, options: ClaudeMemOptions) -> Check:
    """Store a row without a model, find it, and find it nowhere else."""
    name, project = "search", project_name(options.namespace, SAMPLE)
    with suppress(ServerError):  # an old worker may have stored it: the search tells
        client.save_memory(PROBE, project, title=PROBE_TITLE)
    elsewhere = project_name(options.namespace, f"{SAMPLE}-empty")
    try:
        found = client.search(PROBE_QUERY, project, 5).hits
        stray = client.search(PROBE_QUERY, elsewhere, 5).hits
    except ProtocolError as error:
        return failed(name, str(error), "a run would read other projects' memories")
    if stray:
        return failed(
            name,
            f"project {elsewhere!r} has hits although nothing was stored in it",
            "a run would read other projects' memories",
        )
    if not any(row.title == PROBE_TITLE for row in found):
        return warned(
            name,
            "a row that was just stored is not found yet",
            "normal within minutes where search goes by vectors: their index lags "
            "behind; elsewhere it means that search does not work",
        )
    return passed(name, "finds a stored row, and only in its project")


def _told_mode(client: Client, options: ClaudeMemOptions) -> str | None:
    """Ask for the mode where the search has just stored a row."""
    with suppress(CmemError):
        return active_mode(
            client.session_context(project_name(options.namespace, SAMPLE))
        )
    return None
