"""How far the runs of one judge agree with each other."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

__all__ = ["Reliability", "krippendorff_alpha", "measure_reliability"]

Scores = Sequence[float | None]
"""The scores of one item, one for each run; None where a run failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """Agreement of repeated runs over many items."""

    item_count: int
    """Items with at least two good runs; all figures are over these."""
    excluded_count: int
    """Items with fewer, which say nothing about agreement."""
    pairwise_agreement: float | None
    """Share of agreeing pairs of runs within an item, averaged over items."""
    flip_rate: float | None
    """Share of items whose runs do not all agree."""
    alpha: float | None
    """Krippendorff's alpha, see `krippendorff_alpha`."""


def measure_reliability(
    items: Iterable[Scores], *, tolerance: float = 0.0
) -> Reliability:
    """Measure how far the runs of a judge repeat each other.

    Two runs agree if their scores differ by at most `tolerance`, in points of the
    scale: 0 for labels; for a 0 to 100 scale say what difference you call the same.
    The tolerance does not enter alpha.

    Raises:
        ValueError: The tolerance is negative, or a score is not finite.

    >>> measured = measure_reliability([(1, 1), (0, 0), (1, 1), (0, 1), (None, 1)])
    >>> measured.item_count, measured.pairwise_agreement, measured.flip_rate
    (4, 0.75, 0.25)
    >>> round(measured.alpha, 4)
    0.5333
    """
    if tolerance < 0:
        msg = f"tolerance must not be negative, got {tolerance}"
        raise ValueError(msg)
    all_items = [*items]
    rated = _rated(all_items)
    # most items share their scores with others, and there may be many items
    agreeing = {
        scores: statistics.fmean(
            abs(one - other) <= tolerance for one, other in combinations(scores, 2)
        )
        for scores in set(rated)
    }
    shares = [agreeing[scores] for scores in rated]
    flips = [max(scores) - min(scores) > tolerance for scores in rated]
    return Reliability(
        item_count=len(rated),
        excluded_count=len(all_items) - len(rated),
        pairwise_agreement=statistics.fmean(shares) if shares else None,
        flip_rate=statistics.fmean(flips) if flips else None,
        alpha=krippendorff_alpha(rated),
    )


def krippendorff_alpha(items: Iterable[Scores]) -> float | None:
    """Compute Krippendorff's alpha with the interval (squared difference) metric.

    1 is perfect agreement, 0 what chance would give, below 0 worse than chance.
    Alpha and not kappa, because the runs of one judge are exchangeable, may be any
    number and may have gaps.
    The interval metric fits scores; on two labels it equals the nominal metric.
    None where nothing is left to explain: all scores are equal, or no item has two.
    Where nearly all scores are equal alpha is unstable; read the agreement beside it.

    Source: Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, section E.

    Raises:
        ValueError: A score is not finite.

    >>> round(krippendorff_alpha([(70, 72), (20, 25), (90, None), (55, 50)]), 3)
    0.981
    """
    rated = _rated(items)
    scores = [score for item in rated for score in item]
    if not scores:
        return None
    expected = _sum_of_squares(scores) / (len(scores) - 1)
    if expected == 0:
        return None
    squares = {item: _sum_of_squares(item) for item in set(rated)}
    observed = math.fsum(
        len(item) * squares[item] / (len(item) - 1) for item in rated
    ) / len(scores)
    return 1 - observed / expected


def _rated(items: Iterable[Scores]) -> list[tuple[float, ...]]:
    good = [tuple(score for score in item if score is not None) for item in items]
    for item in good:
        for score in item:
            if not math.isfinite(score):
                msg = f"a score must be a finite number, got {score}"
                raise ValueError(msg)
    return [item for item in good if len(item) > 1]


def _sum_of_squares(scores: Sequence[float]) -> float:
    mean = statistics.fmean(scores)
    return math.fsum((score - mean) ** 2 for score in scores)
