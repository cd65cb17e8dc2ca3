import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, TypeVar

import pytest
from locomo_run.calls.lane import Lane, Stop, Stopped, each, one_line, settled
from locomo_run.calls.tries import CallFault, Limits
from locomo_run.errors import CallError, CostCapError, RunError, UsageError
from locomo_run.ledger.entry import (
    MAY_HAVE_COST,
    Attempt,
    Entry,
    Request,
    Stage,
    Status,
    Usage,
)
from locomo_run.ledger.store import Ledger
from locomo_run.money.prices import load_prices
from locomo_run.money.purse import Purse

T = TypeVar("T")
Step = Attempt | Exception
MODEL = "claude-opus-4-6"


def ok(output: int = 0) -> Attempt:
    return Attempt(
        status=Status.OK,
        reply={"text": "yes"},
        model=MODEL,
        usage=Usage(input=0, output=output),
    )


def bad(status: Status) -> Attempt:
    return Attempt(status=status, reason="of no use", model=MODEL, usage=Usage())


def asked(item: str = "conv-1:0", run: int = 0) -> Request:
    return Request(stage=Stage.JUDGE, item=item, run=run, content={})


class Time:
    """A clock that goes on by what is slept, and notes it."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


class Script:
    """A call that goes as it is told, one step after the other."""

    def __init__(self, *steps: Step) -> None:
        self._steps = iter(steps)
        self.calls = 0

    async def __call__(self) -> Attempt:
        self.calls += 1
        step = next(self._steps)
        if isinstance(step, Exception):
            raise step
        return step


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def in_lane(tmp_path: Path, time: Time) -> Callable[..., Any]:
    """Do something in a lane over the run directory; gives what it gave."""

    def do(work: Callable[[Lane], Awaitable[T]], **options: Any) -> T:
        async def main() -> T:
            with Ledger.write(tmp_path / "run") as ledger:
                purse = options.pop("purse", None)
                limits = options.pop("limits", Limits(in_flight=4))
                lane = Lane(
                    name="model",
                    ledger=ledger,
                    limits=limits,
                    stop=Stop(),
                    purse=purse,
                    clock=options.pop("clock", time.clock),
                    sleep=options.pop("sleep", time.sleep),
                    jitter=random.Random(1),  # noqa: S311  # no secret
                    **options,
                )
                return await work(lane)

        return asyncio.run(main())

    return do


def one(
    call: Script, request: Request | None = None
) -> Callable[[Lane], Awaitable[Entry]]:
    return lambda lane: lane.obtain(request or asked(), call)


def attempts(directory: Path) -> list[tuple[str, str]]:
    with Ledger.read(directory) as ledger:
        rows = ledger._db.execute("SELECT status, reason FROM attempt ORDER BY rowid")
        return [(str(status), str(reason)) for status, reason in rows]


# the ledger first


def test_what_is_stored_is_not_asked_again(in_lane: Callable[..., Any]) -> None:
    in_lane(one(Script(ok())))
    again = Script(ok())

    entry = in_lane(one(again))

    assert (again.calls, entry.ok) == (0, True)


@pytest.mark.parametrize(
    ("status", "plainly", "when_told_to"),
    [
        (Status.INFRA_ERROR, 1, 1),
        (Status.REFUSED, 0, 1),
        (Status.TRUNCATED, 0, 1),
        (Status.UNPARSED, 0, 1),
    ],
)
def test_a_resumed_run_buys_failed_calls_again_and_bad_replies_only_when_told_to(
    status: Status, plainly: int, when_told_to: int, in_lane: Callable[..., Any]
) -> None:
    failing = CallFault("no", retryable=False)
    step = failing if status is Status.INFRA_ERROR else bad(status)
    in_lane(one(Script(*repeat(step, 3)), asked("a")))
    in_lane(one(Script(*repeat(step, 3)), asked("b")))

    call, told = Script(ok()), Script(ok())
    in_lane(one(call, asked("a")))
    in_lane(one(told, asked("b")), retry_failed=True)

    assert (call.calls, told.calls) == (plainly, when_told_to)


@pytest.mark.parametrize("status", list(Status))
def test_only_a_good_entry_is_settled_in_every_case(status: Status) -> None:
    attempt = Attempt(status=status)
    entry = Entry(request=asked(), attempt=attempt, attempts=1)

    assert settled(entry, retry_failed=True) is (status is Status.OK)
    assert settled(entry, retry_failed=False) is (status is not Status.INFRA_ERROR)


def test_a_paid_reply_is_durable_before_its_place_is_free(tmp_path: Path) -> None:
    """Whoever kills the process loses no more than what is in flight."""
    seen: list[int] = []

    class Watched(Lane):
        def _leave(self, request: Request) -> None:
            with Ledger.read(tmp_path) as other:
                seen.append(sum(1 for _ in other.entries(Stage.JUDGE)))
            super()._leave(request)

    async def main() -> None:
        with Ledger.write(tmp_path) as ledger:
            lane = Watched(name="model", ledger=ledger, limits=Limits(), stop=Stop())
            for number in range(3):
                await lane.obtain(asked(str(number)), Script(ok()))

    asyncio.run(main())

    assert seen == [1, 2, 3]


# retries


def test_a_call_that_fails_is_repeated_with_growing_pauses(
    in_lane: Callable[..., Any], time: Time, tmp_path: Path
) -> None:
    entry = in_lane(one(Script(*repeat(CallFault("500"), 5), ok())))

    assert (entry.ok, entry.attempts) == (True, 6)
    assert attempts(tmp_path / "run") == [("infra_error", "500")] * 5 + [("ok", "")]
    for slept, longest in zip(time.slept, (1, 2, 4, 8, 16), strict=True):
        assert 0.75 * longest <= slept <= longest


def test_a_pause_that_the_server_asks_for_is_kept_but_bounded(
    in_lane: Callable[..., Any], time: Time
) -> None:
    faults = (CallFault("503", retry_after=s) for s in (0.0, 3.5, 86_400.0))
    in_lane(one(Script(*faults, ok())))

    assert time.slept == [0.0, 3.5, 60.0]


def test_retries_end_with_the_minutes(in_lane: Callable[..., Any], time: Time) -> None:
    call = Script(*repeat(CallFault("500"), 1000))

    entry = in_lane(one(call), limits=Limits(minutes=10))

    assert entry.attempt.status is Status.INFRA_ERROR
    assert 600 < time.now - 1000 < 660
    assert call.calls == entry.attempts


def test_a_lane_can_bound_the_attempts_too(in_lane: Callable[..., Any]) -> None:
    call = Script(*repeat(CallFault("500"), 10))

    in_lane(one(call), limits=Limits(attempts=3))

    assert call.calls == 3


def test_what_cannot_go_well_is_not_repeated(in_lane: Callable[..., Any]) -> None:
    call = Script(CallFault("400", retryable=False))

    entry = in_lane(one(call))

    assert (call.calls, entry.attempt.reason) == (1, "400")


@pytest.mark.parametrize("status", [Status.UNPARSED, Status.TRUNCATED])
def test_an_unusable_reply_is_asked_for_again_at_once_up_to_three_times(
    status: Status, in_lane: Callable[..., Any], time: Time
) -> None:
    mended = Script(bad(status), bad(status), ok())
    assert in_lane(one(mended, asked("a"))).ok

    hopeless = Script(*repeat(bad(status), 9))
    entry = in_lane(one(hopeless, asked("b")))

    assert (hopeless.calls, entry.attempt.status) == (3, status)
    assert time.slept == []


def test_a_refusal_is_a_reply_and_is_not_asked_for_again(
    in_lane: Callable[..., Any],
) -> None:
    call = Script(bad(Status.REFUSED))

    assert in_lane(one(call)).attempt.status is Status.REFUSED


def test_a_bug_of_anothers_code_is_a_failed_call_with_its_name(
    in_lane: Callable[..., Any],
) -> None:
    errors: Sequence[Exception] = (KeyError("usage"), TimeoutError("of its own"))
    call = Script(*errors, CallError("says\nwhy"), ok())

    entry = in_lane(one(call))

    assert entry.attempts == 4


def test_an_error_that_the_user_has_to_mend_stops_the_run(
    in_lane: Callable[..., Any], tmp_path: Path
) -> None:
    """A missing key is no fault of the call, and no repetition mends it."""
    mend = UsageError("no key")
    call = Script(mend)

    async def work(lane: Lane) -> RunError | None:
        with pytest.raises(Stopped):
            await lane.obtain(asked(), call)
        assert lane.in_flight == 0
        return lane.stop.reason

    assert in_lane(work) is mend
    assert attempts(tmp_path / "run") == []


# time limits


def test_a_call_that_takes_too_long_is_ended_and_repeated(
    in_lane: Callable[..., Any], tmp_path: Path
) -> None:
    calls = 0

    async def hanging() -> Attempt:
        nonlocal calls
        calls += 1
        if calls == 1:
            await asyncio.Event().wait()
        return ok()

    entry = in_lane(
        lambda lane: lane.obtain(asked(), hanging), limits=Limits(timeout=0.02)
    )

    assert (entry.ok, entry.attempts) == (True, 2)
    assert attempts(tmp_path / "run")[0][1] == "no reply within 0.02 s"


def test_the_call_that_has_waited_longest_is_named(
    in_lane: Callable[..., Any], time: Time
) -> None:
    async def work(lane: Lane) -> tuple[str, float] | None:
        assert lane.longest() is None
        hung = asyncio.Event()

        async def hanging() -> Attempt:
            await hung.wait()
            return ok()

        async with asyncio.TaskGroup() as group:
            for item in ("conv-1:7", "conv-1:8"):
                group.create_task(lane.obtain(asked(item), hanging))
                await asyncio.sleep(0)
                time.now += 30
            longest = lane.longest()
            hung.set()
        return longest

    assert in_lane(work) == ("judge conv-1:7", 60.0)


# the window


def test_calls_slide_through_a_window_of_the_given_width(
    in_lane: Callable[..., Any],
) -> None:
    seen: list[int] = []

    async def work(lane: Lane) -> None:
        async def call() -> Attempt:
            seen.append(lane.in_flight)
            await asyncio.sleep(0)
            return ok()

        async def ask(number: int) -> None:
            await lane.obtain(asked(str(number)), call)

        await each(range(20), ask, 10)

    in_lane(work, limits=Limits(in_flight=3))

    assert len(seen) == 20
    assert max(seen) == 3


def test_an_overload_halves_the_window_and_makes_all_calls_wait_once(
    in_lane: Callable[..., Any], time: Time
) -> None:
    began: list[float] = []

    async def work(lane: Lane) -> None:
        async def call() -> Attempt:
            began.append(time.now)
            await asyncio.sleep(0)
            if len(began) <= 8:
                raise CallFault("429", overload=True, retry_after=5.0)
            return ok()

        async def ask(number: int) -> None:
            await lane.obtain(asked(str(number)), call)

        await each(range(8), ask, 8)
        assert lane.overloads == 8
        assert lane.pace.ceiling == 8

    in_lane(work, limits=Limits(in_flight=8))

    assert began[:8] == [1000.0] * 8
    assert min(began[8:]) >= 1005.0
    assert len(began) == 16


def test_a_cool_down_is_bounded_whatever_the_server_asks_for(
    in_lane: Callable[..., Any], time: Time
) -> None:
    in_lane(one(Script(CallFault("429", overload=True, retry_after=7200.0), ok())))

    assert sum(time.slept) == pytest.approx(60.0)


# stopping


def test_a_fatal_fault_stops_the_lane_and_is_stored(
    in_lane: Callable[..., Any], tmp_path: Path
) -> None:
    async def work(lane: Lane) -> RunError | None:
        call = Script(CallFault("401 no", retryable=False, fatal=True))
        entry = await lane.obtain(asked(), call)
        assert not entry.ok
        with pytest.raises(Stopped):
            await lane.obtain(asked("other"), Script(ok()))
        return lane.stop.reason

    assert str(in_lane(work)) == "model: 401 no"
    assert attempts(tmp_path / "run") == [("infra_error", "401 no")]


def test_the_first_reason_to_stop_counts() -> None:
    stop = Stop()
    stop.set(RunError("one"))
    stop.set(RunError("two"))

    assert str(stop.reason) == "one"


@pytest.mark.parametrize(
    "fault", [CallFault("500"), CallFault("429", overload=True, retry_after=50.0)]
)
def test_nobody_sleeps_on_once_the_run_is_stopped(
    fault: CallFault, in_lane: Callable[..., Any]
) -> None:
    async def for_ever(seconds: float) -> None:
        await asyncio.Event().wait()

    async def work(lane: Lane) -> None:
        asking = asyncio.create_task(lane.obtain(asked(), Script(fault)))
        for _ in range(20):
            await asyncio.sleep(0)
        assert not asking.done()
        lane.stop.set(RunError("enough"))
        with pytest.raises(Stopped):
            await asking

    in_lane(work, sleep=for_ever)


def test_calls_in_flight_are_let_through_when_the_run_is_stopped(
    in_lane: Callable[..., Any],
) -> None:
    async def work(lane: Lane) -> list[str]:
        done: list[str] = []

        async def call() -> Attempt:
            lane.stop.set(RunError("enough"))
            await asyncio.sleep(0)
            return ok()

        async def ask(item: str) -> None:
            await lane.obtain(asked(item), call)
            done.append(item)

        await each("abcdef", ask, 2)
        return done

    assert in_lane(work, limits=Limits(in_flight=2)) == ["a"]


def test_an_error_in_the_work_ends_all_of_it_and_is_raised_bare() -> None:
    async def work(number: int) -> None:
        if number == 2:
            raise ValueError("two")
        await asyncio.sleep(0)

    with pytest.raises(ValueError, match="two"):
        asyncio.run(each(range(5), work, 3))


def test_a_cancelled_call_gives_its_place_and_its_money_back(
    in_lane: Callable[..., Any],
) -> None:
    purse = Purse(load_prices(), cap=1.0)

    async def work(lane: Lane) -> None:
        async def hanging() -> Attempt:
            await asyncio.Event().wait()
            return ok()

        asking = asyncio.create_task(lane.obtain(asked(), hanging, 0.5))
        await asyncio.sleep(0)
        assert (lane.in_flight, purse.reserved) == (1, 0.5)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert (lane.in_flight, purse.reserved) == (0, 0.0)

    in_lane(work, purse=purse)


# money


def test_a_call_that_could_pass_the_cap_is_not_made(
    in_lane: Callable[..., Any],
) -> None:
    purse = Purse(load_prices(), cap=1.0)
    call = Script(ok(output=20_000), ok())  # $0.50

    async def work(lane: Lane) -> RunError | None:
        await lane.obtain(asked("a"), call, 0.9)
        with pytest.raises(Stopped):
            await lane.obtain(asked("b"), call, 0.6)
        return lane.stop.reason

    assert isinstance(in_lane(work, purse=purse), CostCapError)
    assert (call.calls, purse.spent, purse.reserved) == (1, 0.5, 0.0)


def test_a_reply_that_was_perhaps_billed_counts_up_to_its_ceiling(
    in_lane: Callable[..., Any], tmp_path: Path
) -> None:
    purse = Purse(load_prices(), cap=10.0)
    cut, told = CallFault("cut", billed=True), CallFault("500")

    in_lane(
        lambda lane: lane.obtain(asked(), Script(cut, told, cut, ok()), 0.25),
        purse=purse,
    )

    assert purse.lost == 0.5
    with Ledger.read(tmp_path / "run") as ledger:
        assert ledger.lost() == 0.5
        (entry,) = ledger.entries(Stage.JUDGE)
        assert MAY_HAVE_COST not in entry.attempt.reply


def test_a_reason_is_one_line_of_bounded_length() -> None:
    assert one_line("a\n\tb " + "c" * 1000) == "a b " + "c" * 496
