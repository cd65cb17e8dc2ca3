"""Waits against `FakeWorker`, on both faces: no time passes outside its clock."""

from collections.abc import Callable, Sequence
from typing import Any

import httpx
import pytest
from cmem_client import (
    Cause,
    Limit,
    ServerError,
    WaitExpired,
    WaitReport,
    WorkerNotRunning,
)
from cmem_client.testing import VERSIONS, FakeWorker, Outcome

Connect = Callable[..., Any]


def post(caller: Any, *sessions: str, times: int = 1) -> None:
    for session in sessions:
        caller.init_session(session, "notes", f"Talk {session}")
        for number in range(times):
            text = f"Ann likes tea, said in {session}, part {number}."
            assert caller.queue_observation(session, "Read", {}, text).queued


def expiry(caller: Any, sessions: Sequence[str], **options: Any) -> WaitReport:
    with pytest.raises(WaitExpired) as caught:
        caller.wait_for_processing("notes", sessions, **options)
    assert str(caught.value) == str(caught.value.report)
    return caught.value.report


def causes(report: WaitReport) -> dict[str, Cause]:
    return {missing.session: missing.cause for missing in report.missing}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_wait_ends_when_the_rows_have_arrived(connect: Connect, version: str) -> None:
    caller = connect(FakeWorker(version, looks=3))
    post(caller, "s1", "s2")

    report = caller.wait_for_processing("notes", ["s1", "s2", "s1"])

    assert [(p.session, p.rows, p.complete) for p in report.sessions] == [
        ("s1", 1, True),
        ("s2", 1, True),
    ]
    assert (report.limit, report.missing) == (None, ())
    assert caller.count_observations("notes") == 2


def test_it_looks_every_two_seconds(connect: Connect) -> None:
    caller = connect(FakeWorker(looks=4, latency_s=0))
    post(caller, "s1")

    assert caller.wait_for_processing("notes", ["s1"]).elapsed_s == 6  # 3 pauses

    post(caller, "s2")

    assert caller.wait_for_processing("notes", ["s2"], poll=0.5).elapsed_s == 1.5


def test_the_last_pause_does_not_outlast_the_time(connect: Connect) -> None:
    caller = connect(FakeWorker(looks=99, latency_s=0))
    post(caller, "s1")

    report = expiry(caller, ["s1"], timeout=5, poll=4)

    assert (report.elapsed_s, report.limit) == (5, Limit.TOTAL)
    assert causes(report) == {"s1": Cause.WORKING}


@pytest.mark.parametrize("version", VERSIONS)
def test_an_idle_worker_without_the_rows_has_dropped_them(
    connect: Connect, version: str
) -> None:
    caller = connect(FakeWorker(version, outcomes=[Outcome.DROPPED]))
    post(caller, "s1", "s2")

    report = expiry(caller, ["s1", "s2"])

    assert caller.processing_status().idle
    assert report.limit is Limit.IDLE
    assert causes(report) == {"s1": Cause.DROPPED}
    assert report.elapsed_s < 10


@pytest.mark.parametrize("version", ["13.4.0", "13.25.3"])
def test_a_dropped_observation_is_taken_again_only_under_a_new_name(
    connect: Connect, version: str
) -> None:
    worker = FakeWorker(version, outcomes=[Outcome.DROPPED])
    caller = connect(worker)
    caller.init_session("s1", "notes", "Talk")

    def attempt(number: int) -> int:
        caller.queue_observation("s1", "Read", {}, "Tea.", attempt=number)
        for _ in range(3):
            caller.processing_status()
        count = caller.count_observations("notes")
        assert isinstance(count, int)
        return count

    assert [attempt(1), attempt(1), attempt(2), attempt(2)] == [0, 0, 1, 1]


def test_a_queue_that_stands_still_looks_parked(connect: Connect) -> None:
    caller = connect(FakeWorker(outcomes=[Outcome.PARKED]))
    post(caller, "s1")

    report = expiry(caller, ["s1"], stall=60)

    assert report.limit is Limit.STALL
    assert causes(report) == {"s1": Cause.PARKED}
    assert 60 <= report.elapsed_s < 70


def test_a_parked_session_is_woken_by_its_next_post(connect: Connect) -> None:
    caller = connect(FakeWorker(outcomes=[Outcome.PARKED]))
    post(caller, "s1")
    expiry(caller, ["s1"])

    caller.queue_observation("s1", "Read", {}, "More.")

    report = caller.wait_for_processing("notes", ["s1"], observations=2)
    assert report.sessions[0].rows == 2


