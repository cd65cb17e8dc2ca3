"""Rows for a question, and what an answerer reads of a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cmem_client import Client, Observation

from locomo_run.claude_mem.search import DEPTH, Mode, fused, queries

Ranked = tuple[Observation, float | None]
"""A row with its fused rank score; None where the worker's own order counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The rows for a question, and how long the worker took."""

    rows: tuple[Ranked, ...]
    """Best first."""
    latency_ms: float | None
    """From the start of a request to the end of its body, summed over the requests,
    which follow each other; None if no word of the question could be searched."""


def find(
    client: Client, project: str, question: str, mode: Mode, limit: int
) -> Finding:
    """Return at most `limit` rows of a project for a question, best first.

    Raises:
        CmemError: the worker did not answer, or not with rows of this project.
    """
    depth = limit if mode == "question" else max(limit, DEPTH)
    replies = [client.search(text, project, depth) for text in queries(question, mode)]
    return Finding(
        rows=tuple(_ranked([reply.hits for reply in replies], mode)[:limit]),
        latency_ms=(
            math.fsum(reply.latency_ms for reply in replies) if replies else None
        ),
    )


def _ranked(lists: Sequence[Sequence[Observation]], mode: Mode) -> list[Ranked]:
    """Put the rows of one question's searches in order."""
    if mode == "question":
        return [(row, None) for hits in lists for row in hits]
    rows = {row.id: row for hits in lists for row in hits}
    ranked = fused([row.id for row in hits] for hits in lists)
    return [(rows[name], score) for name, score in ranked]


def shown(row: Observation) -> str:
    """Return an observation whole: title, facts as a list, narrative.

    >>> print(shown(Observation(id=1, project="p", title="Tea", facts='["It is hot"]')))
    Tea
    - It is hot
    """
    parts = [
        row.title,
        *(f"- {fact}" for fact in row.facts),
        row.narrative or row.text,
    ]
    return "\n".join(part.strip() for part in parts if part and part.strip())
