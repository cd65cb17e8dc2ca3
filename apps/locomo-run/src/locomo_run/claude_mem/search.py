"""How a question becomes queries, and many lists of rows one.

Without vectors the worker matches a query as one phrase, so that a whole question finds
nothing.
Then every content word is a query of its own, and the lists are merged by reciprocal
rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009, with their constant of 60).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Literal, TypeVar

from locomo_run.claude_mem.options import SearchMode
from locomo_run.memory.terms import content_terms

Row = TypeVar("Row", bound=Hashable)

Mode = Literal["question", "keywords"]
"""What is really sent."""

FUSION = 60
"""The constant of reciprocal rank fusion."""

DEPTH = 50
"""Rows asked for each keyword, so that a row low in several lists can win."""

LONGEST_QUERY = 2_000
"""Characters; far above any question, below what a URL can carry."""


def resolved(asked: SearchMode, *, vectors: bool) -> Mode:
    """Decide what to send: the question where vectors work, else its keywords.

    >>> resolved("auto", vectors=False), resolved("question", vectors=False)
    ('keywords', 'question')
    """
    if asked == "auto":
        return "question" if vectors else "keywords"
    return asked


def queries(question: str, mode: Mode) -> tuple[str, ...]:
    """Return what is sent for a question; nothing if no word of it can be searched.

    >>> queries("Where does Ana's sister live?", "keywords")
    ('ana', 'sister', 'live')
    """
    if mode == "keywords":
        return tuple(word[:LONGEST_QUERY] for word in content_terms(question))
    text = question.strip()[:LONGEST_QUERY]
    return (text,) if text else ()


def fused(lists: Iterable[Sequence[Row]]) -> list[tuple[Row, float]]:
    """Merge ranked lists: a row's score is the sum of 1 / (60 + rank) over them.

    Ranks count from 1; of equal rows the one that was seen first comes first.

    >>> [(row, round(score, 4)) for row, score in fused([["a", "b"], ["b"]])]
    [('b', 0.0325), ('a', 0.0164)]
    """
    scores: dict[Row, float] = {}
    for ranked in lists:
        for rank, row in enumerate(ranked, start=1):
            scores[row] = scores.get(row, 0.0) + 1 / (FUSION + rank)
    return sorted(scores.items(), key=lambda pair: -pair[1])
