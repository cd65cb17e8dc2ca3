"""The stages of a run, in order: ingest, then search and answer each question."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from typing import TypeVar

from locomo_dataset import Conversation, Dataset, Question

from locomo_run.answerers import Answerer, Prepared
from locomo_run.batches.answers import Postponed, answer_in_batches
from locomo_run.calls.desk import Desk
from locomo_run.calls.lane import each
from locomo_run.context import fit
from locomo_run.errors import MEMORY_THREAD, CallError
from locomo_run.ledger.entry import (
    Attempt,
    Entry,
    Json,
    Request,
    Stage,
    Status,
    canonical,
)
from locomo_run.memory import Found, Memory, Query, TellingMemory
from locomo_run.progress import Answered, Ingested, Started
from locomo_run.replies import context_size, hits_of, prediction_of, with_more
from locomo_run.scoring import score

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be run, against what."""

    dataset: Dataset
    questions: Sequence[Question]
    """In the data set's order."""
    memory: Memory
    fingerprint: Mapping[str, Json]
    """The memory in the keys of what is asked of it."""
    answerer: Answerer
    search_limit: int | None
    """None for a memory that returns all it has."""
    context_chars: int | None
    """None for a memory whose hits are always read whole."""
    headline: str
    """The F1 profile of the running score."""
    answer_runs: int = 1
    """How often each question is answered."""


async def run(
    plan: Plan,
    desk: Desk,
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> None:
    """Bring the ledger to the point where every question of the plan has an entry.

    Args:
        plan: What to run.
        desk: Where the calls are made.
        clock: Seconds, for the latency of the memory.

    Raises:
        CallError: a conversation cannot be ingested.
    """
    observe = desk.observe
    stored = {e.request.item for e in desk.ledger.entries(Stage.ANSWER) if e.ok}
    observe(
        Started(
            questions=len(plan.questions),
            stored=sum(q.id in stored for q in plan.questions),
            conversations=len({q.sample_id for q in plan.questions}),
        )
    )
    with _memory_thread() as thread:
        steps = _Steps(plan, desk, thread, clock)
        for sample_id, questions in groupby(plan.questions, key=lambda q: q.sample_id):
            if desk.stop.reason is not None:
                break
            asked = list(questions)
            await steps.ingest(plan.dataset.conversation(sample_id))
            observe(Ingested(sample_id=sample_id, questions=len(asked)))
            await steps.ask(asked)
    if steps.postponed and desk.stop.reason is None:

        def tell(each: Postponed, entry: Entry) -> None:
            observe(steps.answered(each.question, each.found, entry))

        await answer_in_batches(steps.postponed, plan.answer_runs, desk, tell)
    desk.ledger.commit()


@contextmanager
def _memory_thread() -> Iterator[ThreadPoolExecutor]:
    """The one thread that calls the memory; a call that hangs is left behind."""
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=MEMORY_THREAD)
    try:
        yield thread
    finally:
        thread.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True, slots=True)
