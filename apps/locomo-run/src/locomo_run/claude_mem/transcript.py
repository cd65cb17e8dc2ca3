"""What the worker is given of a session, to the letter."""

from __future__ import annotations

from locomo_dataset import Conversation, Session, Turn

from locomo_run.memory.turns import turn_text


def prompt(conversation: Conversation, session: Session) -> str:
    """Return the prompt that opens a session."""
    return f"{_between(conversation)} on {session.date_text}"


def transcript(conversation: Conversation, session: Session, *, captions: bool) -> str:
    """Return what was said in a session, with its number, date and speakers first.

    Args:
        conversation: Where the session belongs.
        session: The session.
        captions: Whether a shared image is followed by its caption.
    """
    return "\n".join(
        (
            f"[Session {session.number} — {session.date_text}]",
            f"[{_between(conversation)}]",
            "",
            *(spoken(turn, captions=captions) for turn in session.turns),
        )
    )


def spoken(turn: Turn, *, captions: bool) -> str:
    """Return who said what in a turn, and what the shared image shows."""
    return turn_text(turn) if captions else f"{turn.speaker}: {turn.text}"


def _between(conversation: Conversation) -> str:
    return f"Conversation between {conversation.speaker_a} and {conversation.speaker_b}"
