"""What the answerer reads: the hits that fit the budget, whole."""

from __future__ import annotations

from collections.abc import Sequence

from locomo_run.memory import Hit


def fit(hits: Sequence[Hit], budget: int | None) -> tuple[Hit, ...]:
    """Keep the best hits whose texts and dates fit; none is ever cut.

    Stops at the first that does not fit, so that a worse hit never takes the place of
    a better one.

    Args:
        hits: Best first.
        budget: In characters; None for no limit.

    >>> [h.id for h in fit([Hit(id="a", text="12345"), Hit(id="b", text="67")], 6)]
    ['a']
    """
    if budget is None:
        return tuple(hits)
    kept: list[Hit] = []
    used = 0
    for hit in hits:
        used += size(hit)
        if used > budget:
            break
        kept.append(hit)
    return tuple(kept)


def size(hit: Hit) -> int:
    """Return the characters that a hit takes in the context."""
    return len(hit.text) + len(hit.date)