def test_a_quota_that_is_used_up_looks_like_a_cooldown(connect: Connect) -> None:
    worker = FakeWorker(outcomes=[Outcome.COOLDOWN])
    caller = connect(worker)
    post(caller, "s1", "s2")

    report = expiry(caller, ["s1", "s2"])

    assert causes(report) == {"s1": Cause.COOLDOWN, "s2": Cause.COOLDOWN}
    assert worker.cooldown

    worker.cooldown = False

    assert caller.wait_for_processing("notes", ["s1", "s2"]).missing == ()


@pytest.mark.parametrize("version", ["10.6.3", "13.4.0"])
def test_an_older_worker_gives_up_where_a_newer_one_parks(
    connect: Connect, version: str
) -> None:
    outcomes = [Outcome.PARKED, Outcome.COOLDOWN]
    worker = FakeWorker(version, outcomes=outcomes)
    caller = connect(worker)
    post(caller, "s1", "s2")

    report = expiry(caller, ["s1", "s2"])

    assert causes(report) == {"s1": Cause.DROPPED, "s2": Cause.DROPPED}
    assert not worker.cooldown


class RestartsAt:
    """A worker that starts anew when it is looked at for the n-th time."""

    def __init__(self, worker: FakeWorker, look: int) -> None:
        self.worker = worker
        self.looks_left = look

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/processing-status":
            self.looks_left -= 1
            if self.looks_left == 0:
                self.worker.restart()
        return self.worker(request)


def test_a_worker_that_lost_its_queue_has_restarted(connect: Connect) -> None:
    worker = FakeWorker(looks=9)
    caller = connect(
        transport=httpx.MockTransport(RestartsAt(worker, 2)),
        clock=worker.client()._clock,
        sleep=sleeper(worker, connect),
    )
    post(caller, "s1")

    report = expiry(caller, ["s1"])

    assert causes(report) == {"s1": Cause.RESTARTED}


def sleeper(worker: FakeWorker, connect: Connect) -> Any:
    """Return the sleep of the face under test, on the worker's clock."""
    return connect(worker).client._sleep


