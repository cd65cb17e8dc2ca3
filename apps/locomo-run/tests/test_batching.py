"""Buying in batches, against an endpoint in this process and a clock that is moved."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from llm_judge import Completion, JudgeSettings, Prompt
from llm_judge import Usage as Tokens
from llm_judge.anthropic import (
    BatchCounts,
    BatchInfo,
    BatchOutcome,
    BatchRequest,
    BatchResult,
    BatchStatus,
    ErrorKind,
    ModelError,
)
from locomo_run.batches.adoption import CLOCK_ERROR, SETTLING, suspects
from locomo_run.batches.buying import buy
from locomo_run.batches.jobs import LARGEST_TEXT, ROUNDS, Job, Lot
from locomo_run.batches.ledger import Batch, BatchState, ids_digest
from locomo_run.calls.desk import open_desk
from locomo_run.config import CallOptions
from locomo_run.errors import CostCapError, RunError, UsageError
from locomo_run.ledger.entry import Attempt, Entry, Request, Stage, Status, Usage
from locomo_run.ledger.store import Ledger
from locomo_run.progress import Event, Progress, Traffic, advance, judge_line, line

MODEL = "claude-opus-4-6"
SETTINGS = JudgeSettings(model=MODEL, temperature=0.0, max_tokens=16)
DONE = BatchOutcome.SUCCEEDED


class Killed(BaseException):
    """The process ends here."""


@dataclass
class Posted:
    names: list[str]
    created_at: datetime
    polls: int
    outcomes: dict[str, BatchOutcome] = field(default_factory=dict)


@dataclass
class Endpoint:
    """An endpoint that takes batches; it may fail before or after it did its work."""

    outcome: Callable[[str, int], BatchOutcome | ModelError] = lambda key, time: DONE
    """How a request ends, by its key and how often it was in a batch before."""
    reply: Callable[[str], Completion] | None = None
    polls: int = 0
    """Looks at a batch that find it in progress."""
    before: dict[str, list[BaseException]] = field(default_factory=dict)
    after: dict[str, list[BaseException]] = field(default_factory=dict)
    base_url: str = "https://endpoint.test"
    withheld: tuple[str, ...] = ()
    live: list[str] = field(default_factory=list)
    batches: dict[str, Posted] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)
    looks: list[str] = field(default_factory=list)
    cut: int = 0
    """How often results break off after their first row without a word."""
    lost: set[str] = field(default_factory=set)
    """Keys that are in no results."""
    witness: Callable[[str], None] = lambda step: None

    async def __call__(self, prompt: Prompt, settings: JudgeSettings, /) -> Completion:
        self._step("live")
        self.live.append(prompt.user)
        return self._reply(prompt.user)

    async def create_batch(
        self, requests: Sequence[BatchRequest], settings: JudgeSettings
    ) -> BatchInfo:
        self._step("create")
        name = f"b{len(self.batches) + 1}"
        self.add(name, [request.custom_id for request in requests])
        self._raise(self.after, "create")
        return replace(self._info(name), withheld=self.withheld)

    def add(self, name: str, custom_ids: list[str], *, age: float = 0.0) -> None:
        created = datetime.now(UTC) - timedelta(seconds=age)
        self.batches[name] = Posted(custom_ids, created, self.polls)

    async def batch(self, batch_id: str) -> BatchInfo:
        self._step("batch")
        self.looks.append(batch_id)
        posted = self._find(batch_id)
        if posted.polls:
            posted.polls -= 1
        elif not posted.outcomes:
            for name in posted.names:
                posted.outcomes[name] = DONE
        return self._info(batch_id)

    async def list_batches(self) -> list[BatchInfo]:
        self._step("list")
        return [self._info(name) for name in reversed(self.batches)]

    async def results(
        self, batch_id: str, *, withheld: Sequence[str] = ()
    ) -> AsyncIterator[BatchResult]:
        self._step("results")
        for name in reversed(self._find(batch_id).names):
            key = name.partition("-")[0]
            if key in self.lost:
                continue
            yield self._row(name, key, tuple(withheld))
            if self.cut:
                self.cut -= 1
                return

    async def cancel(self, batch_id: str) -> BatchInfo:
        raise NotImplementedError

    def _row(self, name: str, key: str, withheld: tuple[str, ...]) -> BatchResult:
        outcome = self.outcome(key, self.seen[key])
        self.seen[key] += 1
        if isinstance(outcome, ModelError):
            return BatchResult(
                custom_id=name, outcome=BatchOutcome.ERRORED, error=outcome
            )
        completion = None
        if outcome is DONE:
            completion = self._reply(key).model_copy(update={"withheld": withheld})
        return BatchResult(custom_id=name, outcome=outcome, completion=completion)

    def _reply(self, about: str) -> Completion:
        if self.reply is not None:
            return self.reply(about)
        used = Tokens(input_tokens=1000, output_tokens=10)
        return Completion(
            text="fine", stop_reason="end_turn", usage=used, withheld=self.withheld
        )

    def _find(self, name: str) -> Posted:
        if name not in self.batches:
            raise failure(ErrorKind.NOT_FOUND)
        return self.batches[name]

    def _info(self, name: str) -> BatchInfo:
        posted = self.batches[name]
        ended = bool(posted.outcomes)
        count = len(posted.names)
        return BatchInfo(
            id=name,
            status=BatchStatus.ENDED if ended else BatchStatus.IN_PROGRESS,
            counts=BatchCounts(
                processing=0 if ended else count,
                succeeded=count - len(self.lost) if ended else 0,
                errored=0,
                canceled=0,
                expired=0,
            ),
            created_at=posted.created_at,
            expires_at=posted.created_at + timedelta(days=1),
        )

    def _step(self, name: str) -> None:
        self.witness(name)
        self._raise(self.before, name)

    @staticmethod
    def _raise(plan: dict[str, list[BaseException]], step: str) -> None:
        if plan.get(step):
            raise plan[step].pop(0)


def failure(kind: ErrorKind, **more: Any) -> ModelError:
    return ModelError(kind, f"made to fail: {kind}", **more)


@dataclass
class Shop:
    """Buys the same jobs again and again in one run directory, as commands do."""

    directory: Path
    endpoint: Endpoint
    now: float = 0.0
    slept: list[float] = field(default_factory=list)
    done: list[Entry] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def buy(self, *numbers: int, cost: float = 0.0, **options: Any) -> None:
        """Run one command that wants the entries of these numbers."""
        settings = {"batch": True, "batch_size": 4, "batch_poll": 10.0, **options}
        lot = Lot(
            stage=Stage.ANSWER,
            purpose="answer",
            settings=SETTINGS,
            jobs=[job(number, cost) for number in numbers],
            read=read,
            done=self.done.append,
        )

        async def main() -> None:
            with Ledger.write(self.directory) as ledger:
                async with open_desk(
                    ledger,
                    CallOptions(**settings),
                    self.events.append,
                    sleep=self.sleep,
                ) as desk:
                    desk.models.clock = lambda: self.now
                    await buy(lot, desk)

        self.done.clear()
        asyncio.run(main())

    def entries(self) -> dict[int, Entry]:
        """What the ledger has, by number."""
        with Ledger.read(self.directory) as ledger:
            found = list(ledger.entries(Stage.ANSWER))
        return {int(entry.request.item.partition(":")[2]): entry for entry in found}

    def states(self) -> list[tuple[str, str | None]]:
        """The state and the id of each batch."""
        return [(batch.state.value, batch.posted_id) for batch in self.batches()]

    def batches(self) -> list[Batch]:
        with Ledger.read(self.directory) as ledger:
            return ledger.batches.all()

    @property
    def bought(self) -> Counter[str]:
        """How often each key is in a batch of the endpoint."""
        return Counter(
            name.partition("-")[0]
            for posted in self.endpoint.batches.values()
            for name in posted.names
        )


def job(number: int, cost: float = 0.0) -> Job:
    request = Request(stage=Stage.ANSWER, item=f"q:{number}", content={"n": number})
    prompt = Prompt(system="Answer.", user=f"question {number}")
    return Job(request=request, prompt=prompt, cost=cost)


def read(
    completion: Completion, latency_ms: float | None, *, batch: bool = False
) -> Attempt:
    used = completion.usage
    return Attempt(
        status=Status(completion.stop_reason)
        if completion.stop_reason in set(Status)
        else Status.OK,
        reply={"text": completion.text, "withheld": list(completion.withheld)},
        latency_ms=latency_ms,
        model=MODEL,
        usage=Usage(
            input=used.input_tokens if used else None,
            output=used.output_tokens if used else None,
            batch=batch,
        ),
    )


@pytest.fixture
def endpoint() -> Endpoint:
    return Endpoint()


@pytest.fixture
def shop(tmp_path: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.setattr(
        "locomo_run.calls.desk.open_model", lambda name, timeout: endpoint
    )
    return Shop(tmp_path / "run", endpoint)


# the usual way


def test_one_request_is_asked_live_and_the_others_in_batches_of_the_size(
    shop: Shop, endpoint: Endpoint
) -> None:
    shop.buy(*range(10))

    assert endpoint.live == ["question 0"]
    assert [len(each.names) for each in endpoint.batches.values()] == [4, 4, 1]
    assert shop.states() == [
        ("collected", "b1"),
        ("collected", "b2"),
        ("collected", "b3"),
    ]
    assert sorted(entry.request.item for entry in shop.done) == sorted(
        f"q:{number}" for number in range(10)
    )


def test_only_replies_from_a_batch_are_marked_and_none_has_a_latency(
    shop: Shop,
) -> None:
    shop.buy(0, 1)

    live, batched = shop.entries()[0].attempt, shop.entries()[1].attempt
    assert live.usage == Usage(input=1000, output=10)
    assert batched == replace(live, usage=Usage(input=1000, output=10, batch=True))
    assert batched.latency_ms is None


def test_what_is_stored_is_not_bought_again(shop: Shop, endpoint: Endpoint) -> None:
    shop.buy(0, 1, 2)
    shop.buy(0, 1, 2)

    assert (len(endpoint.live), len(endpoint.batches)) == (1, 1)
    assert len(shop.done) == 3


def test_nothing_left_to_buy_needs_no_endpoint(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.buy(0, 1)
    monkeypatch.setattr("locomo_run.calls.desk.open_model", None)

    shop.buy(0, 1)

    assert len(shop.done) == 2


def test_two_jobs_with_one_key_are_bought_once_and_told_twice(shop: Shop) -> None:
    shop.buy(0, 1, 1)

    assert shop.bought.total() == 1
    assert [entry.request.item for entry in shop.done] == ["q:0", "q:1", "q:1"]


def test_the_display_is_told_what_is_in_flight(shop: Shop, endpoint: Endpoint) -> None:
    endpoint.polls = 1
    shop.buy(*range(8))

    told = [(e.batches, e.batched) for e in shop.events if isinstance(e, Traffic)]
    assert [told[0], told[-1]] == [(2, 7), (0, 0)]
    assert 10.0 in shop.slept
    state = advance(Progress(questions=8, asked=1), shop.events[0])
    assert line(state, 5).startswith("[QA 0/0] 7 in 2 batches — Q 1/8 — ")
    assert "7 in 2 batches" in judge_line(state, 5)


def test_a_batch_of_long_prompts_is_split(
    shop: Shop, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert LARGEST_TEXT < 256_000_000
    monkeypatch.setattr("locomo_run.batches.jobs.LARGEST_TEXT", 40)

    shop.buy(*range(5))

    assert [len(each.names) for each in endpoint.batches.values()] == [2, 2]


# the order of things


def test_a_batch_is_in_the_ledger_before_it_is_posted_and_its_id_before_a_look(
    shop: Shop, endpoint: Endpoint
) -> None:
    seen: dict[str, list[tuple[str, int, str | None]]] = {}

    def witness(step: str) -> None:
        if step != "live":
            seen[step] = [
                (batch.state.value, batch.requests, batch.posted_id)
                for batch in shop.batches()
            ]

    endpoint.witness = witness
    shop.buy(0, 1, 2)

    assert seen["create"] == [("planned", 2, None)]
    assert seen["batch"] == [("posted", 2, "b1")]
    assert shop.batches()[0].ids_digest == ids_digest(endpoint.batches["b1"].names)


def test_a_batch_that_was_posted_but_not_noted_is_adopted(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.after["create"] = [Killed()]
    with pytest.raises(Killed):
        shop.buy(*range(5))
    assert shop.states() == [("planned", None)]

    shop.buy(*range(5))

    assert shop.states() == [("collected", "b1")]
    assert set(shop.bought.values()) == {1}
    assert len(shop.done) == 5


def test_a_batch_that_never_arrived_is_bought_anew_once_that_is_certain(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.before["create"] = [Killed()]
    with pytest.raises(Killed):
        shop.buy(*range(5))
    met = shop.now
    posted_at: list[float] = []
    endpoint.witness = lambda step: (
        posted_at.append(shop.now) if step == "create" else None
    )

    shop.buy(*range(5))

    assert shop.states() == [("abandoned", None), ("collected", "b1")]
    assert [at - met >= SETTLING for at in posted_at] == [True]
    assert set(shop.bought.values()) == {1}


def test_a_killed_command_collects_what_it_had_posted(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.before["batch"] = [Killed()]
    with pytest.raises(Killed):
        shop.buy(*range(9))

    shop.buy(*range(9))

    assert shop.states() == [("collected", "b1"), ("collected", "b2")]
    assert len(endpoint.live) == 1


def test_a_command_with_another_selection_collects_the_whole_batch(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.before["batch"] = [Killed()]
    with pytest.raises(Killed):
        shop.buy(*range(5))

    shop.buy(3)

    assert [entry.request.item for entry in shop.done] == ["q:3"]
    assert sorted(shop.entries()) == [0, 1, 2, 3, 4]


def test_a_batch_that_is_abandoned_for_another_selection_is_just_forgotten(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.before["create"] = [Killed()]
    with pytest.raises(Killed):
        shop.buy(*range(5))

    shop.buy(0, 3)

    assert sorted(shop.entries()) == [0, 3]


def test_what_was_collected_before_a_kill_is_not_stored_twice(
    shop: Shop, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("locomo_run.ledger.store.COMMIT_ROWS", 1)
    killed = {"q": 0}

    def outcome(key: str, time: int) -> BatchOutcome:
        killed["q"] += 1
        if killed["q"] == 3:
            raise Killed
        return DONE

    endpoint.outcome = outcome
    with pytest.raises(Killed):
        shop.buy(*range(5))
    shop.buy(*range(5))

    assert {entry.attempts for entry in shop.entries().values()} == {1}


def test_an_adopted_batch_keeps_what_was_withheld(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.withheld = ("temperature",)
    endpoint.after["create"] = [Killed()]
    with pytest.raises(Killed):
        shop.buy(0, 1)

    shop.buy(0, 1)

    assert shop.entries()[1].attempt.reply["withheld"] == ["temperature"]


# whose batch is it


def test_a_stranger_of_the_same_size_is_looked_into_and_left_alone(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.before["create"] = [Killed()]
    with pytest.raises(Killed):
        shop.buy(0, 1, 2)
    endpoint.add("ours-not", ["a-1", "b-1"])
    endpoint.add("larger", ["a-1", "b-1", "c-1"])

    shop.buy(0, 1, 2)

    assert "larger" not in endpoint.looks
    assert shop.states() == [("abandoned", None), ("collected", "b3")]


def test_a_suspect_that_has_not_ended_is_waited_for(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.polls = 30
    endpoint.after["create"] = [Killed()]
    with pytest.raises(Killed):
        shop.buy(0, 1, 2)

    shop.buy(0, 1, 2)

    assert shop.states() == [("collected", "b1")]
    assert shop.now > 300


def test_a_suspect_that_was_deleted_or_is_incomplete_is_not_the_batch(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.after["create"] = [Killed()]
    with pytest.raises(Killed):
        shop.buy(0, 1, 2)
    endpoint.before["results"] = [failure(ErrorKind.NOT_FOUND)]

    shop.buy(0, 1, 2)

    assert shop.states() == [("abandoned", None), ("collected", "b2")]

    endpoint.after["create"] = [Killed()]
    with pytest.raises(Killed):
        shop.buy(3, 4, 5)
    endpoint.batches["b3"].names.pop()
    endpoint.batches["b3"].names.append(endpoint.batches["b3"].names[0])

    shop.buy(3, 4, 5)

    assert [state for state, _ in shop.states()].count("abandoned") == 2


def test_the_rule_asks_again_after_a_failure(shop: Shop, endpoint: Endpoint) -> None:
    endpoint.after["create"] = [Killed()]
    with pytest.raises(Killed):
        shop.buy(0, 1, 2)
    endpoint.before["list"] = [failure(ErrorKind.SERVER)]
    endpoint.before["results"] = [failure(ErrorKind.CONNECTION)]

    shop.buy(0, 1, 2)

    assert shop.states() == [("collected", "b1")]


@pytest.mark.parametrize(
    ("count", "seconds", "name", "suspected"),
    [
        (3, 0, "x", True),
        (3, CLOCK_ERROR.total_seconds() - 1, "x", True),
        (3, 1 - CLOCK_ERROR.total_seconds(), "x", True),
        (3, CLOCK_ERROR.total_seconds() + 1, "x", False),
        (2, 0, "x", False),
        (3, 0, "known", False),
    ],
)
def test_suspects_have_the_size_about_the_time_and_no_other_place_in_the_ledger(
    count: int, seconds: float, name: str, suspected: bool
) -> None:
    planned = datetime(2026, 11, 30, tzinfo=UTC)
    batch = Batch(
        id="0" * 16,
        stage=Stage.JUDGE,
        purpose="p",
        settings=SETTINGS,
        endpoint="",
        requests=3,
        ids_digest="",
        cost=0.0,
        planned_at=planned,
    )
    info = BatchInfo(
        id=name,
        status=BatchStatus.ENDED,
        counts=BatchCounts(
            processing=0, succeeded=count - 1, errored=1, canceled=0, expired=0
        ),
        created_at=planned + timedelta(seconds=seconds),
        expires_at=planned,
    )

    assert suspects(batch, [info], [None, "known"]) == ([name] if suspected else [])


# posts that fail


@pytest.mark.parametrize(
    "kind",
    [ErrorKind.SERVER, ErrorKind.CONNECTION, ErrorKind.TIMEOUT, ErrorKind.BAD_REPLY],
)
@pytest.mark.parametrize("arrived", [True, False])
def test_a_post_without_an_answer_is_settled_before_it_is_repeated(
    shop: Shop, endpoint: Endpoint, kind: ErrorKind, arrived: bool
) -> None:
    (endpoint.after if arrived else endpoint.before)["create"] = [failure(kind)]

    shop.buy(*range(3))

    assert set(shop.bought.values()) == {1}
    assert len(shop.batches()) == (1 if arrived else 2)
    assert len(shop.done) == 3


def test_a_post_that_was_surely_refused_is_repeated_when_asked_to(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.before["create"] = [
        failure(ErrorKind.RATE_LIMITED, retry_after=7.0),
        failure(ErrorKind.OVERLOADED),
    ]

    shop.buy(*range(3))

    assert shop.slept[0] == 7.0
    assert [state for state, _ in shop.states()] == [
        "abandoned",
        "abandoned",
        "collected",
    ]
    assert endpoint.looks == ["b1"]


def test_an_endpoint_that_keeps_failing_is_given_up_after_the_minutes(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.before["create"] = [failure(ErrorKind.OVERLOADED) for _ in range(500)]

    with pytest.raises(RunError, match="the same command collects them"):
        shop.buy(*range(3), retry_minutes=2)

    assert 120 < shop.now < 300


def test_what_no_repetition_mends_stops_at_once(shop: Shop, endpoint: Endpoint) -> None:
    endpoint.before["create"] = [failure(ErrorKind.INVALID_REQUEST)]

    with pytest.raises(RunError, match="made to fail: invalid_request"):
        shop.buy(*range(3))

    assert shop.states() == [("abandoned", None)]


def test_an_endpoint_without_batches_is_named(shop: Shop, endpoint: Endpoint) -> None:
    endpoint.before["create"] = [failure(ErrorKind.NOT_FOUND)]

    with pytest.raises(
        RunError,
        match=r"https://endpoint\.test takes no message batches: leave --batch",
    ):
        shop.buy(*range(3))


def test_a_batch_too_large_to_send_says_what_to_do(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.before["create"] = [ValueError("the batch is too large")]

    with pytest.raises(RunError, match="too large; try a smaller --batch-size"):
        shop.buy(*range(3))


def test_a_model_that_takes_no_batches_is_named(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "locomo_run.calls.desk.open_model", lambda name, timeout: lambda p, s: None
    )

    with pytest.raises(UsageError, match=f"--batch: the endpoint of {MODEL}"):
        shop.buy(0)


def test_looks_that_fail_are_repeated(shop: Shop, endpoint: Endpoint) -> None:
    endpoint.before["batch"] = [failure(ErrorKind.SERVER), failure(ErrorKind.TIMEOUT)]
    endpoint.before["results"] = [failure(ErrorKind.CONNECTION)]

    shop.buy(*range(3))

    assert shop.states() == [("collected", "b1")]


# results that are no replies


def test_only_what_has_no_reply_is_bought_again(shop: Shop, endpoint: Endpoint) -> None:
    bad: dict[str, BatchOutcome | ModelError] = {
        job(1).request.key: failure(ErrorKind.SERVER),
        job(2).request.key: BatchOutcome.EXPIRED,
        job(3).request.key: BatchOutcome.CANCELED,
    }
    endpoint.outcome = lambda key, time: DONE if time else bad.get(key, DONE)

    shop.buy(*range(5))

    again = {key for key, count in shop.bought.items() if count == 2}
    assert again == set(bad)
    assert [shop.entries()[n].attempts for n in range(5)] == [1, 2, 2, 2, 1]
    assert all(entry.ok for entry in shop.entries().values())
    assert len(shop.done) == 5


@pytest.mark.parametrize(
    ("outcome", "times", "reason"),
    [
        (failure(ErrorKind.SERVER), ROUNDS, "made to fail: server"),
        (failure(ErrorKind.INVALID_REQUEST), 1, "made to fail: invalid_request"),
        (BatchOutcome.EXPIRED, ROUNDS, "its batch expired before it was asked"),
        (BatchOutcome.CANCELED, ROUNDS, "its batch was cancelled before it was asked"),
    ],
)
def test_a_request_that_fails_again_and_again_ends_as_an_error_with_its_reason(
    shop: Shop,
    endpoint: Endpoint,
    outcome: BatchOutcome | ModelError,
    times: int,
    reason: str,
) -> None:
    endpoint.outcome = lambda key, time: outcome

    shop.buy(0, 1)

    entry = shop.entries()[1]
    assert (entry.attempt.status, entry.attempt.reason) == (Status.INFRA_ERROR, reason)
    assert (entry.attempts, entry.attempt.usage) == (times, None)
    assert shop.done[-1] == entry

    endpoint.outcome = lambda key, time: DONE
    shop.buy(0, 1)

    assert shop.entries()[1].ok, "a repeated command asks again, as live"


def test_a_result_that_concerns_all_stops_the_run_after_the_batch_is_stored(
    shop: Shop, endpoint: Endpoint
) -> None:
    bad = job(1).request.key
    endpoint.outcome = lambda key, time: (
        failure(ErrorKind.CREDIT) if key == bad else DONE
    )

    with pytest.raises(RunError, match="message batches: made to fail: credit"):
        shop.buy(*range(9))

    assert sorted(shop.entries()) == [0, 1, 2, 3, 4]
    assert shop.states() == [("collected", "b1"), ("posted", "b2")]


def unusable(status: Status) -> Callable[[str], Completion]:
    def reply(about: str) -> Completion:
        bad = about in (job(1).request.key, job(1).prompt.user)
        return Completion(text="…", stop_reason=status if bad else "end_turn")

    return reply


@pytest.mark.parametrize(
    ("status", "times", "more"),
    [(Status.UNPARSED, 3, 6), (Status.TRUNCATED, 3, 6), (Status.REFUSED, 1, 2)],
)
def test_an_unusable_reply_is_asked_for_as_often_as_live(
    shop: Shop, endpoint: Endpoint, status: Status, times: int, more: int
) -> None:
    endpoint.reply = unusable(status)

    shop.buy(0, 1)
    shop.buy(0, 1)

    entry = shop.entries()[1]
    assert (entry.attempt.status, entry.attempts) == (status, times)

    shop.buy(0, 1, retry_failed=True)

    assert shop.entries()[1].attempts == more


def test_a_killed_command_leaves_the_repetitions_of_an_unusable_reply_to_the_next(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.reply = unusable(Status.UNPARSED)
    creates: list[str] = []

    def witness(step: str) -> None:
        creates.extend([step] if step == "create" else [])
        if len(creates) == 2:
            creates.append("")
            raise Killed

    endpoint.witness = witness
    with pytest.raises(Killed):
        shop.buy(0, 1)
    assert shop.entries()[1].attempts == 1

    shop.buy(0, 1)

    assert shop.entries()[1].attempts == 3
    assert endpoint.live == ["question 0"]


def test_a_failing_first_request_is_done_with_its_live_attempts(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.before["live"] = [failure(ErrorKind.INVALID_REQUEST)]

    shop.buy(0, 1, 2)

    assert shop.entries()[0].attempt.status is Status.INFRA_ERROR
    assert job(0).request.key not in shop.bought
    assert shop.entries()[1].ok


def test_results_that_break_off_are_read_again(shop: Shop, endpoint: Endpoint) -> None:
    endpoint.cut = 2

    shop.buy(*range(5))

    assert {entry.attempts for entry in shop.entries().values()} == {1}
    assert shop.states() == [("collected", "b1")]


def test_a_request_that_is_missing_from_complete_results_is_bought_again(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.lost = {job(2).request.key}

    shop.buy(*range(3))

    entry = shop.entries()[2]
    assert entry.attempt.reason == "not among the results"
    assert entry.attempts == ROUNDS


# money


def test_a_cap_stops_before_the_batch_that_could_pass_it(
    shop: Shop, endpoint: Endpoint
) -> None:
    with pytest.raises(CostCapError, match=r"cap \$0.01"):
        shop.buy(*range(9), cost=0.02, max_cost=0.01)

    assert endpoint.live == []
    assert endpoint.batches == {}


def test_a_batch_takes_what_the_cap_allows_and_later_ones_what_is_left_over(
    shop: Shop, endpoint: Endpoint
) -> None:
    """A call costs 0.00525 and at the most 0.02 live, half of both in a batch."""
    with pytest.raises(CostCapError, match=r"\$0.0210 spent, up to \$0.0000 in flight"):
        shop.buy(*range(9), cost=0.02, max_cost=0.03)

    # 0.00525 are spent live, and 2 x 0.01 fit; once those have cost 2 x 0.002625, one
    # more fits, and so on until less than 0.01 is left
    assert [len(each.names) for each in endpoint.batches.values()] == [2, 1, 1, 1, 1]
    assert len(shop.entries()) == 7


def test_a_full_batch_waits_until_those_in_flight_have_shown_what_they_cost(
    shop: Shop, endpoint: Endpoint
) -> None:
    shop.buy(*range(9), cost=0.02, max_cost=0.07)

    assert [len(each.names) for each in endpoint.batches.values()] == [4, 4]
    assert endpoint.looks[0] == "b1"


def test_batches_of_an_earlier_command_count_as_spent_until_they_are_collected(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.before["batch"] = [Killed()]
    with pytest.raises(Killed):
        shop.buy(*range(5), cost=0.02)
    told = len(shop.events)

    shop.buy(*range(9), cost=0.02, max_cost=0.06)

    steps = [e.batches for e in shop.events[told:] if isinstance(e, Traffic)]
    assert max(steps) == 1, "four more would not fit beside the four in flight"
    assert len(shop.entries()) == 9


# what the user has to mend


def test_a_live_command_refuses_while_batches_are_open(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.before["batch"] = [Killed()]
    with pytest.raises(Killed):
        shop.buy(*range(5))

    with pytest.raises(UsageError, match="4 requests of this run are in 1 message"):
        shop.buy(*range(5), batch=False)

    assert len(endpoint.live) == 1


def test_batches_of_another_endpoint_are_named(shop: Shop, endpoint: Endpoint) -> None:
    endpoint.before["batch"] = [Killed()]
    with pytest.raises(Killed):
        shop.buy(*range(5))
    endpoint.base_url = "https://user:secret@other.test"

    with pytest.raises(UsageError, match="ANTHROPIC_BASE_URL as it was") as caught:
        shop.buy(*range(5))

    assert "https://endpoint.test, and models are asked at https://other.test" in str(
        caught.value
    )


def test_a_batch_that_the_endpoint_does_not_know_is_not_bought_again_unasked(
    shop: Shop, endpoint: Endpoint
) -> None:
    endpoint.before["batch"] = [Killed()]
    with pytest.raises(Killed):
        shop.buy(*range(5))
    del endpoint.batches["b1"]

    with pytest.raises(RunError, match=r"batch b1 \(4 requests\) is not known"):
        shop.buy(*range(5))

    assert shop.states() == [(BatchState.POSTED, "b1")]
