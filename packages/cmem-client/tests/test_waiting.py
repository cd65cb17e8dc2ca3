from typing import Any

import pytest
from cmem_client import Cause, Health, Limit, Missing, SessionProgress, WaitReport
from cmem_client._waiting import (
    Limits,
    Look,
    cause_of,
    has_restarted,
    is_complete,
    is_ready,
    limit_reached,
    logged_cause,
    logged_cooldown,
    missing_from,
)
from hypothesis import given
from hypothesis import strategies as st

LIMITS = Limits(timeout=180, stall=60, poll=2, observations=1)


def look(*sessions: SessionProgress, idle: bool = False) -> Look:
    return Look(idle=idle, queue_depth=0, sessions=sessions)


STORED = SessionProgress(session="s1", rows=1, complete=True)
UNFOUND = SessionProgress(session="s2", rows=1, complete=True, searchable=False)
EMPTY = SessionProgress(session="s3")


@pytest.mark.parametrize(
    ("rows", "stored", "queued", "idle", "observations", "expected"),
    [
        # one observation: its rows are stored together
        (0, None, None, True, 1, False),
        (1, None, None, False, 1, True),
        (3, None, None, False, 1, True),
        # several, and a worker that says nothing per session
        (1, None, None, True, 2, False),
        (3, None, None, False, 2, False),
        (3, None, None, True, 2, True),
        # several, and a worker that counts what became rows
        (3, 1, None, True, 2, False),
        (3, 2, None, False, 2, True),
        (1, 2, None, False, 2, True),  # two of the same wording became one row
        (0, 1, None, True, 1, False),
        # several, and a worker that tells the session's queue
        (3, None, 1, False, 2, False),
        (3, None, 0, False, 2, True),
        (1, None, 0, True, 2, False),
        (1, None, 1, False, 1, False),
    ],
)
def test_a_session_is_complete_when_all_that_was_posted_became_rows(
    rows: int,
    stored: int | None,
    queued: int | None,
    idle: bool,
    observations: int,
    expected: bool,
) -> None:
    progress = SessionProgress(session="s", rows=rows, stored=stored, queued=queued)

    assert is_complete(progress, idle=idle, observations=observations) is expected


@given(
    stored=st.none() | st.integers(0, 3),
    queued=st.none() | st.integers(0, 3),
    idle=st.booleans(),
    observations=st.integers(1, 3),
)
def test_a_session_without_rows_is_never_complete(
    stored: int | None, queued: int | None, idle: bool, observations: int
) -> None:
    progress = SessionProgress(session="s", stored=stored, queued=queued)

    assert not is_complete(progress, idle=idle, observations=observations)


@pytest.mark.parametrize(
    ("progress", "ready"), [(STORED, True), (UNFOUND, False), (EMPTY, False)]
)
def test_ready_is_stored_and_not_known_to_be_unfound(
    progress: SessionProgress, ready: bool
) -> None:
    assert is_ready(progress) is ready


@pytest.mark.parametrize(
    ("seen", "elapsed", "unchanged", "idle_looks", "expected"),
    [
        (look(EMPTY), 179, 59, 1, None),
        (look(EMPTY), 10, 10, 2, Limit.IDLE),
        (look(EMPTY), 100, 60, 0, Limit.STALL),
        (look(EMPTY), 180, 0, 0, Limit.TOTAL),
        (look(STORED, EMPTY), 100, 60, 0, Limit.STALL),
        (look(STORED, UNFOUND), 170, 170, 9, None),
        (look(STORED, UNFOUND), 180, 180, 9, Limit.TOTAL),
    ],
)
def test_a_wait_ends_at_the_first_limit_it_reaches(
    seen: Look,
    elapsed: float,
    unchanged: float,
    idle_looks: int,
    expected: Limit | None,
) -> None:
    reached = limit_reached(
        seen, LIMITS, elapsed=elapsed, unchanged=unchanged, idle_looks=idle_looks
    )

    assert reached is expected


@pytest.mark.parametrize("name", ["timeout", "stall", "poll", "observations"])
@pytest.mark.parametrize("value", [0, -1, float("nan")])
def test_a_limit_must_be_above_0(name: str, value: float) -> None:
    values: dict[str, Any] = {"timeout": 1, "stall": 1, "poll": 1, "observations": 1}

    with pytest.raises(ValueError, match=f"{name} must be above 0"):
        Limits(**{**values, name: value})


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        ("", None),
        ("[INFO] STORED | obsCount=3", None),
        ("Generator paused for transport; preserving buffered work", Cause.PARKED),
        ("Generator paused for auth; preserving buffered work", Cause.PARKED),
        ("Generator paused for quota; preserving buffered work", Cause.COOLDOWN),
        (
            "Generator paused for transport\nthe provider quota cooldown is active",
            Cause.COOLDOWN,
        ),
    ],
)
def test_the_log_tells_a_cooldown_from_a_parked_queue(
    log: str, cause: Cause | None
) -> None:
    assert logged_cause(log) is cause


