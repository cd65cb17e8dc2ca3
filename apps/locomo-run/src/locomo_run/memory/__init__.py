"""The memory under test: the one protocol a memory system implements.

A memory stores conversations and finds what is stored.
It never sees a gold answer: a search gets a `Query`, which carries the words of the
question and where it belongs, nothing else.
Memories are opened by name through `locomo_run.memory.registry`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from locomo_dataset import Conversation

if TYPE_CHECKING:
    from locomo_run.calls.desk import Desk

Setting = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a memory is asked."""

    question_id: str
    """Index-based id of the question, `conv-26:12`."""
    sample_id: str
    """The conversation in which to search."""
    text: str
    """The words of the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One thing that a memory found."""

    id: str
    """Turn id (`D3:12`), or whatever the memory calls its item."""
    text: str
    """What the answerer reads."""
    date: str = ""
    """The session's date as the data set prints it, empty if unknown."""
    score: float | None = None
    """Larger is better; None if the memory gives none."""
    turns: tuple[str, ...] | None = None
    """Ids of the turns it covers; None if the memory does not know them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search found, and what there is to tell of it."""

    hits: tuple[Hit, ...]
    """Best first."""
    latency_ms: float | None = None
    """By the memory's own clock; None where the runner's is to be taken."""
    about: Mapping[str, Setting] = field(default_factory=dict)
    """Whatever else is to stand in the entry of the search."""


class Memory(Protocol):
    """A memory system under test.

    One memory serves one run. The runner calls it from one thread.
    """

    def ingest(self, conversation: Conversation) -> None:
        """Store a conversation; a second call with the same one changes nothing."""
        ...

    def search(self, query: Query, limit: int) -> tuple[Hit, ...]:
        """Return at most `limit` hits of the query's conversation, best first."""
        ...

    def describe(self) -> Mapping[str, Setting]:
        """Return everything that changes what a search returns (the fingerprint)."""
        ...

    def close(self) -> None:
        """Release what the memory holds."""
        ...


@runtime_checkable
class TellingMemory(Memory, Protocol):
    """A memory that tells more of a search than its hits.

    The runner then calls `search_and_tell` in place of `search`.
    """

    def search_and_tell(self, query: Query, limit: int) -> Found:
        """Return the hits of `search`, and what there is to tell of it."""
        ...


@runtime_checkable
class PreparedMemory(Memory, Protocol):
    """A memory outside of this process, filled and checked before any question."""

    async def prepare(self, conversations: Sequence[Conversation], desk: Desk) -> None:
        """Store what is missing; return early when the desk is told to stop.

        Raises:
            RunError: no question should be asked of what is stored.
        """
        ...

    def conclude(self, desk: Desk) -> None:
        """Tell, in the ledger's facts, how the questions were searched."""
        ...
