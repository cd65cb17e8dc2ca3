"""How a turn is shown to an answerer, for the memories that return turns."""

from __future__ import annotations

from locomo_dataset import Conversation, Turn

from locomo_run.memory import Hit


def turn_text(turn: Turn) -> str:
    """Return who said what, with the caption of a shared image."""
    image = f" [shares an image: {turn.caption}]" if turn.caption else ""
    return f"{turn.speaker}: {turn.text}{image}"


def turn_hits(conversation: Conversation) -> tuple[Hit, ...]:
    """Return every turn of a conversation as a hit, in order, without a score."""
    return tuple(
        Hit(
            id=turn.id,
            text=turn_text(turn),
            date=session.date_text,
            turns=(turn.id,),
        )
        for session in conversation.sessions
        for turn in session.turns
    )
