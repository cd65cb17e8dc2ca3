"""Paired comparison: two systems on the questions that both have a score for."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from eval_report._intervals import (
    Interval,
    bootstrap_by_cluster,
    mean_by_cluster,
    t_quantile,
)
from eval_report._moments import mean, std_dev
from eval_report._record import Record, of_one_metric
from eval_report._sign_flip import sign_flip_p

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """Describe the difference a minus b over the questions that both have scored."""

    count: int
    """Questions scored in both: the n of every figure below."""

    unpaired: int
    """Questions of either run that are absent or unscored in the other."""

    clusters: int
    difference: float | None
    """Mean of a minus b, in the unit of the records."""

    std_error: float | None
    """Paired and clustered standard error; None with fewer than two clusters."""

    interval: Interval | None
    """difference ± t(clusters - 1) times the clustered standard error."""

    iid_std_error: float | None
    """Paired standard error as if all questions were independent."""

    unpaired_std_error: float | None
    """Standard error if the two runs had nothing in common: what pairing saves."""

    correlation: float | None
    """Pearson correlation of the two scores; None if either does not vary."""

    sign_flip_p: float | None
    """Two-sided p over the sign patterns of the clusters' sums; None with fewer than
    two clusters.

    Exact up to 20 clusters, where with C clusters it cannot fall below 2 / 2^C; over
    99,999 patterns drawn with a fixed seed above, where it cannot fall below 1e-5.
    """

    wins: int
    losses: int
    ties: int
    smallest_detectable: float | None
    """True difference that this sample would find with 80 % power at the 5 % level."""


def paired_difference(
    a: Iterable[Record], b: Iterable[Record], *, level: float = 0.95
) -> PairedDifference:
    """Compare two runs question by question, clustered by conversation.

    The standard error is that of `clustered_mean` for the differences a minus b
    (Miller 2024, arXiv 2411.00640).

    Args:
        a: Records of one metric.
        b: Records of the same metric of the other run.
        level: Confidence of the interval.

    Raises:
        ValueError: An item occurs twice in one run, or the runs disagree about its
            category or cluster or about the metric.

    Example:
        >>> def run(*values):
        ...     return [
        ...         Record(item=f"q{i}", category=1, cluster=c, metric="f1", value=v)
        ...         for i, (c, v) in enumerate(zip("aabb", values))
        ...     ]
        >>> result = paired_difference(run(1, 1, 1, 0), run(0, 1, 0, 0))
        >>> result.difference, result.wins, result.losses, result.ties
        (0.5, 2, 0, 2)
    """
    ours, theirs = _by_item(a), _by_item(b)
    pairs = _pairs(ours, theirs)
    values = [(cluster, x - y) for cluster, x, y in pairs]
    differences = [value for _, value in values]
    result = mean_by_cluster(values, level=level)
    return PairedDifference(
        count=result.count,
        unpaired=len(ours.keys() | theirs.keys()) - len(pairs),
        clusters=result.clusters,
        difference=result.mean,
        std_error=result.std_error,
        interval=result.interval,
        iid_std_error=result.iid_std_error,
        unpaired_std_error=_unpaired_std_error(pairs),
        correlation=_correlation(pairs),
        sign_flip_p=sign_flip_p(_sums(values)),
        wins=sum(value > 0 for value in differences),
        losses=sum(value < 0 for value in differences),
        ties=sum(value == 0 for value in differences),
        smallest_detectable=smallest_detectable_difference(
            result.std_error, result.clusters
        ),
    )


def paired_bootstrap_interval(
    a: Iterable[Record],
    b: Iterable[Record],
    *,
    level: float = 0.95,
    resamples: int = 9999,
    seed: int = 0,
) -> Interval | None:
    """Return a percentile interval of the paired difference from resampled clusters.

    A check of `paired_difference`, too narrow with few clusters. None with fewer
    than two clusters.

    Raises:
        ValueError: As `paired_difference`.

    Example:
        >>> def run(*values):
        ...     return [
        ...         Record(item=f"q{i}", category=1, cluster=c, metric="f1", value=v)
        ...         for i, (c, v) in enumerate(zip("ab", values))
        ...     ]
        >>> paired_bootstrap_interval(run(1, 1), run(0, 1))
        Interval(low=0.0, high=1.0)
    """
    values = [(cluster, x - y) for cluster, x, y in _pairs(_by_item(a), _by_item(b))]
    return bootstrap_by_cluster(values, level=level, resamples=resamples, seed=seed)


def smallest_detectable_difference(
    std_error: float | None,
    clusters: int,
    *,
    level: float = 0.95,
    power: float = 0.8,
) -> float | None:
    """Return the true difference that a two-sided test would find with this power.

    (t(1 - alpha/2) + t(power)) * standard error with clusters - 1 degrees of freedom
    (Bloom 1995, doi 10.1177/0193841X9501900504). None without a standard error.

    Args:
        std_error: Clustered standard error of the difference.
        clusters: Clusters behind it.
        level: 1 - alpha.
        power: Chance of finding the difference.

    Example:
        Ten conversations and a standard error of one point:

        >>> round(smallest_detectable_difference(1.0, 10), 3)
        3.146
    """
    if std_error is None or clusters < 2:
        return None
    degrees = clusters - 1
    factor = t_quantile((1 + level) / 2, degrees) + t_quantile(power, degrees)
    return factor * std_error


def holm(p_values: Mapping[Key, float | None]) -> dict[Key, float | None]:
    """Adjust p values of several comparisons (Holm 1979, jstor 4615733).

    A comparison without a p value stays None and does not count as one of the family.

    Raises:
        ValueError: A p value is outside 0 to 1.

    Example:
        >>> holm({"f1": 0.01, "j": 0.04, "recall": None})
        {'f1': 0.02, 'j': 0.04, 'recall': None}
    """
    known = {key: p for key, p in p_values.items() if p is not None}
    for key, p in known.items():
        if not 0 <= p <= 1:
            msg = f"{key}: {p} is not a p value"
            raise ValueError(msg)
    adjusted: dict[Key, float | None] = dict.fromkeys(p_values)
    floor = 0.0
    ordered = sorted(known.items(), key=lambda pair: pair[1])
    for rank, (key, p) in enumerate(ordered):
        floor = max(floor, min(1.0, p * (len(ordered) - rank)))
        adjusted[key] = floor
    return adjusted


def _by_item(records: Iterable[Record]) -> dict[str, Record]:
    return {record.item: record for record in of_one_metric(records)}


def _pairs(
    ours: Mapping[str, Record], theirs: Mapping[str, Record]
) -> list[tuple[str, float, float]]:
    """Return (cluster, a, b) of the items with a score in both."""
    pairs = []
    for item, a in ours.items():
        b = theirs.get(item)
        if b is None:
            continue
        if (a.metric, a.category, a.cluster) != (b.metric, b.category, b.cluster):
            msg = (
                f"{item}: the runs disagree about it: {a.metric}, category "
                f"{a.category}, {a.cluster} and {b.metric}, category {b.category}, "
                f"{b.cluster}"
            )
            raise ValueError(msg)
        if a.value is not None and b.value is not None:
            pairs.append((a.cluster, a.value, b.value))
    return pairs


def _unpaired_std_error(pairs: Sequence[tuple[str, float, float]]) -> float | None:
    spread_a = std_dev([a for _, a, _ in pairs])
    spread_b = std_dev([b for _, _, b in pairs])
    if spread_a is None or spread_b is None:
        return None
    return math.sqrt((spread_a**2 + spread_b**2) / len(pairs))


def _correlation(pairs: Sequence[tuple[str, float, float]]) -> float | None:
    a, b = [x for _, x, _ in pairs], [y for _, _, y in pairs]
    mean_a, mean_b = mean(a), mean(b)
    if mean_a is None or mean_b is None or len(set(a)) < 2 or len(set(b)) < 2:
        return None
    products = math.fsum((x - mean_a) * (y - mean_b) for _, x, y in pairs)
    squares_a = math.fsum((x - mean_a) ** 2 for x in a)
    squares_b = math.fsum((y - mean_b) ** 2 for y in b)
    return products / math.sqrt(squares_a * squares_b)


def _sums(values: Sequence[tuple[str, float]]) -> list[float]:
    clusters: defaultdict[str, list[float]] = defaultdict(list)
    for cluster, difference in values:
        clusters[cluster].append(difference)
    return [math.fsum(group) for group in clusters.values()]
