"""The ceiling of reading: just the turns that the data set names as evidence."""

from __future__ import annotations

from collections.abc import Mapping

from locomo_dataset import Conversation

from locomo_run.memory import Hit, Query, Setting
from locomo_run.memory.turns import turn_hits


class OracleMemory:
    """Returns the evidence turns of the question asked; a search limit is ignored."""

    def __init__(self) -> None:
        self._hits: dict[str, tuple[Hit, ...]] = {}

    def ingest(self, conversation: Conversation) -> None:
        """Note which turns answer which question."""
        by_turn = {hit.id: hit for hit in turn_hits(conversation)}
        for question in conversation.all_questions():
            wanted = dict.fromkeys(str(turn) for turn in question.evidence)
            self._hits[question.id] = tuple(by_turn[turn] for turn in wanted)

    def search(self, query: Query, limit: int) -> tuple[Hit, ...]:
        """Return the evidence, in the data set's order."""
        return self._hits[query.question_id]

    def describe(self) -> Mapping[str, Setting]:
        """Name the memory."""
        return {"name": "oracle"}

    def close(self) -> None:
        """Forget the turns."""
        self._hits.clear()
