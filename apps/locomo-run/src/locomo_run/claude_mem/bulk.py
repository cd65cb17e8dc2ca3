"""Turns word for word through the worker's bulk import: no model takes part.

The worker recognises a repeat by session, title and time, so the time is chosen once
per run and stored before the first post.
It is the time of the run and not the dialogue's, since a vector search leaves out rows
older than 90 days; the dialogue's date stands in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from cmem_client import ObservationRecord, SessionRecord
from locomo_dataset import Conversation, Session, Turn

from locomo_run.claude_mem.naming import transcript_path
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.claude_mem.place import place_of
from locomo_run.claude_mem.transcript import spoken
from locomo_run.ledger.store import Ledger

DATE = "claude_mem_import_date"
TYPE = "discovery"
"""A type that every mode of the worker knows."""


def import_date(
    ledger: Ledger, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> datetime:
    """Return the time of the run's imported rows, choosing it at the first call."""
    known = ledger.fact(DATE)
    if isinstance(known, str):
        return datetime.fromisoformat(known)
    chosen = now().replace(microsecond=0)
    ledger.set_facts({DATE: chosen.isoformat()})
    return chosen


def title_of(turn: Turn) -> str:
    """Title the row of a turn, uniquely within its session.

    >>> title_of(Turn(id="D3:12", session=3, number=12, speaker="Ana", text="Hi"))
    'D3:12 Ana'
    """
    return f"{turn.id} {turn.speaker}"


def turn_of(title: str | None) -> str | None:
    """Return the id of the turn behind a title, None if it is not of that form.

    >>> turn_of("D3:12 Ana")
    'D3:12'
    """
    name = (title or "").partition(" ")[0]
    return name if name.startswith("D") and ":" in name else None


def date_prefix(date_text: str) -> str:
    """Return what stands before an imported turn.

    >>> date_prefix("9:00 am on 3 May, 2024")
    '[9:00 am on 3 May, 2024] '
    """
    return f"[{date_text}] "


def records(
    conversation: Conversation,
    sessions: Sequence[Session],
    options: ClaudeMemOptions,
    date: datetime,
) -> tuple[list[SessionRecord], list[ObservationRecord]]:
    """Return the rows of sessions: one for each, and one for each of their turns.

    Args:
        conversation: Where the sessions belong.
        sessions: What to import.
        options: The namespace, and whether captions come along.
        date: Of all rows; turns follow each other by milliseconds.
    """
    opened: list[SessionRecord] = []
    said: list[ObservationRecord] = []
    for session in sessions:
        place = place_of(conversation, session, options)
        memory_session = f"import-{place.session}"
        opened.append(
            SessionRecord(
                content_session_id=place.session,
                memory_session_id=memory_session,
                project=place.project,
                started_at=date,
                user_prompt=place.prompt,
            )
        )
        prefix = date_prefix(session.date_text)
        said += [
            ObservationRecord(
                memory_session_id=memory_session,
                project=place.project,
                title=title_of(turn),
                narrative=prefix + spoken(turn, captions=options.captions),
                type=TYPE,
                files_read=(transcript_path(session.number),),
                created_at=date + timedelta(milliseconds=position),
            )
            for position, turn in enumerate(session.turns)
        ]
    return opened, said
