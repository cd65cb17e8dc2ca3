"""Correlation: how large one over few pairs gets by chance."""

import math

from eval_report._intervals import t_quantile


def critical_correlation(count: int, *, level: float = 0.95) -> float | None:
    """Return the |r| that unrelated pairs exceed with probability 1 - level.

    It is t / sqrt(n - 2 + t^2), with Student's t of n - 2 degrees of freedom,
    two-sided, for Pearson's r of normal values. None with fewer than three pairs.

    Args:
        count: The number of pairs, n.
        level: One minus the share of unrelated samples that exceed it.

    Example:
        >>> round(critical_correlation(10), 3), critical_correlation(2)
        (0.632, None)
    """
    degrees = count - 2
    if degrees < 1:
        return None
    t = t_quantile((1 + level) / 2, degrees)
    return t / math.sqrt(degrees + t * t)
