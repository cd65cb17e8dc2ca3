"""Answerers: from a question and the hits of a search to a prediction.

Answerers are opened by name through `locomo_run.answerers.registry`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from locomo_dataset import Question

from locomo_run.calls.models import Ask
from locomo_run.ledger.entry import Attempt, Json
from locomo_run.memory import Hit, Setting

UNANSWERABLE = "unanswerable"
"""The one word with which an answerer says that the context is not enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """An answer that has not been asked for yet."""

    call: Callable[[], Awaitable[Attempt]]
    """Asks once; the reply holds the prediction under `text`."""
    content: Mapping[str, Json] = field(default_factory=dict)
    """What determines the reply, besides the hits and the answerer's description."""
    cost: float = 0.0
    """The most that one call may cost, in dollars."""
    ask: Ask | None = None
    """What `call` asks of a model, for those who ask it in a batch."""


class Answerer(Protocol):
    """Whatever reads the context and answers."""

    def prepare(self, question: Question, hits: Sequence[Hit]) -> Prepared:
        """Make ready to answer a question from the hits that fit the context."""
        ...

    def describe(self) -> Mapping[str, Setting]:
        """Return everything that changes an answer (the fingerprint)."""
        ...
