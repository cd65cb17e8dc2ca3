"""Record: one score of one question, or the reason why there is none."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from eval_report._moments import mean, std_dev


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Hold the score of one item under one metric.

    A score that does not exist (failed, refused, unparsed, never asked) is
    `None`, never 0: the aggregates leave it out and count it.

    Raises:
        ValueError: A score is NaN or infinite, or `value` is not the mean of
            the good runs.
    """

    item: str
    """Identifier of the question, unique within one metric of one run."""

    category: int
    """Category as the data set numbers it."""

    cluster: str
    """What makes questions dependent on each other: their conversation."""

    metric: str
    """Name of the metric, for example `f1:locomo` or `j:binary`."""

    value: float | None
    """The item's score, in the metric's own unit."""

    runs: tuple[float | None, ...] = ()
    """Score by run index, for metrics that are measured several times."""

    def __post_init__(self) -> None:
        for score in (self.value, *self.runs):
            if score is not None and not math.isfinite(score):
                msg = f"{self.item}: {score} is not a score; a missing score is None"
                raise ValueError(msg)
        if self.runs and not _agree(self.value, mean_of_runs(self.runs)):
            msg = (
                f"{self.item}: value {self.value} is not the mean of its good runs, "
                f"{mean_of_runs(self.runs)}; Record.from_runs computes it"
            )
            raise ValueError(msg)

    @classmethod
    def from_runs(
        cls,
        *,
        item: str,
        category: int,
        cluster: str,
        metric: str,
        runs: tuple[float | None, ...],
    ) -> Self:
        """Make a record whose value is the mean of the runs that gave a score.

        Example:
            >>> Record.from_runs(
            ...     item="q1", category=1, cluster="c", metric="j", runs=(1, None, 0)
            ... ).value
            0.5
        """
        return cls(
            item=item,
            category=category,
            cluster=cluster,
            metric=metric,
            value=mean_of_runs(runs),
            runs=runs,
        )

    @property
    def good_runs(self) -> tuple[float, ...]:
        """The runs that gave a score, in order."""
        return tuple([score for score in self.runs if score is not None])

    @property
    def std_dev(self) -> float | None:
        """Standard deviation (n - 1) of the good runs; None with fewer than two."""
        return std_dev(self.good_runs)


def mean_of_runs(runs: tuple[float | None, ...]) -> float | None:
    """Return the mean of the scores that exist, or None without one."""
    if len(runs) == 1:
        return runs[0]
    return mean([score for score in runs if score is not None])


def of_one_metric(records: Iterable[Record]) -> tuple[Record, ...]:
    """Return the records as a tuple that it makes sense to average.

    Raises:
        ValueError: The records are of several metrics, or an item occurs twice.
    """
    checked = tuple(records)
    metrics = sorted({record.metric for record in checked})
    if len(metrics) > 1:
        msg = f"records of several metrics cannot be averaged: {', '.join(metrics)}"
        raise ValueError(msg)
    if len({record.item for record in checked}) < len(checked):
        counted = Counter(record.item for record in checked)
        msg = f"{max(counted, key=counted.__getitem__)} occurs twice; "
        raise ValueError(msg + "an item has one record per metric")
    return checked


def _agree(value: float | None, expected: float | None) -> bool:
    if value is None or expected is None:
        return value is expected
    return math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-9)
