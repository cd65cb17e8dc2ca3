"""The desk, and Ctrl-C while models are asked: a real process, a real endpoint."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest
from llm_judge.testing import FakeMessagesAPI, Fault, FaultPlan, Latency
from locomo_run.calls.desk import Desk, open_desk, traffic
from locomo_run.config import CallOptions
from locomo_run.errors import InterruptedRunError, RunError
from locomo_run.ledger.entry import Attempt, Request, Stage, Status
from locomo_run.ledger.store import Ledger
from locomo_run.progress import Event, Traffic

Endpoint = Callable[..., FakeMessagesAPI]

RUN = (sys.executable, "-m", "locomo_run", "run", "--quiet", "--out", "here")
PAID = ("--answerer", "claude-opus-4-6", "--memory", "none", "--in-flight", "3")


def started(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        (*RUN, *PAID),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def until_received(
    count: int, api: FakeMessagesAPI, run: subprocess.Popen[str]
) -> None:
    """Wait until the endpoint has so many calls in hand or behind it."""
    for _ in range(6000):
        if api.counts.received >= count:
            return
        if run.poll() is not None:
            pytest.fail(f"ended before: {run.stderr.read() if run.stderr else ''}")
        time.sleep(0.01)
    pytest.fail(f"received {api.counts.received}")


def read_until(stream: IO[str] | None, words: str) -> str:
    """Read lines up to the first one with these words."""
    assert stream is not None
    read = ""
    for line in stream:
        read += line
        if words in line:
            return read
    pytest.fail(f"ended without {words!r}: {read}")


def stored(folder: Path) -> int:
    with Ledger.read(folder / "here") as ledger:
        return sum(entry.ok for entry in ledger.entries(Stage.ANSWER))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_interrupt_lets_the_calls_in_flight_end_and_keeps_them(
    number: signal.Signals, folder: Path, endpoint: Endpoint
) -> None:
    api = endpoint(latency=Latency(median=2.0))
    with started(folder) as run:
        until_received(3, api, run)
        run.send_signal(number)
        said = read_until(run.stderr, "Error: ")

    assert run.returncode == 130
    assert "waiting for calls: 3 to models" in said
    assert "; Ctrl-C again stops at once\n" in said
    assert "the same command goes on from there" in said
    assert api.counts.received == api.counts.bought == 3
    assert stored(folder) == 3


def test_the_second_interrupt_stops_at_once_and_the_same_command_goes_on(
    folder: Path, endpoint: Endpoint
) -> None:
    api = endpoint(faults=FaultPlan(script=[None, None, *[Fault.HANG] * 3]))
    with started(folder) as run:
        until_received(5, api, run)
        run.send_signal(signal.SIGINT)
        read_until(run.stderr, "waiting for calls: 3 to models")
        run.send_signal(signal.SIGINT)
        read_until(run.stderr, "Error: stopped")
    assert run.returncode == 130
    assert stored(folder) == 2

    subprocess.run(
        (*RUN, *PAID), cwd=folder, check=True, stdout=subprocess.DEVNULL, timeout=60
    )

    assert stored(folder) == api.counts.bought == 55


# the desk itself


ANSWER = Request(stage=Stage.ANSWER, item="conv-1:7", content={})


def at_desk(
    directory: Path,
    work: Callable[[Desk], object],
    observe: Callable[[Event], None] = lambda event: None,
    **options: float,
) -> None:
    async def main() -> None:
        with Ledger.write(directory) as ledger:
            calls = CallOptions(**options)  # type: ignore[arg-type]  # some of them
            async with open_desk(ledger, calls, observe) as desk:
                done = work(desk)
                if asyncio.iscoroutine(done):
                    await done

    asyncio.run(main())


def test_one_connection_serves_all_models_of_an_endpoint(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint()

    def work(desk: Desk) -> None:
        assert desk.model("claude-opus-4-6") is desk.model("claude-sonnet-4-6")

    at_desk(tmp_path, work)


def test_why_a_run_was_stopped_is_raised_at_its_end(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="out of paper"):
        at_desk(tmp_path, lambda desk: desk.stop.set(RunError("out of paper")))


def test_a_cancelled_run_without_a_reason_is_just_cancelled(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        at_desk(tmp_path, work)


def test_traffic_names_a_call_only_once_it_has_stalled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory's calls never wait behind a model's: it has a lane of its own."""
    searched: list[str] = []

    async def work(desk: Desk) -> None:
        hung = asyncio.Event()

        async def hanging() -> Attempt:
            await hung.wait()
            return Attempt(status=Status.OK)

        async def searching() -> Attempt:
            searched.append("found")
            return Attempt(status=Status.OK)

        asking = asyncio.create_task(desk.models.obtain(ANSWER, hanging))
        await asyncio.sleep(0)
        search = Request(stage=Stage.SEARCH, item="conv-1:7", content={})
        await desk.memory.obtain(search, searching)
        quick = traffic(desk)
        monkeypatch.setattr("locomo_run.calls.desk.STALLED_SECONDS", -1.0)
        slow = traffic(desk)
        hung.set()
        await asking
        assert (quick.in_flight, quick.stalled, quick.cap) == (1, "", 5.0)
        assert slow.stalled == "answer conv-1:7 for 0 s"
        assert traffic(desk).in_flight == 0

    at_desk(tmp_path, work, in_flight=1, max_cost=5.0)

    assert searched == ["found"]


def test_in_this_process_too_the_first_interrupt_drains(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def work(desk: Desk) -> None:
        hung = asyncio.Event()

        async def hanging() -> Attempt:
            await hung.wait()
            return Attempt(status=Status.OK)

        asking = asyncio.create_task(desk.models.obtain(ANSWER, hanging))
        await asyncio.sleep(0)
        os.kill(os.getpid(), signal.SIGINT)
        await desk.stop.event.wait()
        hung.set()
        assert (await asking).ok

    with pytest.raises(InterruptedRunError, match="the same command goes on"):
        at_desk(tmp_path, work)

    assert (
        "waiting for calls: 1 to models; Ctrl-C again stops at once"
        in capsys.readouterr().err
    )


def test_in_this_process_too_the_second_interrupt_stops(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def work(desk: Desk) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        await desk.stop.event.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.Event().wait()

    with pytest.raises(InterruptedRunError):
        at_desk(tmp_path, work)

    assert capsys.readouterr().err == ""


def test_traffic_is_told_as_long_as_calls_are_in_flight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("locomo_run.calls.desk.COMMIT_SECONDS", 0.0)
    told: list[Event] = []
    seen = asyncio.Event()

    async def work(desk: Desk) -> None:
        for _ in range(10):
            await asyncio.sleep(0)
        assert told == []

        async def call() -> Attempt:
            await seen.wait()
            return Attempt(status=Status.OK)

        await desk.models.obtain(ANSWER, call)

    def observe(event: Event) -> None:
        told.append(event)
        seen.set()

    at_desk(tmp_path, work, observe)

    assert all(isinstance(event, Traffic) and event.in_flight for event in told)
