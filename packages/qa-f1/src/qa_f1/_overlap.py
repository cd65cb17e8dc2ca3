"""How many tokens two texts have in common."""

from collections.abc import Sequence


def multiset_overlap(prediction: Sequence[str], gold: Sequence[str]) -> int:
    """Count common tokens, each as often as it occurs in both.

    Example:
        >>> multiset_overlap(["no", "no", "no"], ["no"])
        1
    """
    # Most pairs share nothing, which sets find out much faster than a count.
    if set(gold).isdisjoint(prediction):
        return 0
    left: dict[str, int] = {}
    for token in gold:
        left[token] = left.get(token, 0) + 1
    overlap = 0
    for token in prediction:
        if left.get(token):
            left[token] -= 1
            overlap += 1
    return overlap
