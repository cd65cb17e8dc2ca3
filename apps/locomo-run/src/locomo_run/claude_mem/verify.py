"""What the worker holds and finds, for people who want to see it before they pay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cmem_client import Client, Observation
from eval_report import render_text
from locomo_dataset import Category, Conversation, Question

from locomo_run.claude_mem.connect import has_vectors
from locomo_run.claude_mem.finding import find
from locomo_run.claude_mem.gate import completeness_table
from locomo_run.claude_mem.holdings import Holdings, look_now
from locomo_run.claude_mem.naming import project_name
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.claude_mem.plain import plain
from locomo_run.claude_mem.search import resolved
from locomo_run.ledger.entry import Json

CATEGORIES = (Category.SINGLE_HOP, Category.MULTI_HOP, Category.TEMPORAL)
"""One question of each is asked; never an adversarial one."""

TOP = 3
NARRATIVE_CHARS = 100
RESULT_CHARS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question and the first of what the worker finds for it."""

    question: Question
    hits: tuple[Observation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What the worker holds of some conversations, and what it finds."""

    held: tuple[Holdings, ...]
    asked: tuple[Asked, ...]
    mode: str
    """How the questions were searched."""


def verify(
    client: Client, conversations: Sequence[Conversation], options: ClaudeMemOptions
) -> Verification:
    """Read back what the worker holds and ask it three questions.

    Raises:
        CmemError: the worker did not answer as it should.
    """
    mode = resolved(options.search, vectors=has_vectors(client))
    return Verification(
        held=tuple(look_now(client, each, options) for each in conversations),
        asked=tuple(
            Asked(
                question=question,
                hits=tuple(
                    row
                    for row, _ in find(
                        client,
                        project_name(options.namespace, question.sample_id),
                        question.text,
                        mode,
                        TOP,
                    ).rows
                ),
            )
            for question in chosen_questions(conversations)
        ),
        mode=mode,
    )


def chosen_questions(conversations: Sequence[Conversation]) -> tuple[Question, ...]:
    """Return the first question of each of three categories that has a gold."""
    found = []
    for category in CATEGORIES:
        every = (q for c in conversations for q in c.questions())
        first = next((q for q in every if q.category is category), None)
        found += [first] if first else []
    return tuple(found)


def as_text(verification: Verification, *, rows: int) -> str:
    """Set out a verification for a terminal.

    Args:
        verification: What was seen.
        rows: Observations shown of each conversation, the newest first.
    """
    parts = [render_text(completeness_table(verification.held))]
    for held in verification.held:
        newest = newest_rows(held)[:rows]
        if newest:
            parts.append(f"{held.sample_id}, {len(newest)} of {held.observations}:")
            parts += [f"  {_summary(row, NARRATIVE_CHARS)}" for row in newest]
            parts.append("")
    parts.append(f"Three questions, searched by {verification.mode}:\n")
    for asked in verification.asked:
        parts += [*_layout(asked), ""]
    return "\n".join(parts)


def as_json(verification: Verification) -> dict[str, Json]:
    """Return a verification as plain values, with every observation."""
    return {
        "complete": not any(held.missing for held in verification.held),
        "conversations": [
            {
                "sample_id": held.sample_id,
                "project": held.project,
                "sessions": len(held.expected),
                "missing": list(held.missing),
                "observations": [_row(row) for row in newest_rows(held)],
            }
            for held in verification.held
        ],
        "search": verification.mode,
        "questions": [
            {
                "id": asked.question.id,
                "question": asked.question.text,
                "category": asked.question.category.label,
                "gold": asked.question.gold,
                "hits": [_row(row) for row in asked.hits],
            }
            for asked in verification.asked
        ],
    }


def newest_rows(held: Holdings) -> list[Observation]:
    """Return the rows of a conversation's sessions, newest first."""
    rows = [row for some in held.rows.values() for row in some]
    return sorted(rows, key=lambda row: -row.id)


def _layout(asked: Asked) -> Iterator[str]:
    question = asked.question
    yield f"Q: {plain(question.text)}"
    yield f"Category: {question.category.label}"
    yield f"Ground Truth: {plain(question.gold or '')}"
    yield "Top Search Results:"
    for number, row in enumerate(asked.hits, start=1):
        yield f"  {number}. {_summary(row, RESULT_CHARS)}"
    if not asked.hits:
        yield "  none"


def _summary(row: Observation, chars: int) -> str:
    return f"{plain(row.title or '')} — {plain(row.narrative or '', chars)}"


def _row(row: Observation) -> dict[str, Json]:
    return {
        "id": row.id,
        "type": row.type,
        "title": row.title,
        "narrative": plain(row.narrative or "", NARRATIVE_CHARS),
    }
