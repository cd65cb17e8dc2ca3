"""Rows for the worker's bulk import, and the batches they travel in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue

from ._models import Timed, Value
from ._replies import decode, wrong_shape
from ._wire import Flow, post

BATCH_ROWS = 1_000
"""The worker rebuilds its text index once per call, so batches should not be small."""

BATCH_BYTES = 4_000_000
"""Recent workers refuse bodies above 5,000,000 bytes."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _stamp(moment: datetime) -> tuple[str, int]:
    milliseconds = (moment - _EPOCH) // timedelta(milliseconds=1)
    exact = _EPOCH + timedelta(milliseconds=milliseconds)
    text = exact.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return text, milliseconds


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SessionRecord(_Record):
    """A session to import; observations refer to it by `memory_session_id`."""

    content_session_id: str = Field(min_length=1)
    memory_session_id: str = Field(min_length=1)
    project: str = Field(min_length=1)
    started_at: AwareDatetime
    completed_at: AwareDatetime | None = None
    user_prompt: str | None = None
    platform_source: str = "claude"
    status: Literal["active", "completed", "failed"] = "completed"

    def row(self) -> dict[str, JsonValue]:
        """Spell the record as the worker's database row."""
        started, started_epoch = _stamp(self.started_at)
        completed, completed_epoch = _stamp(self.completed_at or self.started_at)
        done = self.status != "active"
        return {
            "content_session_id": self.content_session_id,
            "memory_session_id": self.memory_session_id,
            "project": self.project,
            "platform_source": self.platform_source,
            "user_prompt": self.user_prompt,
            "started_at": started,
            "started_at_epoch": started_epoch,
            "completed_at": completed if done else None,
            "completed_at_epoch": completed_epoch if done else None,
            "status": self.status,
        }


class ObservationRecord(_Record):
    """An observation to import.

    The worker recognises a repeat by session, title and time: give the observations
    of one session different titles, and the same times when importing again.
    """

    memory_session_id: str = Field(min_length=1)
    project: str = Field(min_length=1)
    title: str = Field(min_length=1)
    created_at: AwareDatetime
    type: str = Field(default="discovery", min_length=1)
    subtitle: str | None = None
    narrative: str | None = None
    text: str | None = None
    facts: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    files_read: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    prompt_number: int = 1

    def row(self) -> dict[str, JsonValue]:
        """Spell the record as the worker's database row: lists as JSON in strings."""
        created, created_epoch = _stamp(self.created_at)
        return {
            "memory_session_id": self.memory_session_id,
            "project": self.project,
            "text": self.text,
            "type": self.type,
            "title": self.title,
            "subtitle": self.subtitle,
            "facts": json.dumps(self.facts),
            "narrative": self.narrative,
            "concepts": json.dumps(self.concepts),
            "files_read": json.dumps(self.files_read),
            "files_modified": json.dumps(self.files_modified),
            "prompt_number": self.prompt_number,
            "discovery_tokens": 0,
            "created_at": created,
            "created_at_epoch": created_epoch,
        }


class ImportReceipt(Timed):
    """What the worker took; `skipped` rows were there already."""

    sessions_imported: int
    sessions_skipped: int
    observations_imported: int
    observations_skipped: int
    requests: int
    """Requests that were needed; `latency_ms` is their sum."""


class _Stats(Value):
    sessions_imported: int
    sessions_skipped: int
    observations_imported: int
    observations_skipped: int


class _Imported(Value):
    stats: _Stats


def batches(
    rows: Sequence[dict[str, JsonValue]],
    *,
    max_rows: int = BATCH_ROWS,
    max_bytes: int = BATCH_BYTES,
) -> Iterator[list[JsonValue]]:
    """Cut rows into batches that the worker takes in one body, in order.

    A single row above `max_bytes` travels alone.

    Example:
        >>> [len(batch) for batch in batches([{}, {}, {}], max_rows=2)]
        [2, 1]
    """
    batch: list[JsonValue] = []
    size = 0
    for row in rows:
        width = len(json.dumps(row)) + 2
        if batch and (len(batch) == max_rows or size + width > max_bytes):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += width
    if batch:
        yield batch


def import_records(
    sessions: Sequence[SessionRecord], observations: Sequence[ObservationRecord]
) -> Flow[ImportReceipt]:
    """Send sessions, then observations, and account for every row."""
    bodies: list[tuple[str, list[JsonValue]]] = [
        *(("sessions", batch) for batch in batches([s.row() for s in sessions])),
        *(
            ("observations", batch)
            for batch in batches([o.row() for o in observations])
        ),
    ]
    totals = dict.fromkeys(_Stats.model_fields, 0)
    latency_ms = 0.0
    for kind, batch in bodies:
        request = post("/api/import", {kind: batch}, repeatable=True)
        reply = yield request
        stats = decode(request, reply, _Imported).stats.model_dump()
        taken = stats[f"{kind}_imported"] + stats[f"{kind}_skipped"]
        if taken != len(batch):
            # some versions answer 200 to rows that they did not understand
            raise wrong_shape(request, f"{len(batch)} {kind} taken", f"{taken}")
        totals = {key: totals[key] + stats[key] for key in totals}
        latency_ms += reply.latency_ms
    return ImportReceipt(**totals, requests=len(bodies), latency_ms=latency_ms)
