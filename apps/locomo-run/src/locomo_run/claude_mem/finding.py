"""Rows for a question, and what an answerer reads of a row."""

from __future__ import annotations

from cmem_client import Client, Observation

from locomo_run.claude_mem.search import DEPTH, Mode, fused, queries

Found = tuple[Observation, float | None]
"""A row with its fused rank score; None where the worker's own order counts."""


def find(
    client: Client, project: str, question: str, mode: Mode, limit: int
) -> tuple[Found, ...]:
    """Return at most `limit` rows of a project for a question, best first.

    Raises:
        CmemError: the worker did not answer, or not with rows of this project.
    """
    texts = queries(question, mode)
    if mode == "question":
        return tuple(
            (row, None)
            for text in texts
            for row in client.search(text, project, limit).hits[:limit]
        )
    lists = [client.search(text, project, max(limit, DEPTH)).hits for text in texts]
    rows = {row.id: row for hits in lists for row in hits}
    ranked = fused([row.id for row in hits] for hits in lists)
    return tuple((rows[name], score) for name, score in ranked[:limit])


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
