"""Sign flip: how often chance alone makes a difference as large as the one seen."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_EXACT_CLUSTERS = 20
"""About a million sign patterns can be enumerated; of more clusters some are drawn."""

SIGN_FLIP_DRAWS = 99_999
"""Sign patterns that are drawn where there are too many to enumerate."""

_SEED = 0
_AT_ONCE = 2**20


def sign_flip_p(sums: Sequence[float]) -> float | None:
    """Return the two-sided p of a difference under random signs of its clusters.

    Exact for up to `MAX_EXACT_CLUSTERS` clusters. Above, `SIGN_FLIP_DRAWS` patterns
    are drawn with a fixed seed, and the observed one counts as one more, so that p is
    never 0 (Phipson and Smyth 2010, doi 10.2202/1544-6115.1585).

    Args:
        sums: Sum of the differences of each cluster, in any order.

    Returns:
        None with fewer than two clusters.

    Example:
        >>> sign_flip_p([3.0, 1.0, 0.0])  # |4| in either direction: 4 of 8 patterns
        0.5
    """
    if len(sums) < 2:
        return None
    import numpy as np  # lazily: only the comparison of two runs needs it

    # flips of the sizes, in one order: neither the order of the clusters nor which
    # of the two systems comes first can change what is drawn
    sizes = np.sort(np.abs(np.array(sums, dtype=float)))
    # a pattern that differs from the observed one only by rounding is as extreme
    observed = abs(math.fsum(sums)) - 1e-9 * float(sizes.sum())
    if len(sums) <= MAX_EXACT_CLUSTERS:
        return float(np.mean(np.abs(_every_total(sizes)) >= observed))
    extreme = sum(
        int(np.sum(np.abs(totals) >= observed)) for totals in _drawn_totals(sizes)
    )
    return (1 + extreme) / (1 + SIGN_FLIP_DRAWS)


def _every_total(sizes: "NDArray[np.float64]") -> "NDArray[np.float64]":
    import numpy as np

    totals = np.zeros(1)
    for size in sizes:
        totals = np.concatenate([totals + size, totals - size])
    return totals


def _drawn_totals(sizes: "NDArray[np.float64]") -> "Iterator[NDArray[np.float64]]":
    import numpy as np

    rng = np.random.default_rng(_SEED)
    left = SIGN_FLIP_DRAWS
    while left:
        rows = min(left, max(1, _AT_ONCE // len(sizes)))
        positive = rng.integers(2, size=(rows, len(sizes)), dtype=np.int8)
        yield 2 * (positive @ sizes) - sizes.sum()
        left -= rows
