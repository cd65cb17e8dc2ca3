"""Evidence recall: did the memory find the turns that hold the answer?"""

from __future__ import annotations

from collections.abc import Sequence

from locomo_run.memory import Hit


def evidence_recall(hits: Sequence[Hit], evidence: Sequence[str]) -> float | None:
    """Return the share of a question's evidence turns that the hits cover.

    Args:
        hits: What the search returned.
        evidence: Ids of the turns that hold the answer.

    Returns:
        0 to 1; None if the question names no evidence or a hit knows no turns.

    >>> evidence_recall([Hit(id="D1:3", text="", turns=("D1:3",))], ["D1:3", "D2:7"])
    0.5
    >>> evidence_recall([Hit(id="obs-4", text="")], ["D1:3"]) is None
    True
    """
    wanted = set(evidence)
    if not wanted or any(hit.turns is None for hit in hits):
        return None
    covered = {turn for hit in hits for turn in hit.turns or ()}
    return len(wanted & covered) / len(wanted)
