"""A memory that keeps every turn and finds the newest ones that share a word."""

import re
from collections.abc import Mapping

from locomo_dataset import Conversation, Turn
from locomo_run.memory import Hit, Query, Setting


class RecentSessions:
    """The newest turns that share a word of the question."""

    def __init__(self) -> None:
        self._turns: dict[str, list[tuple[str, Turn]]] = {}

    def ingest(self, conversation: Conversation) -> None:
        self._turns[conversation.sample_id] = [
            (session.date_text, turn)
            for session in conversation.sessions
            for turn in session.turns
        ]

    def search(self, query: Query, limit: int) -> tuple[Hit, ...]:
        asked = _words(query.text)
        found = [
            Hit(id=turn.id, text=turn.text, date=date, turns=(turn.id,))
            for date, turn in reversed(self._turns[query.sample_id])
            if asked & _words(turn.text)
        ]
        return tuple(found[:limit])

    def describe(self) -> Mapping[str, Setting]:
        return {"name": "recent-sessions", "version": 1}

    def close(self) -> None:
        self._turns.clear()


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) > 3}