@pytest.mark.parametrize(
    ("before", "now", "elapsed", "expected"),
    [
        ((7, 10), (7, 130), 120, False),
        ((7, 10), (8, 130), 120, True),
        ((7, 500), (7, 60), 120, True),
        ((7, 500_000), (7, 620_000), 120, False),  # milliseconds
        ((7, 500), (7, 500), 0.9, False),  # whole seconds
        ((7, None), (7, 60), 120, False),
        ((7, 500), (7, None), 120, False),
        ((None, None), (8, None), 120, False),
        ((7, None), (None, None), 120, False),
    ],
)
def test_another_process_or_a_younger_one_is_a_restart(
    before: tuple[int | None, float | None],
    now: tuple[int | None, float | None],
    elapsed: float,
    expected: bool,
) -> None:
    first, last = (
        Health(status="ok", pid=pid, uptime=uptime) for pid, uptime in (before, now)
    )

    assert has_restarted(first, last, elapsed) is expected


@pytest.mark.parametrize(
    ("limit", "restarted", "logged", "expected"),
    [
        (Limit.IDLE, False, None, Cause.DROPPED),
        (Limit.STALL, False, None, Cause.STALLED),
        (Limit.STALL, False, Cause.COOLDOWN, Cause.COOLDOWN),
        (Limit.TOTAL, False, None, Cause.WORKING),
        (Limit.IDLE, True, None, Cause.RESTARTED),
        (Limit.STALL, True, Cause.PARKED, Cause.RESTARTED),
    ],
)
def test_the_cause_follows_from_the_limit_and_the_signs(
    limit: Limit, restarted: bool, logged: Cause | None, expected: Cause
) -> None:
    assert cause_of(limit, restarted=restarted, logged=logged) is expected


def test_a_stored_session_that_is_not_found_waits_for_the_index() -> None:
    assert missing_from(look(STORED, UNFOUND, EMPTY), Cause.PARKED) == (
        Missing(session="s2", rows=1, cause=Cause.INDEX_BEHIND),
        Missing(session="s3", rows=0, cause=Cause.PARKED),
    )


def test_the_report_of_a_success_is_one_line() -> None:
    report = WaitReport(project="notes", sessions=(STORED,), elapsed_s=4.21)

    assert str(report) == "1 of 1 sessions of project 'notes' are ready after 4.2 s"


@pytest.mark.parametrize("cause", Cause)
def test_the_report_says_what_is_missing_what_it_looks_like_and_what_to_do(
    cause: Cause,
) -> None:
    names = [f"s{number}" for number in range(7)]
    report = WaitReport(
        project="notes",
        sessions=(STORED, *(SessionProgress(session=name) for name in names)),
        elapsed_s=180,
        limit=Limit.TOTAL,
        missing=tuple(Missing(session=name, rows=0, cause=cause) for name in names),
    )

    text = str(report)

    assert text.startswith(
        "1 of 8 sessions of project 'notes' are ready after 180.0 s; the time is up. "
        "It looks "
    )
    assert text.endswith(" (7: 's0', 's1', 's2', 's3', 's4', …).")
    assert "; " in text.partition("It looks ")[2]


def test_names_in_a_report_are_escaped() -> None:
    report = WaitReport(
        project="a\x1b[2J",
        sessions=(EMPTY,),
        elapsed_s=1,
        limit=Limit.IDLE,
        missing=(Missing(session="s\n", rows=0, cause=Cause.DROPPED),),
    )

    assert str(report).isprintable()


SKIPPED = (
    "[2026-01-02 03:14:05.250] [WARN ] [SESSION] [session-4] Skipping generator start "
    "while the provider quota cooldown is active {source=init, provider=openrouter, "
    "window=rate_limit, probeInFlight=false, retryInMs=1200500}"
)
PAUSED = (
    "[2026-01-02 03:04:05.000] [WARN ] [SESSION] [session-3] Generator paused for "
    "quota; preserving buffered work {pendingCount=1}"
)


@pytest.mark.parametrize(
    ("log", "told", "until"),
    [
        (PAUSED, "03:04:05", "03:34:05"),
        (
            f"{PAUSED}\n{SKIPPED}\n[2026-01-02 03:15:00.000] more",
            "03:14:05",
            "03:34:05",
        ),
    ],
)
def test_the_last_line_about_a_cooldown_tells_its_end(
    log: str, told: str, until: str
) -> None:
    found = logged_cooldown(log)

    assert found is not None
    assert f"{found.told:%H:%M:%S}" == told
    assert f"{found.until:%H:%M:%S}" == until
    assert found.until.tzinfo is not None


@pytest.mark.parametrize(
    "log",
    [
        "",
        "quota cooldown is active {retryInMs=5}",
        PAUSED.replace("quota", "transport"),
        PAUSED.replace("01-02", "13-45"),
        SKIPPED.replace("1200500", "9" * 30),
    ],
)
def test_a_log_without_a_readable_end_tells_of_no_cooldown(log: str) -> None:
    assert logged_cooldown(log) is None
