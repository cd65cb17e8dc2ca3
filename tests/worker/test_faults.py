"""What the worker makes of a model that fails: nothing, mostly without a word."""

import os
import signal

import pytest

from .calls import (
    IDLE,
    TRANSCRIPT,
    observe,
    open_session,
    post,
    rows,
    status,
    wait_for,
    wait_until_idle,
)
from .conftest import RunWorker
from .installation import NEWEST, OLDER
from .real_worker import Worker
from .stub_llm import Behaviour, Kind, StubLlm

WAITING = {"isProcessing": True, "queueDepth": 1}
PARKED = "preserving buffered work"
"""What the newest worker logs when it parks a session."""
ATTEMPTS = 3


@pytest.mark.parametrize(
    "behaviour", [Behaviour.EMPTY, Behaviour.PROSE, Behaviour.GARBAGE]
)
def test_an_answer_without_observations_is_dropped_in_silence(
    worker: Worker, stub: StubLlm, behaviour: Behaviour
) -> None:
    project, session = f"dropped-{behaviour}", f"dropped-{behaviour}-s1"
    stub.behave(behaviour)
    post(worker, project, session)
    wait_until_idle(worker)
    assert rows(worker, project) == []

    stub.behave()
    observe(worker, session, TRANSCRIPT.replace("Pixel", "Comet"))
    wait_until_idle(worker)
    assert "Comet" in " ".join(row["narrative"] for row in rows(worker, project))


def test_the_newest_asks_again_about_what_got_an_empty_answer_but_only_with_more(
    run_worker: RunWorker, stub: StubLlm
) -> None:
    with run_worker(NEWEST) as worker:
        stub.behave(Behaviour.EMPTY)
        post(worker, "unanswered", "unanswered-s1")
        wait_until_idle(worker)
        stub.behave()
        observe(worker, "unanswered-s1", TRANSCRIPT.replace("Pixel", "Comet"))
        wait_until_idle(worker)

        first, second = stub.calls(Kind.OBSERVATION)[-1].transcripts
        assert "Pixel" in first
        assert "Comet" in second
        assert len(rows(worker, "unanswered")) == 3, "the blocks that are alike are one"


@pytest.mark.parametrize("version", [NEWEST, OLDER])
def test_a_fault_that_passes_is_tried_again_and_leaves_no_trace(
    run_worker: RunWorker, stub: StubLlm, version: str
) -> None:
    stub.behave(Behaviour.SERVER_ERROR, times=ATTEMPTS - 1)
    with run_worker(version) as worker:
        post(worker, "passing", "passing-s1")
        wait_until_idle(worker)

        assert len(rows(worker, "passing")) == 2
    answers = [call.behaviour for call in stub.calls(Kind.OBSERVATION)]
    assert answers == ["500", "500", "ok"]


@pytest.mark.parametrize(
    ("behaviour", "attempts"),
    [
        (Behaviour.UNAUTHORIZED, 1),
        (Behaviour.TOO_MANY_REQUESTS, ATTEMPTS),
        (Behaviour.SERVER_ERROR, ATTEMPTS),
    ],
)
def test_the_older_generation_drops_what_fails(
    run_worker: RunWorker, stub: StubLlm, behaviour: Behaviour, attempts: int
) -> None:
    stub.behave(behaviour)
    with run_worker(OLDER) as worker:
        post(worker, "failed", "failed-s1")
        wait_until_idle(worker)

        assert rows(worker, "failed") == []
    assert len(stub.calls(Kind.OBSERVATION)) == attempts


