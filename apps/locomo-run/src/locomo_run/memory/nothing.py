"""The floor: a memory that remembers nothing."""

from __future__ import annotations

from collections.abc import Mapping

from locomo_dataset import Conversation

from locomo_run.memory import Hit, Query, Setting


class NoMemory:
    """Finds nothing; what an answerer scores on it, it knew or guessed."""

    def ingest(self, conversation: Conversation) -> None:
        """Do nothing."""

    def search(self, query: Query, limit: int) -> tuple[Hit, ...]:
        """Return no hits."""
        return ()

    def describe(self) -> Mapping[str, Setting]:
        """Name the memory."""
        return {"name": "none"}

    def close(self) -> None:
        """Do nothing."""
