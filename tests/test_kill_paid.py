"""A run that pays for its calls can be killed anywhere, and pays for nothing twice."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest
from llm_judge import Prompt
from llm_judge.testing import FakeMessagesAPI, Latency

IN_FLIGHT = 8
RUN = (
    *("run", "--quiet", "--answerer", "claude-opus-4-6", "--in-flight", str(IN_FLIGHT)),
    *("--judge", "claude-sonnet-4-6", "--judge-protocol", "binary"),
    *("--judge-runs", "3", "--out"),
)
CALLS = 55 + 47 * 3
"""Answers to all questions of the small data set, and three verdicts on most."""

FORKING = """
import os, sys

import anthropic
import locomo_run.money.prospect, locomo_run.start
import locomo_run.reporting.report, locomo_run.reporting.summary
from locomo_run.cli import main

for line in sys.stdin:
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        sys.argv = ["locomo-run", *line.split()]
        main()
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Runs the program once for every line of arguments, in a process of its own, without
importing everything anew; tells the process's id, then its exit code."""


class Program:
    """Starts the program again and again."""

    def __init__(self, pipes: subprocess.Popen[str]) -> None:
        assert pipes.stdin is not None
        assert pipes.stdout is not None
        self._asked: IO[str] = pipes.stdin
        self._told: IO[str] = pipes.stdout

    def start(self, directory: Path) -> int:
        """Start it; returns the process's id."""
        self._asked.write(" ".join((*RUN, str(directory))) + "\n")
        self._asked.flush()
        return int(self._told.readline())

    def end(self) -> int:
        """Wait for its end; returns the exit code."""
        return int(self._told.readline())


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeMessagesAPI]:
    slow = Latency(median=0.01, spread=0.8)
    with FakeMessagesAPI(latency=slow, keep_bodies=100_000) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.base_url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-the-tests")
        yield api


@pytest.fixture
def program(endpoint: FakeMessagesAPI) -> Iterator[Program]:
    with subprocess.Popen(
        [sys.executable, "-c", FORKING],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as pipes:
        yield Program(pipes)
        assert pipes.stdin is not None
        pipes.stdin.close()


def test_a_killed_run_loses_no_more_than_what_is_in_flight_and_sends_nothing_again(
    program: Program, endpoint: FakeMessagesAPI, tmp_path: Path
) -> None:
    undisturbed = tmp_path / "undisturbed"
    program.start(undisturbed)
    assert program.end() == 0
    assert endpoint.counts.bought == len(stored(undisturbed)) == CALLS

    chance = random.Random(20261130)  # noqa: S311  # no secret
    lost_in_all = kills = 0
    for attempt in range(2):
        directory = tmp_path / str(attempt)
        first = endpoint.counts.bought
        before: list[tuple[str, int, str]] = []
        lost = 0
        for point in sorted(chance.sample(range(CALLS), 8)):
            sent = endpoint.counts.received
            kept = answers(directory)
            process = program.start(directory)
            wait_until_bought(first + point, endpoint)
            os.kill(process, signal.SIGKILL)
            assert program.end() == -signal.SIGKILL
            kills += 1
            wait_until_bought(endpoint.counts.received, endpoint)

            now = stored(directory)
            assert now[: len(before)] == before, "an entry was made again, or lost"
            excess = endpoint.counts.bought - first - len(now)
            assert 0 <= excess - lost <= IN_FLIGHT
            assert not kept & sent_since(sent, endpoint), "sent although it was stored"
            before, lost = now, excess

        sent, kept = endpoint.counts.received, answers(directory)
        program.start(directory)
        assert program.end() == 0
        assert not kept & sent_since(sent, endpoint)

        whole = stored(directory)
        assert whole[: len(before)] == before
        assert len({key for key, _, _ in whole}) == len(whole) == CALLS
        assert endpoint.counts.bought - first - CALLS == lost
        assert results(directory) == results(undisturbed)
        lost_in_all += lost

    assert (kills, lost_in_all > 0) == (16, True), "the kills hit nothing in flight"


def wait_until_bought(count: int, endpoint: FakeMessagesAPI) -> None:
    """Wait for the other process, or for what the endpoint still has in hand."""
    for _ in range(60_000):
        if endpoint.counts.bought >= count:
            return
        time.sleep(0.0005)
    pytest.fail(f"only {endpoint.counts.bought} of {count} were bought")


def stored(directory: Path) -> list[tuple[str, int, str]]:
    """Every paid attempt in the order in which it was made, with its time."""
    return _rows(
        directory,
        "SELECT key, number, at FROM attempt "
        "JOIN request ON request.id = attempt.request "
        "WHERE usage IS NOT NULL ORDER BY attempt.rowid",
    )


def answers(directory: Path) -> set[str]:
    """The hashes of the prompts whose answers are stored."""
    rows = _rows(
        directory,
        "SELECT json_extract(content, '$.prompt') FROM request "
        "JOIN attempt ON attempt.request = request.id "
        "WHERE stage = 'answer' AND status = 'ok'",
    )
    return {str(prompt) for (prompt,) in rows}


def _rows(directory: Path, query: str) -> list[Any]:
    if not (directory / "ledger.sqlite").exists():
        return []
    db = sqlite3.connect(directory / "ledger.sqlite")
    try:
        return db.execute(query).fetchall()
    except sqlite3.OperationalError:  # killed before the tables were there
        return []
    finally:
        db.close()


def sent_since(count: int, endpoint: FakeMessagesAPI) -> set[str]:
    """The hashes of the prompts that came in after so many."""
    return {
        Prompt(body["system"], body["messages"][0]["content"]).sha256
        for body in endpoint.bodies[count:]
    }


def results(directory: Path) -> Any:
    """`results.json` without times."""
    return _timeless(json.loads((directory / "results.json").read_text("utf-8")))


def _timeless(value: Any) -> Any:
    match value:
        case dict():
            return {
                name: _timeless(part)
                for name, part in value.items()
                if "latency" not in name and name != "timestamp"
            }
        case list():
            return [_timeless(part) for part in value]
    return value
