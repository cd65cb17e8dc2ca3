"""Where a dialogue session goes, with what words, and under which key it is stored."""

from __future__ import annotations

from dataclasses import dataclass

from locomo_dataset import Conversation, Session

from locomo_run.claude_mem.naming import item_name, project_name, session_name
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.claude_mem.transcript import prompt, transcript
from locomo_run.ledger.entry import Request, Stage, digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One dialogue session, and where it goes."""

    sample_id: str
    number: int
    project: str
    session: str
    """The name of the worker's session."""
    prompt: str
    transcript: str


def place_of(
    conversation: Conversation, session: Session, options: ClaudeMemOptions
) -> Place:
    """Say where a session goes, and with what words."""
    sample_id = conversation.sample_id
    return Place(
        sample_id=sample_id,
        number=session.number,
        project=project_name(options.namespace, sample_id),
        session=session_name(options.namespace, sample_id, session.number),
        prompt=prompt(conversation, session),
        transcript=transcript(conversation, session, captions=options.captions),
    )


def request_of(place: Place, options: ClaudeMemOptions) -> Request:
    """Return the request under which the ledger holds a session."""
    return Request(
        stage=Stage.INGEST,
        item=item_name(place.sample_id, place.number),
        content={
            "memory": "claude-mem",
            "project": place.project,
            "session": place.session,
            "prompt": place.prompt,
            "transcript": digest(place.transcript),
            "via": options.via,
        },
    )
