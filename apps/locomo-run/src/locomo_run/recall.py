"""Evidence recall: did the memory find the turns that hold the answer?"""

from __future__ import annotations

from collections.abc import Sequence


def evidence_recall(
    hits: Sequence[Sequence[str] | None], evidence: Sequence[str]
) -> float | None:
    """Return the share of a question's evidence turns that the hits cover.

    Args:
        hits: Ids of the turns of each hit that the search returned; None for a hit
            that knows no turns.
        evidence: Ids of the turns that hold the answer.

    Returns:
        0 to 1; None if the question names no evidence or a hit knows no turns.

    >>> evidence_recall([["D1:3"], ["D1:4"]], ["D1:3", "D2:7"])
    0.5
    >>> evidence_recall([None], ["D1:3"]) is None
    True
    """
    wanted = set(evidence)
    if not wanted or any(turns is None for turns in hits):
        return None
    covered = {turn for turns in hits for turn in turns or ()}
    return len(wanted & covered) / len(wanted)
