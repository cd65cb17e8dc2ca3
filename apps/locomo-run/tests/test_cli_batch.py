"""Batches from the command line, through the SDK and a server on loopback."""

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from llm_judge.testing import FakeMessagesAPI, FakeRequest, default_reply
from locomo_run.ledger.store import Ledger
from locomo_run.reporting.results_file import read_results_file

Call = Callable[..., Result]
Run = Callable[..., Result]

PAID = ("--answerer", "claude-opus-4-6", "--judge", "claude-sonnet-4-6")
SMALL = ("--batch", "--batch-size", 20, "--batch-poll", 0.01)


def reply(request: FakeRequest) -> str:
    """Judge by overlap; answer with a line of the context, so that scores differ."""
    if "<reference_answer>" in request.user:
        return default_reply(request)
    return request.user.splitlines()[2]


@pytest.fixture
def api() -> Iterator[FakeMessagesAPI]:
    with FakeMessagesAPI(reply) as served:
        yield served


@pytest.fixture
def run(call: Call, api: FakeMessagesAPI) -> Run:
    """Call the program with a key for the fake endpoint."""

    def invoke(*arguments: object, **environment: str) -> Result:
        known = {"ANTHROPIC_BASE_URL": api.base_url, "ANTHROPIC_API_KEY": "test-key"}
        return call(*arguments, **{**known, **environment})

    return invoke


def comparable(directory: str) -> dict[str, Any]:
    """`results.json` without what a batch changes: latency, spend, time stamps."""
    read_results_file(Path(directory, "results.json"))  # it keeps to its schema
    results: dict[str, Any] = json.loads(
        Path(directory, "results.json").read_text(encoding="utf-8")
    )
    del results["spend"], results["latency"], results["metadata"]["timestamp"]
    for question in results["questions"]:
        del question["search_latency_ms"], question["answer_latency_ms"]
    return results


def statements(directory: str, query: str) -> list[tuple[Any, ...]]:
    db = sqlite3.connect(Path(directory, "ledger.sqlite"))
    try:
        return db.execute(query).fetchall()
    finally:
        db.close()


def test_a_run_in_batches_ends_with_the_results_of_a_live_one(
    run: Run, api: FakeMessagesAPI
) -> None:
    more = ("--judge-runs", 2, "--answer-runs", 2, "--per-category", 4)
    live = run("run", *PAID, *more, "--out", "live")
    bought = api.counts.bought
    batched = run("run", *PAID, *more, "--out", "batched", *SMALL)

    assert (live.exit_code, batched.exit_code) == (0, 0), batched.output
    assert comparable("batched") == comparable("live")
    assert all(each["context_chars"] for each in comparable("batched")["questions"])
    assert api.counts.bought == 2 * bought
    keys = (
        "SELECT key, number, status FROM attempt "
        "JOIN request ON request.id = attempt.request "
        "ORDER BY key, number"
    )
    assert statements("batched", keys) == statements("live", keys)
    answers = comparable("live")["overall_f1"]["locomo"]["mean"]
    assert 0 < answers < 1, "all answers score the same: the test compares nothing"


def test_a_batch_costs_half(run: Run) -> None:
    """All but the first request of each stage."""
    few = ("--judge-runs", 1, "--limit", 6)
    run("run", *PAID, *few, "--out", "live")
    run("run", *PAID, *few, "--out", "batched", *SMALL)

    billed = (
        "SELECT request, json_extract(usage, '$.batch') FROM attempt WHERE model > ''"
    )
    assert sum(not batch for _, batch in statements("live", billed)) > 10
    assert sum(not batch for _, batch in statements("batched", billed)) == 2


def test_judge_buys_what_is_missing_in_batches(run: Run, api: FakeMessagesAPI) -> None:
    few = ("--limit", 25, "--no-adversarial")
    run("run", *PAID, *few, "--judge-runs", 1, "--out", "a")
    before = api.counts.bought

    judged = run(
        "judge", "a", "--judge", "claude-sonnet-4-6", "--judge-runs", 3, *SMALL
    )

    assert judged.exit_code == 0, judged.output
    assert api.counts.bought - before == 2 * 25
    assert statements("a", "SELECT stage, requests FROM batch ORDER BY requests") == [
        ("judge", 9),
        ("judge", 20),
        ("judge", 20),
    ]


def test_extra_judge_runs_go_through_batches_too(run: Run) -> None:
    flips = iter(range(10_000))

    def moody(request: FakeRequest) -> str:
        return json.dumps({"score": next(flips) % 90, "explanation": "."})

    with FakeMessagesAPI(moody) as api:
        done = run(
            "run",
            "--judge",
            "claude-sonnet-4-6",
            "--judge-runs",
            2,
            "--judge-extra",
            1,
            "--limit",
            5,
            "--no-adversarial",
            *SMALL,
            "--out",
            "a",
            ANTHROPIC_BASE_URL=api.base_url,
        )

    assert done.exit_code == 0, done.output
    runs = "SELECT run, count(*) FROM request WHERE stage = 'judge' GROUP BY run"
    assert statements("a", runs) == [(0, 5), (1, 5), (2, 5)]


def test_answers_without_a_model_are_given_at_once(
    run: Run, api: FakeMessagesAPI
) -> None:
    done = run("run", "--batch", "--out", "a", "--limit", 3)

    assert done.exit_code == 0
    assert api.counts.received == 0


# what is in flight, from outside


