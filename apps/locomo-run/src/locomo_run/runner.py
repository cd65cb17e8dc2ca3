"""The stages of a run, in order: ingest, then search and answer each question.

Everything that costs something goes through `_obtain`, which looks into the ledger
before it asks, and stores what it got before it goes on.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import TypeVar, cast

from locomo_dataset import Conversation, Dataset, Question

from locomo_run.answerers import Answerer
from locomo_run.context import fit
from locomo_run.entry import (
    Attempt,
    Entry,
    Json,
    Request,
    Stage,
    Status,
    canonical,
)
from locomo_run.errors import CallError
from locomo_run.ledger import Ledger
from locomo_run.memory import Hit, Memory, Query
from locomo_run.progress import Answered, Event, Ingested, Started
from locomo_run.scoring import score

ATTEMPTS = 3
"""How often a call that fails is made in one go; a resumed run makes as many again."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be run, against what."""

    dataset: Dataset
    questions: Sequence[Question]
    """In the data set's order."""
    memory: Memory
    answerer: Answerer
    search_limit: int | None
    """None for a memory that returns all it has."""
    context_chars: int | None
    """None for a memory whose hits are always read whole."""
    headline: str
    """The F1 profile of the running score."""


def run(
    plan: Plan,
    ledger: Ledger,
    observe: Callable[[Event], None],
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> None:
    """Bring the ledger to the point where every question of the plan has an entry.

    Args:
        plan: What to run.
        ledger: Open for writing; committed at the end.
        observe: Called with each step, for the display.
        clock: Seconds, for latencies.
    """
    step = _Steps(plan, ledger, clock)
    stored = {entry.request.item for entry in ledger.entries(Stage.ANSWER) if entry.ok}
    observe(
        Started(
            questions=len(plan.questions),
            stored=sum(q.id in stored for q in plan.questions),
            conversations=len({q.sample_id for q in plan.questions}),
        )
    )
    for sample_id, questions in groupby(plan.questions, key=lambda q: q.sample_id):
        conversation = plan.dataset.conversation(sample_id)
        _converse(step, conversation, list(questions), plan.headline, observe)
    ledger.commit()


def _converse(
    step: _Steps,
    conversation: Conversation,
    questions: Sequence[Question],
    headline: str,
    observe: Callable[[Event], None],
) -> None:
    step.ingest(conversation)
    observe(Ingested(sample_id=conversation.sample_id, questions=len(questions)))
    for question in questions:
        found = step.search(question)
        prediction = prediction_of(step.answer(question, found)) if found.ok else None
        observe(
            Answered(
                question_id=question.id,
                failed=prediction is None,
                f1=None
                if prediction is None
                else score(prediction, question).f1[headline],
                search_ms=found.attempt.latency_ms,
            )
        )


def prediction_of(entry: Entry | None) -> str | None:
    """Return the prediction of a good answer entry, None without one."""
    return str(entry.attempt.reply["text"]) if entry is not None and entry.ok else None


def hits_of(entry: Entry, ledger: Ledger) -> tuple[Hit, ...]:
    """Return the hits of a good search entry."""
    listed = json.loads(ledger.stored(str(entry.attempt.reply["hits"])))
    return tuple(
        Hit(**{**hit, "turns": None if hit["turns"] is None else tuple(hit["turns"])})
        for hit in listed
    )


class _Steps:
    """The calls of a run, each looked up before it is made."""

    def __init__(self, plan: Plan, ledger: Ledger, clock: Callable[[], float]) -> None:
        self._plan = plan
        self._ledger = ledger
        self._clock = clock
        self._memory = plan.memory.describe()
        self._answerer = plan.answerer.describe()

    def ingest(self, conversation: Conversation) -> None:
        """Fill the memory with a conversation.

        The memories of this process are filled anew each time; the entry says that it
        was done, and how long it took at first.

        Raises:
            CallError: it could not be done.
        """
        request = Request(
            stage=Stage.INGEST,
            item=conversation.sample_id,
            content={"memory": self._memory, "dataset": self._plan.dataset.sha256},
        )
        known = self._ledger.entry(request)
        if known is not None and known.ok:
            self._plan.memory.ingest(conversation)
            return
        entry = self._obtain(
            request,
            lambda: self._plan.memory.ingest(conversation),
            lambda _: {
                "sessions": len(conversation.sessions),
                "turns": sum(len(s.turns) for s in conversation.sessions),
            },
        )
        if not entry.ok:
            raise CallError(
                f"{conversation.sample_id} cannot be ingested: {entry.attempt.reason}"
            )

    def search(self, question: Question) -> Entry:
        """Ask the memory."""
        limit = self._plan.search_limit
        request = Request(
            stage=Stage.SEARCH,
            item=question.id,
            content={"memory": self._memory, "query": question.text, "limit": limit},
        )
        query = Query(
            question_id=question.id, sample_id=question.sample_id, text=question.text
        )
        return self._obtain(
            request,
            lambda: self._plan.memory.search(
                query, sys.maxsize if limit is None else limit
            ),
            lambda hits: {
                "hits": self._ledger.store(canonical([asdict(hit) for hit in hits]))
            },
        )

    def answer(self, question: Question, found: Entry) -> Entry:
        """Have the hits that fit the context read."""
        context = fit(hits_of(found, self._ledger), self._plan.context_chars)
        request = Request(
            stage=Stage.ANSWER,
            item=question.id,
            content={
                "answerer": self._answerer,
                "question": question.text,
                "hits": found.attempt.reply["hits"],
                "hits_read": len(context),
            },
        )
        return self._obtain(
            request, lambda: self._plan.answerer.answer(question.text, context), asdict
        )

    def _obtain(
        self,
        request: Request,
        call: Callable[[], T],
        reply: Callable[[T], dict[str, Json]],
    ) -> Entry:
        """Return what the ledger has, or make the call and store how it went."""
        entry = self._ledger.entry(request)
        if entry is not None and entry.attempt.status is not Status.INFRA_ERROR:
            return entry
        for _ in range(ATTEMPTS):
            entry = self._ledger.append(request, self._attempt(call, reply))
            if entry.ok:
                break
        return cast(Entry, entry)

    def _attempt(
        self, call: Callable[[], T], reply: Callable[[T], dict[str, Json]]
    ) -> Attempt:
        started = self._clock()
        try:
            result = call()
        except Exception as error:  # noqa: BLE001  # whatever another's code raises
            return Attempt(status=Status.INFRA_ERROR, reason=_one_line(error))
        elapsed = (self._clock() - started) * 1000
        return Attempt(status=Status.OK, reply=reply(result), latency_ms=elapsed)


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]
