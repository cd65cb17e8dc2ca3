import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Event

import pytest
from locomo_dataset import Conversation, Question, load_mini
from locomo_run import progress
from locomo_run.answerers import Prepared
from locomo_run.answerers.reader import ReaderAnswerer
from locomo_run.calls.desk import MEMORY_ATTEMPTS as ATTEMPTS
from locomo_run.calls.desk import open_desk
from locomo_run.config import CallOptions
from locomo_run.errors import CallError
from locomo_run.ledger.entry import Attempt, Stage, Status
from locomo_run.ledger.store import Ledger
from locomo_run.memory import Found, Hit, Query, Setting
from locomo_run.memory.full_context import FullContextMemory
from locomo_run.outcome import State, outcomes
from locomo_run.progress import Answered, Ingested, Started
from locomo_run.runner import Plan, run

MINI = load_mini()
QUESTIONS = MINI.conversations[0].all_questions()[:4]


class Memory(FullContextMemory):
    """A memory that counts its searches, and fails those whose numbers are given."""

    def __init__(self, failing: Sequence[int] = ()) -> None:
        super().__init__()
        self.searches: list[Query] = []
        self._failing = failing

    def search(self, query: Query, limit: int) -> tuple[Hit, ...]:
        self.searches.append(query)
        if len(self.searches) in self._failing:
            raise TimeoutError("no reply\nwithin 5 s")
        return super().search(query, limit)


class BrokenMemory(Memory):
    def ingest(self, conversation: Conversation) -> None:
        raise OSError("out of space")


