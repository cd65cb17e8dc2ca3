"""The ceiling of retrieval: every turn of the conversation, in order."""

from __future__ import annotations

from collections.abc import Mapping

from locomo_dataset import Conversation

from locomo_run.memory import Hit, Query, Setting
from locomo_run.memory.turns import turn_hits


class FullContextMemory:
    """Returns the whole conversation whatever is asked; a search limit is ignored."""

    def __init__(self) -> None:
        self._hits: dict[str, tuple[Hit, ...]] = {}

    def ingest(self, conversation: Conversation) -> None:
        """Keep every turn."""
        self._hits[conversation.sample_id] = turn_hits(conversation)

    def search(self, query: Query, limit: int) -> tuple[Hit, ...]:
        """Return every turn of the conversation, in order."""
        return self._hits[query.sample_id]

    def describe(self) -> Mapping[str, Setting]:
        """Name the memory."""
        return {"name": "full-context"}

    def close(self) -> None:
        """Forget the turns."""
        self._hits.clear()