class _Steps:
    """The calls of a run, each with the request under which it is kept."""

    plan: Plan
    desk: Desk
    thread: ThreadPoolExecutor
    """The one thread that calls the memory."""
    clock: Callable[[], float]
    postponed: list[Postponed] = field(default_factory=list)
    """What is to be answered in batches, once everything has been searched for."""

    async def ingest(self, conversation: Conversation) -> None:
        """Fill the memory with a conversation.

        The memories of this process are filled anew each time; the entry says that it
        was done, and how long it took at first.

        Raises:
            CallError: it could not be done.
        """
        request = Request(
            stage=Stage.INGEST,
            item=conversation.sample_id,
            content={
                "memory": self.plan.fingerprint,
                "dataset": self.plan.dataset.sha256,
            },
        )

        def fill() -> None:
            self.plan.memory.ingest(conversation)

        def filled(_: None, elapsed: float) -> Attempt:
            turns = sum(len(session.turns) for session in conversation.sessions)
            return Attempt(
                status=Status.OK,
                reply={"sessions": len(conversation.sessions), "turns": turns},
                latency_ms=elapsed,
            )

        known = self.desk.ledger.entry(request)
        if known is not None and known.ok:
            await self._in_thread(fill)
            return
        entry = await self.desk.memory.obtain(
            request, lambda: self._measured(fill, filled)
        )
        if not entry.ok:
            raise CallError(
                f"{conversation.sample_id} cannot be ingested: {entry.attempt.reason}"
            )

    async def ask(self, questions: Sequence[Question]) -> None:
        """Search for all, and answer what is found meanwhile.

        The searches go ahead: none waits for a model.
        """
        width = self.desk.models.limits.in_flight
        done: asyncio.Queue[tuple[Question, Entry] | None] = asyncio.Queue()

        async def search(question: Question) -> None:
            done.put_nowait((question, await self.search(question)))

        async def searches() -> None:
            try:
                await each(questions, search, self.desk.memory.limits.in_flight)
            finally:
                for _ in range(width):
                    done.put_nowait(None)

        async def answer_as_they_come(_: int) -> None:
            while found := await done.get():
                if answered := await self.read(*found):
                    self.desk.observe(answered)

        async def answers() -> None:
            await each(range(width), answer_as_they_come, width)

        await each((searches, answers), lambda work: work(), 2)

    async def read(self, question: Question, found: Entry) -> Answered | None:
        """Answer, and say how it went; None if it is to be answered later.

        Answers of models are postponed where they are bought in batches.
        """
        answered = None
        if found.ok:
            request, prepared = self.prepare(question, found)
            if self.desk.options.batch and prepared.ask is not None:
                self.postponed.append(
                    Postponed(
                        question=question,
                        found=found,
                        request=request,
                        ask=prepared.ask,
                        cost=prepared.cost,
                    )
                )
                return None
            answered = await self.answer(request, prepared, run=0)
            for run in range(1, self.plan.answer_runs):
                await self.answer(request, prepared, run=run)
        return self.answered(question, found, answered)

    def answered(
        self, question: Question, found: Entry, answered: Entry | None
    ) -> Answered:
        """Say how the answer to a question went."""
        prediction = prediction_of(answered)
        scores = None if prediction is None else score(prediction, question)
        return Answered(
            question_id=question.id,
            failed=prediction is None,
            f1=scores.f1[self.plan.headline] if scores else None,
            search_ms=found.attempt.latency_ms,
        )

    async def search(self, question: Question) -> Entry:
        """Ask the memory."""
        limit = self.plan.search_limit
        request = Request(
            stage=Stage.SEARCH,
            item=question.id,
            content={
                "memory": self.plan.fingerprint,
                "query": question.text,
                "limit": limit,
            },
        )
        query = Query(
            question_id=question.id, sample_id=question.sample_id, text=question.text
        )

        def search() -> Found:
            memory, most = self.plan.memory, sys.maxsize if limit is None else limit
            if isinstance(memory, TellingMemory):
                return memory.search_and_tell(query, most)
            return Found(hits=memory.search(query, most))

        def stored(found: Found, elapsed: float) -> Attempt:
            listed = canonical([asdict(hit) for hit in found.hits])
            return Attempt(
                status=Status.OK,
                reply={
                    **found.about,
                    "hits": self.desk.ledger.store(listed),
                    "hit_count": len(found.hits),
                },
                latency_ms=elapsed if found.latency_ms is None else found.latency_ms,
            )

        return await self.desk.memory.obtain(
            request, lambda: self._measured(search, stored)
        )

    def prepare(self, question: Question, found: Entry) -> tuple[Request, Prepared]:
        """Make ready to have the hits read that fit the context."""
        context = fit(hits_of(found, self.desk.ledger), self.plan.context_chars)
        prepared = self.plan.answerer.prepare(question, context)
        request = Request(
            stage=Stage.ANSWER,
            item=question.id,
            content={
                "answerer": self.plan.answerer.describe(),
                "question": question.text,
                "hits": found.attempt.reply["hits"],
                "hits_read": len(context),
                **prepared.content,
            },
        )
        return request, prepared

    async def answer(self, request: Request, prepared: Prepared, *, run: int) -> Entry:
        """Have the hits read now."""

        async def call() -> Attempt:
            size = context_size(request, self.desk.ledger)
            return with_more(await prepared.call(), size)

        return await self.desk.models.obtain(
            replace(request, run=run), call, prepared.cost
        )

    async def _measured(
        self, call: Callable[[], T], attempt: Callable[[T, float], Attempt]
    ) -> Attempt:
        """Make a call to the memory, timed in ms from its start to its end alone."""

        def timed() -> tuple[T, float]:
            started = self.clock()
            result = call()
            return result, (self.clock() - started) * 1000

        return attempt(*await self._in_thread(timed))

    async def _in_thread(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.thread, call)