def test_a_look_that_gets_lost_is_no_news(connect: Connect) -> None:
    worker = FakeWorker(looks=3, outcomes=[Outcome.STORED])
    broken = iter([httpx.ReadError, None, httpx.ReadTimeout, None])

    def flaky(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/processing-status":
            error = next(broken, None)
            if error is not None:
                raise error("it broke", request=request)
        return worker(request)

    caller = connect(
        transport=httpx.MockTransport(flaky),
        clock=worker.client()._clock,
        sleep=sleeper(worker, connect),
    )
    post(caller, "s1")

    assert caller.wait_for_processing("notes", ["s1"]).sessions[0].rows == 1


def test_a_worker_that_is_gone_ends_the_wait(connect: Connect) -> None:
    worker = FakeWorker()
    caller = connect(worker)
    post(caller, "s1")
    worker.stop()

    with pytest.raises(WorkerNotRunning):
        caller.wait_for_processing("notes", ["s1"])


def test_a_worker_that_fails_ends_the_wait(connect: Connect) -> None:
    worker = FakeWorker()

    def failing(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/stats":
            return httpx.Response(500, json={"error": "no such table"})
        return worker(request)

    with pytest.raises(ServerError, match="no such table"):
        connect(transport=httpx.MockTransport(failing)).wait_for_processing(
            "notes", ["s1"]
        )


def test_a_client_reads_the_cooldown_in_the_log(connect: Connect) -> None:
    line = "[2026-01-02 03:04:05.000] [WARN ] Generator paused for quota; waiting"

    def logs(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/api/logs"
        return httpx.Response(200, json={"logs": line})

    found = connect(transport=httpx.MockTransport(logs)).cooldown()

    assert f"{found.until:%H:%M:%S}" == "03:34:05"


def test_a_worker_that_keeps_its_log_to_itself_looks_stalled(connect: Connect) -> None:
    worker = FakeWorker(outcomes=[Outcome.COOLDOWN])

    def silent(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/logs":
            return httpx.Response(404, html="<pre>Cannot GET /api/logs</pre>")
        return worker(request)

    caller = connect(
        transport=httpx.MockTransport(silent),
        clock=worker.client()._clock,
        sleep=sleeper(worker, connect),
    )
    post(caller, "s1")

    assert causes(expiry(caller, ["s1"])) == {"s1": Cause.STALLED}


# -- several observations per session --------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_several_observations_of_a_session_are_all_waited_for(
    connect: Connect, version: str
) -> None:
    caller = connect(FakeWorker(version, looks=2))
    post(caller, "s1", times=3)

    report = caller.wait_for_processing("notes", ["s1"], observations=3)

    assert report.sessions[0].rows == 3


@pytest.mark.parametrize("version", VERSIONS)
def test_one_dropped_observation_among_several_is_noticed(
    connect: Connect, version: str
) -> None:
    caller = connect(FakeWorker(version, outcomes=[Outcome.STORED, Outcome.DROPPED]))
    post(caller, "s1", times=2)

    report = expiry(caller, ["s1"], observations=2)

    assert [(m.session, m.rows, m.cause) for m in report.missing] == [
        ("s1", 1, Cause.DROPPED)
    ]


def test_the_rows_of_one_observation_do_not_hide_that_another_was_dropped(
    connect: Connect,
) -> None:
    worker = FakeWorker(
        outcomes=[Outcome.STORED, Outcome.DROPPED],
        compress=lambda text: (f"{text} one", f"{text} two"),
    )
    caller = connect(worker)
    post(caller, "s1", times=2)

    report = expiry(caller, ["s1"], observations=2)

    assert (report.sessions[0].rows, report.sessions[0].stored) == (2, 1)


@pytest.mark.parametrize(
    ("version", "stored", "queued"),
    [("10.6.3", None, None), ("13.4.0", None, 0), ("13.25.3", 1, None)],
)
def test_each_version_is_asked_in_the_way_it_knows(
    connect: Connect, version: str, stored: int | None, queued: int | None
) -> None:
    caller = connect(FakeWorker(version))
    post(caller, "s1")

    (progress,) = caller.wait_for_processing("notes", ["s1"]).sessions

    assert (progress.stored, progress.queued) == (stored, queued)


def test_a_route_that_is_absent_is_asked_for_once(connect: Connect) -> None:
    worker = FakeWorker("10.6.3", looks=2)
    caller = connect(worker)
    post(caller, "s1", "s2", times=2)

    caller.wait_for_processing("notes", ["s1", "s2"], observations=2)

    paths = [request.url.path for request in worker.requests]
    assert paths.count("/api/tool-uses") == 1
    assert paths.count("/api/sessions/status") == 1


def test_rows_are_read_again_only_when_their_number_changed(connect: Connect) -> None:
    worker = FakeWorker(looks=5)
    caller = connect(worker)
    post(caller, "s1")

    caller.wait_for_processing("notes", ["s1"])

    paths = [request.url.path for request in worker.requests]
    assert paths.count("/api/processing-status") == 5
    assert paths.count("/api/observations") == 2


def test_observations_that_were_posted_without_a_name_are_counted_by_rows(
    connect: Connect,
) -> None:
    worker = FakeWorker()
    caller = connect(worker)
    caller.init_session("s1", "notes", "Talk")
    body = {"contentSessionId": "s1", "tool_name": "Read", "tool_response": "Tea."}
    httpx.Client(transport=worker.transport()).post(
        "http://localhost:37777/api/sessions/observations", json=body
    )

    (progress,) = caller.wait_for_processing("notes", ["s1"]).sessions

    assert (progress.rows, progress.stored) == (1, None)


# -- the index -------------------------------------------------------------------------


def test_a_wait_for_search_ends_when_the_newest_row_is_found(connect: Connect) -> None:
    caller = connect(FakeWorker(vectors=True, index_lag=5))
    post(caller, "s1")

    assert caller.wait_for_processing("notes", ["s1"]).sessions[0].searchable is None
    assert caller.search("tea", "notes").hits == ()

    report = caller.wait_for_processing("notes", ["s1"], searchable=True)

    assert report.sessions[0].searchable is True
    assert len(caller.search("tea", "notes").hits) == 1


def test_an_index_that_lags_is_waited_for_beyond_the_stall_limit(
    connect: Connect,
) -> None:
    caller = connect(FakeWorker(vectors=True, index_lag=999))
    post(caller, "s1")

    report = expiry(caller, ["s1"], searchable=True, stall=10, timeout=100)

    assert report.limit is Limit.TOTAL
    assert causes(report) == {"s1": Cause.INDEX_BEHIND}


@pytest.mark.parametrize("version", VERSIONS)
def test_without_vectors_search_is_not_asked(connect: Connect, version: str) -> None:
    worker = FakeWorker(version)
    caller = connect(worker)
    post(caller, "s1")

    report = caller.wait_for_processing("notes", ["s1"], searchable=True)

    assert report.sessions[0].searchable is None
    assert "/api/search" not in {request.url.path for request in worker.requests}


def test_a_row_without_words_cannot_be_searched_for(connect: Connect) -> None:
    caller = connect(FakeWorker(vectors=True, compress=lambda _: ("",)))
    post(caller, "s1")

    report = caller.wait_for_processing("notes", ["s1"], searchable=True)

    assert report.sessions[0].searchable is None
