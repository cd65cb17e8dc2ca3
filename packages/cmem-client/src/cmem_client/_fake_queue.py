"""The fake worker's queue: what happens to an observation until it is a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import assert_never

from pydantic import JsonValue

from ._fake_store import Session, Store, encoded

Compress = Callable[[str], Sequence[str]]
"""The fake's model: the narratives of the rows made of one tool response."""

_PAUSED = "Generator paused for transport; preserving buffered work"
_COOLING = "Skipping generator start while the provider quota cooldown is active"


@unique
class Outcome(StrEnum):
    """What becomes of a queued observation."""

    STORED = "stored"
    DROPPED = "dropped"
    """The model found nothing worth keeping; its tool use id is used up."""
    FAILED = "failed"
    """The model failed and the worker gave up; its tool use id is free again."""
    PARKED = "parked"
    """The model failed and the worker waits for the session's next post."""
    COOLDOWN = "cooldown"
    """The model's quota is used up: every session waits."""


@dataclass(slots=True, kw_only=True)
class Item:
    """An observation in the queue."""

    session: Session
    tool_use_id: str | None
    text: str
    path: str | None
    looks_left: int
    parked: bool = False


@dataclass(slots=True, kw_only=True)
class Use:
    """One line of the worker's book of tool uses."""

    session: str
    tool_use_id: str
    observation_id: int | None = None


def keep_all(text: str) -> Sequence[str]:
    """Make one row of a tool response, unchanged."""
    return (text,)


class Queue:
    """Everything between a post and its rows."""

    def __init__(
        self,
        store: Store,
        *,
        compress: Compress,
        outcomes: Iterable[Outcome],
        parks: bool,
        keeps_paths: bool,
    ) -> None:
        self.items: list[Item] = []
        self.uses: list[Use] = []
        self.log: list[str] = []
        self.cooldown = False
        self._store = store
        self._compress = compress
        self._outcomes: Iterator[Outcome] = iter(outcomes)
        self._parks = parks
        self._keeps_paths = keeps_paths

    def post(self, item: Item) -> None:
        """Take an observation, and wake what its session has parked."""
        for waiting in self.items:
            if waiting.session is item.session:
                waiting.parked = False
        self.items.append(item)
        if item.tool_use_id is not None:
            self.uses.append(
                Use(
                    session=item.session.content_session_id,
                    tool_use_id=item.tool_use_id,
                )
            )
        self._work()

    def look(self) -> int:
        """Return the depth; then time passes."""
        depth = len(self.items)
        for item in self.items:
            item.looks_left -= 1
        self._work()
        return depth

    def depth_of(self, session: str) -> int:
        """Return how much of one session is queued."""
        return sum(item.session.content_session_id == session for item in self.items)

    def forget(self, session: Session) -> None:
        """Lose what a session has queued."""
        self.items = [item for item in self.items if item.session is not session]

    def _work(self) -> None:
        for item in [*self.items]:
            if self.cooldown:
                self.log.append(_COOLING)
                return
            if item.looks_left <= 0 and not item.parked:
                self._finish(item, self._next_outcome())

    def _next_outcome(self) -> Outcome:
        outcome = next(self._outcomes, Outcome.STORED)
        if not self._parks and outcome in {Outcome.PARKED, Outcome.COOLDOWN}:
            return Outcome.FAILED
        return outcome

    def _finish(self, item: Item, outcome: Outcome) -> None:
        match outcome:
            case Outcome.PARKED:
                item.parked = True
                self.log.append(_PAUSED)
                return
            case Outcome.COOLDOWN:
                self.cooldown = True
                self.log.append(_COOLING)
                return
            case Outcome.FAILED:
                item.session.names.discard(item.tool_use_id or "")
            case Outcome.STORED:
                self._store_rows(item)
            case Outcome.DROPPED:
                pass
            case _:
                assert_never(outcome)
        self.items.remove(item)

    def _store_rows(self, item: Item) -> None:
        paths = [item.path] if item.path and self._keeps_paths else []
        row_id: int | None = None
        for narrative in self._compress(item.text):
            row: dict[str, JsonValue] = {
                "memory_session_id": item.session.memory_session_id,
                "project": item.session.project,
                "title": narrative.partition("\n")[0][:80],
                "narrative": narrative,
                "files_read": encoded(paths),
                "prompt_number": len(item.session.prompts),
            }
            row_id = self._store.add(row)
        for use in self.uses:
            if use.tool_use_id == item.tool_use_id and (
                use.session == item.session.content_session_id
            ):
                use.observation_id = row_id