@pytest.mark.parametrize(
    ("behaviour", "attempts"),
    [(Behaviour.UNAUTHORIZED, 1), (Behaviour.SERVER_ERROR, ATTEMPTS)],
)
def test_the_newest_parks_a_session_until_its_next_post(
    run_worker: RunWorker, stub: StubLlm, behaviour: Behaviour, attempts: int
) -> None:
    stub.behave(behaviour)
    with run_worker(NEWEST) as worker:
        post(worker, "parked", "parked-s1")
        wait_for(lambda: PARKED in worker.log())
        assert status(worker) == WAITING
        assert rows(worker, "parked") == []
        assert len(stub.calls(Kind.OBSERVATION)) == attempts

        stub.behave()
        post(worker, "other", "other-s1")
        wait_for(lambda: rows(worker, "other"))
        assert rows(worker, "parked") == [], "another session's post revived it"

        observe(worker, "parked-s1", TRANSCRIPT.replace("Pixel", "Comet"))
        wait_until_idle(worker)
        told = " ".join(row["narrative"] for row in rows(worker, "parked"))
        assert "Pixel" in told
        assert "Comet" in told


def test_the_newest_parks_a_session_whose_model_is_too_slow(
    run_worker: RunWorker, stub: StubLlm
) -> None:
    stub.behave(delay=5.0, times=1)
    with run_worker(NEWEST, LLM_TIMEOUT_MS="500") as worker:
        post(worker, "slow", "slow-s1")
        wait_for(lambda: PARKED in worker.log())

        assert status(worker) == WAITING
        assert rows(worker, "slow") == []


def test_the_newest_parks_a_session_whose_opening_failed(
    run_worker: RunWorker, stub: StubLlm
) -> None:
    stub.behave(Behaviour.SERVER_ERROR, on=[Kind.OPENING])
    with run_worker(NEWEST) as worker:
        post(worker, "unopened", "unopened-s1")
        wait_for(lambda: PARKED in worker.log())

        assert status(worker) == WAITING
        assert rows(worker, "unopened") == []


def test_one_rate_limit_stops_the_newest_until_its_cooldown_file_is_gone(
    run_worker: RunWorker, stub: StubLlm
) -> None:
    stub.behave(Behaviour.TOO_MANY_REQUESTS)
    with run_worker(NEWEST) as worker:
        cooldown = worker.data_dir / "quota-cooldown.json"
        post(worker, "limited", "limited-s1")
        wait_for(cooldown.exists)
        stub.behave()
        post(worker, "limited", "limited-s2")
        wait_for(lambda: "quota cooldown is active" in worker.log())
        assert status(worker) == {"isProcessing": True, "queueDepth": 2}
        assert worker.http.get("/api/health").json()["status"] == "ok"

    stub.forget()
    with run_worker(NEWEST) as worker:
        assert status(worker) == IDLE, "the queue lives in memory alone"
        post(worker, "limited", "limited-s3")
        wait_for(lambda: worker.log().count("quota cooldown is active") > 1)
        assert stub.calls() == ()

    cooldown.unlink()
    (worker.data_dir / "observer-health.json").unlink()
    with run_worker(NEWEST) as worker:
        post(worker, "limited", "limited-s4")
        wait_until_idle(worker)
        assert len(rows(worker, "limited")) == 2


@pytest.mark.parametrize("version", [NEWEST, OLDER])
def test_a_killed_worker_loses_what_was_queued(
    run_worker: RunWorker, stub: StubLlm, version: str
) -> None:
    stub.behave(delay=60.0, times=1)
    with run_worker(version) as worker:
        post(worker, "lost", "lost-s1")
        wait_for(lambda: stub.calls(Kind.OBSERVATION))
        os.kill(worker.pid, signal.SIGKILL)

    with run_worker(version) as worker:
        open_session(worker, "lost", "lost-s2")
        wait_until_idle(worker)
        assert rows(worker, "lost") == []


@pytest.mark.parametrize(("version", "stored"), [(NEWEST, 2), (OLDER, 4)])
def test_a_session_sent_again_after_a_restart_is_stored_twice_by_the_older(
    run_worker: RunWorker, stub: StubLlm, version: str, stored: int
) -> None:
    for _ in range(2):
        with run_worker(version) as worker:
            post(worker, "again", "again-s1")
            wait_until_idle(worker)
            count = len(rows(worker, "again"))

    assert count == stored
