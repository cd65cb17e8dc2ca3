"""Answerers: from a question and the hits of a search to a prediction.

Answerers are opened by name through `locomo_run.answerers.registry`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from locomo_run.memory import Hit, Setting

UNANSWERABLE = "unanswerable"
"""The one word with which an answerer says that the context is not enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A prediction and what it cost."""

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None


class Answerer(Protocol):
    """Whatever reads the context and answers."""

    def answer(self, question: str, hits: Sequence[Hit]) -> Answer:
        """Answer a question from the hits that fit the context."""
        ...

    def describe(self) -> Mapping[str, Setting]:
        """Return everything that changes an answer (the fingerprint)."""
        ...
