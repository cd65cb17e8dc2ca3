"""Readers: answerers that need no model, and so neither wait nor cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from locomo_dataset import Question

from locomo_run.answerers import Prepared
from locomo_run.ledger.entry import Attempt, Status
from locomo_run.memory import Hit, Setting


class Reader(Protocol):
    """Answers at once, from a question's words and the hits."""

    def answer(self, question: str, hits: Sequence[Hit]) -> str:
        """Return the prediction."""
        ...

    def describe(self) -> Mapping[str, Setting]:
        """Return everything that changes an answer (the fingerprint)."""
        ...


class ReaderAnswerer:
    """Lets a reader answer in a run."""

    def __init__(
        self, reader: Reader, *, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._reader = reader
        self._clock = clock

    def prepare(self, question: Question, hits: Sequence[Hit]) -> Prepared:
        """Make ready to read the hits."""

        async def call() -> Attempt:
            started = self._clock()
            text = self._reader.answer(question.text, hits)
            return Attempt(
                status=Status.OK,
                reply={"text": text},
                latency_ms=(self._clock() - started) * 1000,
            )

        return Prepared(call=call)

    def describe(self) -> Mapping[str, Setting]:
        """Return what the reader says of itself."""
        return self._reader.describe()
