"""Moments: means and variances whose value does not depend on the order."""

import math
from collections.abc import Sequence


def mean(values: Sequence[float]) -> float | None:
    """Return the mean, between the smallest and the largest value; None without one."""
    if not values:
        return None
    # fsum is exact, but its quotient can still round past an end
    return min(max(math.fsum(values) / len(values), min(values)), max(values))


def variance(values: Sequence[float], *, ddof: int = 1) -> float | None:
    """Return the variance; None with fewer than two values."""
    centre = mean(values)
    if centre is None or len(values) < 2:
        return None
    return math.fsum((value - centre) ** 2 for value in values) / (len(values) - ddof)


def std_dev(values: Sequence[float], *, ddof: int = 1) -> float | None:
    """Return the standard deviation; None with fewer than two values."""
    spread = variance(values, ddof=ddof)
    return None if spread is None else math.sqrt(spread)