@pytest.fixture
def left(run: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeMessagesAPI]:
    """An endpoint whose batches do not end, and a run `a` that was killed there."""

    class Killed(BaseException):
        pass

    async def killed(*_: object) -> None:
        raise Killed

    with FakeMessagesAPI(reply, batch_polls=None) as api:
        with monkeypatch.context() as patch:
            patch.setattr("locomo_run.calls.lane.Lane.pause", killed)
            with pytest.raises(Killed):
                run("run", *PAID, *SMALL, "--out", "a", ANTHROPIC_BASE_URL=api.base_url)
        yield api


@pytest.fixture
def at(run: Run, left: FakeMessagesAPI) -> Run:
    """Call the program with a key for the endpoint of the killed run."""
    return lambda *arguments, **more: run(
        *arguments, **{"ANTHROPIC_BASE_URL": left.base_url, **more}
    )


def test_status_shows_the_batches_and_how_far_they_are(at: Run) -> None:
    shown = at("batch", "status", "a")

    assert shown.stdout.splitlines() == [
        f"msgbatch_000{n}  answer  {size} requests  posted  in_progress: "
        "0 succeeded, 0 errored, 0 canceled, 0 expired"
        for n, size in ((1, 20), (2, 20), (3, 14))
    ]

    (first, *_) = json.loads(at("batch", "status", "a", "--json").stdout)

    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", first["planned_at"])
    assert first | {"planned_at": ""} == {
        "id": "msgbatch_0001",
        "state": "posted",
        "stage": "answer",
        "model": "claude-opus-4-6",
        "requests": 20,
        "planned_at": "",
        "at_endpoint": "in_progress",
        "succeeded": 0,
        "errored": 0,
        "canceled": 0,
        "expired": 0,
        "problem": None,
    }


def test_status_says_why_the_endpoint_is_not_asked(at: Run) -> None:
    elsewhere = at("batch", "status", "a", ANTHROPIC_BASE_URL="http://127.0.0.1:9")
    keyless = at("batch", "status", "a", ANTHROPIC_API_KEY="")

    assert "set ANTHROPIC_BASE_URL to it" in elsewhere.stdout
    assert "posted  (" in keyless.stdout
    assert "ANTHROPIC_API_KEY" in keyless.stdout


def test_status_of_a_run_without_batches_says_so(run: Run) -> None:
    run("run", "--limit", 1, "--out", "b")

    shown = run("batch", "status", "b")

    assert (shown.stdout, shown.stderr) == ("", "no batches in b\n")


def test_cancelled_batches_are_collected_by_the_command_of_the_run(
    at: Run, left: FakeMessagesAPI
) -> None:
    cancelled = at("batch", "cancel", "a")

    assert cancelled.stdout.splitlines() == [
        f"msgbatch_000{n}, {size} requests: canceling"
        for n, size in ((1, 20), (2, 20), (3, 14))
    ]

    collected = at(
        "run", *PAID, *SMALL, "--out", "a", "--max-cost", 0.0001, "--limit", 1
    )
    assert collected.exit_code == 4
    assert at("batch", "status", "a").stdout.splitlines() == [
        f"msgbatch_000{n}  answer  {size} requests  collected"
        for n, size in ((1, 20), (2, 20), (3, 14))
    ]


def test_a_batch_that_has_ended_cannot_be_cancelled(at: Run) -> None:
    at("batch", "cancel", "a")
    at("batch", "status", "a")  # the fake ends a cancelled batch at the next look

    again = at("batch", "cancel", "a")

    assert "msgbatch_0001, 20 requests: not cancelled: " in again.stdout
    assert "has ended" in again.stdout


def test_a_live_run_says_what_to_do_about_open_batches(at: Run) -> None:
    refused = at("run", *PAID, "--out", "a")

    assert refused.exit_code == 2
    assert "54 requests of this run are in 3 message batches" in refused.stderr
    assert "`locomo-run batch status a`" in refused.stderr


def test_batches_of_a_run_that_is_being_written_are_not_cancelled(at: Run) -> None:
    with Ledger.write(Path("a")):
        refused = at("batch", "cancel", "a")

    assert refused.exit_code == 1
    assert "stop it first with Ctrl-C" in refused.stderr


def test_only_what_the_endpoint_does_not_know_can_be_given_up(
    at: Run, left: FakeMessagesAPI
) -> None:
    with FakeMessagesAPI(reply) as other:
        db = sqlite3.connect("a/ledger.sqlite")
        db.execute("UPDATE batch SET endpoint = ?", (other.base_url,))
        db.execute(
            "UPDATE batch SET state = 'planned', posted_id = NULL "
            "WHERE posted_id = 'msgbatch_0003'"
        )
        db.commit()
        db.close()
        there = {"ANTHROPIC_BASE_URL": other.base_url}

        kept = at("batch", "cancel", "a", **there)
        assert kept.stdout.count("not cancelled: not found") == 2
        assert kept.stdout.count("posted or not: its command finds out") == 1

        given_up = at("batch", "cancel", "a", "--forget", **there)
        assert given_up.stdout.count("given up; it may have cost up to $0.") == 3

        assert at("batch", "cancel", "a", **there).stdout == ""
        assert at("run", *PAID, *SMALL, "--out", "a", **there).exit_code == 0


def test_a_model_whose_endpoint_takes_no_batches_is_named_by_status(
    at: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def complete(*_: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr(
        "locomo_run.batches.control.open_model", lambda name, timeout: complete
    )

    shown = at("batch", "status", "a")

    assert "the endpoint of claude-opus-4-6 takes no message batches" in shown.stdout
