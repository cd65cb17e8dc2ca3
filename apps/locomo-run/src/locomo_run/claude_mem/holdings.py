"""What the worker holds of a conversation, by rows read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cmem_client import AsyncClient, Client, Observation
from locomo_dataset import Conversation

from locomo_run.claude_mem.naming import (
    project_name,
    session_behind,
    session_name,
)
from locomo_run.claude_mem.options import ClaudeMemOptions, Via

Grouped = Mapping[str | None, tuple[Observation, ...]]
"""The rows of a project by the name of their session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """The rows of one conversation's project."""

    sample_id: str
    project: str
    expected: Mapping[int, int]
    """The fewest rows that each dialogue session must have, by its number."""
    rows: Mapping[int, tuple[Observation, ...]]
    """What each dialogue session has."""
    strangers: tuple[Observation, ...]
    """Rows of sessions that are none of this conversation's."""

    @property
    def missing(self) -> tuple[int, ...]:
        """The numbers of the sessions with fewer rows than they must have."""
        return tuple(
            number
            for number, least in self.expected.items()
            if len(self.rows.get(number, ())) < least
        )

    @property
    def observations(self) -> int:
        """How many rows the conversation's sessions have."""
        return sum(len(rows) for rows in self.rows.values())


def sorted_out(
    conversation: Conversation, grouped: Grouped, namespace: str, via: Via
) -> Holdings:
    """Sort the rows of a project by the dialogue sessions that they come from.

    A session that went through the worker's model must have one row at least; one that
    was imported a row for each turn.
    """
    rows: dict[str | None, list[Observation]] = {}
    for name, group in grouped.items():
        for row in group:
            known = name or session_behind(row.memory_session_id)
            rows.setdefault(known, []).append(row)
    names = {
        session_name(namespace, conversation.sample_id, session.number): session
        for session in conversation.sessions
    }
    return Holdings(
        sample_id=conversation.sample_id,
        project=project_name(namespace, conversation.sample_id),
        expected={
            session.number: len(session.turns) if via == "import" else 1
            for session in conversation.sessions
        },
        rows={
            session.number: tuple(rows[name])
            for name, session in names.items()
            if name in rows
        },
        strangers=tuple(
            row for name, some in rows.items() if name not in names for row in some
        ),
    )


async def look(
    client: AsyncClient, conversation: Conversation, options: ClaudeMemOptions
) -> Holdings:
    """Read back what the worker holds of a conversation."""
    project = project_name(options.namespace, conversation.sample_id)
    grouped = await client.observations_by_session(project)
    return sorted_out(conversation, grouped, options.namespace, options.via)


def look_now(
    client: Client, conversation: Conversation, options: ClaudeMemOptions
) -> Holdings:
    """Read back the same, without an event loop."""
    project = project_name(options.namespace, conversation.sample_id)
    grouped = client.observations_by_session(project)
    return sorted_out(conversation, grouped, options.namespace, options.via)