class Reader:
    """A reader that counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.read: list[int] = []

    def answer(self, question: str, hits: Sequence[Hit]) -> str:
        self.asked.append(question)
        self.read.append(len(hits))
        return f"answer to {question}"

    def describe(self) -> Mapping[str, Setting]:
        return {"name": "counting"}


def plan(memory: Memory, answerer: Reader, context_chars: int | None = None) -> Plan:
    return Plan(
        dataset=MINI,
        questions=QUESTIONS,
        memory=memory,
        fingerprint=memory.describe(),
        answerer=ReaderAnswerer(answerer, clock=ticking()),
        search_limit=None,
        context_chars=context_chars,
        headline="standard",
    )


def ticking() -> Callable[[], float]:
    """A clock that goes on by a second with every look."""
    ticks = count()
    return lambda: float(next(ticks))


async def instantly(seconds: float) -> None:
    """A sleep that takes no time."""


def go(directory: Path, plan: Plan) -> list[progress.Event]:
    events: list[progress.Event] = []

    async def steps(ledger: Ledger) -> None:
        async with open_desk(
            ledger, CallOptions(in_flight=1), events.append, sleep=instantly
        ) as desk:
            await run(plan, desk, clock=ticking())

    with Ledger.write(directory) as ledger:
        asyncio.run(steps(ledger))
    return events


def statuses(directory: Path, stage: Stage) -> dict[str, tuple[Status, int]]:
    with Ledger.read(directory) as ledger:
        return {
            e.request.item: (e.attempt.status, e.attempts)
            for e in ledger.entries(stage)
        }


def test_every_question_is_searched_and_answered_once(tmp_path: Path) -> None:
    memory, answerer = Memory(), Reader()

    events = go(tmp_path, plan(memory, answerer))

    assert [query.text for query in memory.searches] == [q.text for q in QUESTIONS]
    assert answerer.asked == [q.text for q in QUESTIONS]
    assert events[:2] == [
        Started(questions=4, stored=0, conversations=1),
        Ingested(sample_id="mini-1", questions=4),
    ]
    assert [type(event) for event in events[2:]] == [Answered] * 4


class WatchedMemory(Memory):
    """A memory that tells when it has been asked everything."""

    def __init__(self) -> None:
        super().__init__()
        self.all_asked = Event()

    def search(self, query: Query, limit: int) -> tuple[Hit, ...]:
        hits = super().search(query, limit)
        if len(self.searches) == len(QUESTIONS):
            self.all_asked.set()
        return hits


class WaitingAnswerer:
    """An answerer whose calls end only when a memory has been asked everything."""

    def __init__(self, memory: WatchedMemory) -> None:
        self._memory = memory

    def prepare(self, question: Question, hits: Sequence[Hit]) -> Prepared:
        async def call() -> Attempt:
            asked = await asyncio.to_thread(self._memory.all_asked.wait, timeout=10)
            return Attempt(status=Status.OK, reply={"text": str(asked)})

        return Prepared(call=call)

    def describe(self) -> Mapping[str, Setting]:
        return {"name": "waiting"}


def test_no_search_waits_for_a_model(tmp_path: Path) -> None:
    memory = WatchedMemory()

    go(tmp_path, replace(plan(memory, Reader()), answerer=WaitingAnswerer(memory)))

    with Ledger.read(tmp_path) as ledger:
        told = [outcome.prediction for outcome in outcomes(QUESTIONS, ledger)]
    assert told == ["True"] * len(QUESTIONS)


def test_a_query_carries_no_gold(tmp_path: Path) -> None:
    memory = Memory()

    go(tmp_path, plan(memory, Reader()))

    first = QUESTIONS[0]
    assert memory.searches[0] == Query(
        question_id=first.id, sample_id=first.sample_id, text=first.text
    )


def test_a_second_run_asks_nothing_and_adds_nothing(tmp_path: Path) -> None:
    go(tmp_path, plan(Memory(), Reader()))
    before = statuses(tmp_path, Stage.SEARCH) | statuses(tmp_path, Stage.ANSWER)
    memory, answerer = Memory(), Reader()

    events = go(tmp_path, plan(memory, answerer))

    assert (memory.searches, answerer.asked) == ([], [])
    assert events[0] == Started(questions=4, stored=4, conversations=1)
    after = statuses(tmp_path, Stage.SEARCH) | statuses(tmp_path, Stage.ANSWER)
    assert after == before == {q.id: (Status.OK, 1) for q in QUESTIONS}


def test_a_call_that_fails_now_and_then_is_tried_again_at_once(tmp_path: Path) -> None:
    memory = Memory(failing=[1, 3])

    go(tmp_path, plan(memory, Reader()))

    assert statuses(tmp_path, Stage.SEARCH) == {
        QUESTIONS[0].id: (Status.OK, 2),
        QUESTIONS[1].id: (Status.OK, 2),
        QUESTIONS[2].id: (Status.OK, 1),
        QUESTIONS[3].id: (Status.OK, 1),
    }


def test_a_call_that_keeps_failing_is_left_stored_with_its_reason(
    tmp_path: Path,
) -> None:
    answerer = Reader()

    events = go(tmp_path, plan(Memory(failing=range(1, ATTEMPTS + 1)), answerer))

    with Ledger.read(tmp_path) as ledger:
        first, *others = outcomes(QUESTIONS, ledger)
    assert first.state is State.FAILED
    assert first.reason == "TimeoutError: no reply within 5 s"
    assert (first.prediction, first.scores) == (None, None)
    assert {other.state for other in others} == {State.ANSWERED}
    assert [e.failed for e in events if isinstance(e, Answered)] == [
        True,
        False,
        False,
        False,
    ]
    assert len(answerer.asked) == 3


def test_a_resumed_run_asks_again_what_failed_and_nothing_else(tmp_path: Path) -> None:
    go(tmp_path, plan(Memory(failing=range(1, ATTEMPTS + 1)), Reader()))
    memory = Memory()

    go(tmp_path, plan(memory, Reader()))

    assert [query.question_id for query in memory.searches] == [QUESTIONS[0].id]
    assert statuses(tmp_path, Stage.SEARCH)[QUESTIONS[0].id] == (
        Status.OK,
        ATTEMPTS + 1,
    )


def test_a_memory_that_takes_nothing_in_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(CallError, match="mini-1 cannot be ingested: OSError: out of"):
        go(tmp_path, plan(BrokenMemory(), Reader()))

    assert statuses(tmp_path, Stage.INGEST) == {
        "mini-1": (Status.INFRA_ERROR, ATTEMPTS)
    }


def test_another_context_budget_is_another_answer(tmp_path: Path) -> None:
    answerer = Reader()
    go(tmp_path, plan(Memory(), answerer))

    go(tmp_path, plan(Memory(), answerer, context_chars=300))

    assert len(answerer.asked) == 2 * len(QUESTIONS)
    assert max(answerer.read[4:]) < min(answerer.read[:4])


def test_latencies_are_those_of_the_calls_alone(tmp_path: Path) -> None:
    go(tmp_path, plan(Memory(), Reader()))

    with Ledger.read(tmp_path) as ledger:
        found = list(outcomes(QUESTIONS, ledger))
    assert {(o.search_ms, o.answer_ms) for o in found} == {(1000.0, 1000.0)}


class TellingMemory(Memory):
    """A memory that tells its version, and how long its first search took."""

    def search_and_tell(self, query: Query, limit: int) -> Found:
        hits = self.search(query, limit)[:2]
        latency = 7.0 if len(self.searches) == 1 else None
        return Found(hits=hits, latency_ms=latency, about={"version": "1.2"})


def test_a_memory_may_tell_the_time_of_a_search_itself(tmp_path: Path) -> None:
    go(tmp_path, plan(TellingMemory(), Reader()))

    with Ledger.read(tmp_path) as ledger:
        told = [outcome.search_ms for outcome in outcomes(QUESTIONS, ledger)]
    assert told == [7.0, 1000.0, 1000.0, 1000.0]


def test_the_entry_of_a_search_counts_its_hits_and_holds_what_the_memory_tells(
    tmp_path: Path,
) -> None:
    go(tmp_path, plan(TellingMemory(), Reader()))

    with Ledger.read(tmp_path) as ledger:
        first = next(iter(ledger.entries(Stage.SEARCH)))
    assert first.attempt.reply["hit_count"] == 2
    assert first.attempt.reply["version"] == "1.2"
    assert "version" not in str(first.request.content)


def test_the_entry_of_an_answer_tells_the_size_of_its_context(tmp_path: Path) -> None:
    first, second, *_ = MINI.conversations[0].sessions[0].turns
    date = MINI.conversations[0].sessions[0].date_text
    texts = [f"{turn.speaker}: {turn.text}" for turn in (first, second)]

    go(tmp_path, plan(TellingMemory(), Reader()))

    with Ledger.read(tmp_path) as ledger:
        sizes = [e.attempt.reply["context_chars"] for e in ledger.entries(Stage.ANSWER)]
    block = f"[1 — {date}]\n{texts[0]}\n\n[2 — {date}]\n{texts[1]}"
    assert sizes == [len(block)] * len(QUESTIONS)


def test_a_question_not_asked_yet_is_missing(tmp_path: Path) -> None:
    go(tmp_path, plan(Memory(), Reader()))

    with Ledger.read(tmp_path) as ledger:
        states = [o.state for o in outcomes(MINI.conversations[1].qa, ledger)]
    assert set(states) == {State.MISSING}
