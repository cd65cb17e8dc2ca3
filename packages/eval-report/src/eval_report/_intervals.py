"""Intervals: how sure a mean over questions is when questions share conversations."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from eval_report._moments import mean, std_dev
from eval_report._record import Record, of_one_metric


@dataclass(frozen=True, slots=True)
class Interval:
    """Hold the two ends of an interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredMean:
    """Hold a mean with its standard error by cluster, and the naive one beside it."""

    count: int
    """Scored questions."""

    clusters: int
    """Clusters with a scored question."""

    mean: float | None
    std_error: float | None
    """Clustered standard error; None with fewer than two clusters."""

    interval: Interval | None
    """mean ± t(clusters - 1) times the clustered standard error: the one to print."""

    iid_std_error: float | None
    """Standard error as if all questions were independent."""

    iid_interval: Interval | None
    """mean ± t(count - 1) times the independent standard error."""

    design_effect: float | None
    """Squared ratio of the two standard errors: how much the clusters cost."""


def clustered_mean(records: Iterable[Record], *, level: float = 0.95) -> ClusteredMean:
    """Return the mean of the scored records with intervals.

    The clustered variance is C/(C-1) * sum_c(sum of residuals in c)^2 / n^2, with
    Student's t and C - 1 degrees of freedom (Miller 2024, arXiv 2411.00640,
    appendix A, with the correction for few clusters). Unscored records are left out.
    The interval is not cut at the ends of the scale.

    Args:
        records: Records of one metric.
        level: Confidence of the intervals.

    Raises:
        ValueError: The records are of several metrics, or an item occurs twice.

    Example:
        >>> result = clustered_mean(
        ...     Record(item=str(i), category=1, cluster=c, metric="f1", value=v)
        ...     for i, (c, v) in enumerate([("a", 1), ("a", 1), ("b", 0), ("b", 0)])
        ... )
        >>> result.mean, result.std_error, round(result.iid_std_error, 6)
        (0.5, 0.5, 0.288675)
    """
    return mean_by_cluster(_scored(records), level=level)


def mean_by_cluster(
    values: Sequence[tuple[Hashable, float]], *, level: float
) -> ClusteredMean:
    """Return the mean of (cluster, value) pairs with intervals."""
    scores = [value for _, value in values]
    centre, n = mean(scores), len(scores)
    groups = _groups(values)
    if centre is None:
        return ClusteredMean(
            count=0,
            clusters=0,
            mean=None,
            std_error=None,
            interval=None,
            iid_std_error=None,
            iid_interval=None,
            design_effect=None,
        )
    clustered = _clustered_std_error(groups, centre, n)
    spread = std_dev(scores)
    iid = None if spread is None else spread / math.sqrt(n)
    return ClusteredMean(
        count=n,
        clusters=len(groups),
        mean=centre,
        std_error=clustered,
        interval=t_interval(centre, clustered, len(groups) - 1, level=level),
        iid_std_error=iid,
        iid_interval=t_interval(centre, iid, n - 1, level=level),
        design_effect=(clustered / iid) ** 2 if clustered is not None and iid else None,
    )


def t_interval(
    centre: float, std_error: float | None, degrees: int, *, level: float
) -> Interval | None:
    """Return centre ± t times the standard error; None without a standard error."""
    if std_error is None:
        return None
    half = t_quantile((1 + level) / 2, degrees) * std_error
    return Interval(centre - half, centre + half)


def t_quantile(probability: float, degrees: int) -> float:
    """Return a quantile of Student's t."""
    from scipy.special import stdtrit  # lazily: only intervals need scipy

    return float(stdtrit(degrees, probability))


def wilson_interval(
    successes: int, count: int, *, level: float = 0.95
) -> Interval | None:
    """Return Wilson's score interval of a share; None without a trial.

    For a binary score on a small category or near 0 or 1, where a mean ± t is off
    (Wilson 1927, doi 10.1080/01621459.1927.10502953). It takes the trials as
    independent.

    Raises:
        ValueError: There are more successes than trials, or fewer than none.

    Example:
        >>> interval = wilson_interval(10, 10)
        >>> round(interval.low, 6), interval.high
        (0.722467, 1.0)
    """
    if not 0 <= successes <= count:
        msg = f"{successes} successes of {count} trials"
        raise ValueError(msg)
    if count == 0:
        return None
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    share, weight = successes / count, z * z / count
    centre = (share + weight / 2) / (1 + weight)
    half = z * math.sqrt(share * (1 - share) / count + weight / (4 * count))
    half /= 1 + weight
    return Interval(
        0.0 if successes == 0 else centre - half,
        1.0 if successes == count else centre + half,
    )


def bootstrap_interval(
    records: Iterable[Record],
    *,
    level: float = 0.95,
    resamples: int = 9999,
    seed: int = 0,
) -> Interval | None:
    """Return a percentile interval of the mean from resampled clusters.

    Whole clusters are drawn with replacement and the mean is over their questions.
    With few clusters it is too narrow (about sqrt((C-1)/C), and no t factor): a
    check of `clustered_mean`, not a replacement. None with fewer than two clusters.

    Raises:
        ValueError: The records are of several metrics, or an item occurs twice.

    Example:
        >>> bootstrap_interval(
        ...     Record(item=c, category=1, cluster=c, metric="f1", value=v)
        ...     for c, v in [("a", 0), ("b", 1)]
        ... )
        Interval(low=0.0, high=1.0)
    """
    return bootstrap_by_cluster(
        _scored(records), level=level, resamples=resamples, seed=seed
    )


def bootstrap_by_cluster(
    values: Sequence[tuple[Hashable, float]],
    *,
    level: float,
    resamples: int,
    seed: int,
) -> Interval | None:
    """Return the bootstrap interval of the mean of (cluster, value) pairs."""
    # sorted, so that the same records in another order give the same interval
    groups = sorted((math.fsum(group), len(group)) for group in _groups(values))
    if len(groups) < 2:
        return None
    import numpy as np

    sums, sizes = np.array(groups, dtype=float).T
    drawn = np.random.default_rng(seed).integers(
        len(groups), size=(resamples, len(groups))
    )
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    tail = (1 - level) / 2
    low, high = np.quantile(means, (tail, 1 - tail)).tolist()
    return Interval(low, high)


def _scored(records: Iterable[Record]) -> list[tuple[str, float]]:
    """Return (cluster, value) of the records that have a score."""
    return [(r.cluster, r.value) for r in of_one_metric(records) if r.value is not None]


def _groups(values: Sequence[tuple[Hashable, float]]) -> list[list[float]]:
    groups: defaultdict[Hashable, list[float]] = defaultdict(list)
    for cluster, value in values:
        groups[cluster].append(value)
    return list(groups.values())


def _clustered_std_error(
    groups: Sequence[Sequence[float]], centre: float, n: int
) -> float | None:
    clusters = len(groups)
    if clusters < 2:
        return None
    squares = math.fsum(math.fsum(v - centre for v in group) ** 2 for group in groups)
    return math.sqrt(clusters / (clusters - 1) * squares) / n
