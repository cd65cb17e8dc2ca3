"""Aggregates: records to counts and means, per category and over all questions."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eval_report._moments import mean, std_dev
from eval_report._record import Record, of_one_metric
from eval_report._runs import run_noise


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Describe the scores of a set of questions, in the unit of the records."""

    count: int
    """Questions with a score: the n of the mean."""

    missing: int
    """Questions without a score, left out of the mean."""

    mean: float | None
    """Mean over the scored questions; None without one."""

    std_dev: float | None
    """Standard deviation (n - 1) of the scored questions; None with fewer than two."""

    minimum: float | None
    maximum: float | None

    pessimistic_mean: float | None
    """Mean over all questions with every missing score counted as 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSummary(Summary):
    """Describe the judge's scores of a set of questions.

    A question's score is the mean of its good runs; a question without one is
    missing.
    """

    pooled_std_dev: float | None
    """Spread of a question's runs around its own mean, pooled over questions."""

    run_std_dev: float | None
    """Standard deviation (n - 1) of whole runs: the ± of Mem0's paper."""

    runs: int
    """Run indices that gave any score."""

    unscored_runs: int
    """Judge runs of these questions without a score: failed, or never made."""

    @property
    def mean_j(self) -> float | None:
        """The mean, by the name that results use."""
        return self.mean


def aggregate_f1_by_category(records: Iterable[Record]) -> dict[int, Summary]:
    """Summarise the scores of each category.

    Args:
        records: Records of one metric.

    Returns:
        Category to summary, in the order of the category numbers.

    Raises:
        ValueError: The records are of several metrics, or an item occurs twice.

    Example:
        >>> scores = [(4, 0.8), (4, 0.6), (4, 1.0), (1, 0.5), (1, 0.7)]
        >>> records = [
        ...     Record(item=str(i), category=c, cluster="c", metric="f1", value=v)
        ...     for i, (c, v) in enumerate(scores)
        ... ]
        >>> {c: round(s.mean, 9) for c, s in aggregate_f1_by_category(records).items()}
        {1: 0.6, 4: 0.8}
    """
    return {c: _summary(group) for c, group in _by_category(records).items()}


def compute_overall_f1(records: Iterable[Record]) -> Summary:
    """Summarise all scores: the mean is over questions, not over categories.

    Raises:
        ValueError: The records are of several metrics, or an item occurs twice.

    Example:
        >>> scores = [(4, 0.8), (4, 0.6), (4, 1.0), (1, 0.5), (1, 0.7)]
        >>> records = [
        ...     Record(item=str(i), category=c, cluster="c", metric="f1", value=v)
        ...     for i, (c, v) in enumerate(scores)
        ... ]
        >>> round(compute_overall_f1(records).mean, 9)
        0.72
    """
    return _summary(of_one_metric(records))


def aggregate_judge_by_category(records: Iterable[Record]) -> dict[int, JudgeSummary]:
    """Summarise the judged scores of each category.

    Args:
        records: Records of one judge protocol, with their runs.

    Returns:
        Category to summary, in the order of the category numbers.

    Raises:
        ValueError: The records are of several metrics, or an item occurs twice.

    Example:
        >>> record = Record.from_runs(
        ...     item="q1", category=4, cluster="c", metric="j", runs=(70, 74)
        ... )
        >>> aggregate_judge_by_category([record])[4].mean_j
        72.0
    """
    return {c: _judge_summary(group) for c, group in _by_category(records).items()}


def compute_overall_judge(records: Iterable[Record]) -> JudgeSummary:
    """Summarise all judged scores: the mean is over questions, not over categories.

    The pooled standard deviation is sqrt(sum((n_i - 1) s_i^2) / sum(n_i - 1)) over
    the questions with at least two good runs, and None without one.

    Raises:
        ValueError: The records are of several metrics, or an item occurs twice.

    Example:
        >>> record = Record.from_runs(
        ...     item="q1", category=4, cluster="c", metric="j", runs=(70, 74)
        ... )
        >>> round(compute_overall_judge([record]).pooled_std_dev, 6)
        2.828427
    """
    return _judge_summary(of_one_metric(records))


def _by_category(records: Iterable[Record]) -> dict[int, list[Record]]:
    groups: defaultdict[int, list[Record]] = defaultdict(list)
    for record in of_one_metric(records):
        groups[record.category].append(record)
    return dict(sorted(groups.items()))


def _summary(records: Sequence[Record]) -> Summary:
    scores = [record.value for record in records if record.value is not None]
    return Summary(
        count=len(scores),
        missing=len(records) - len(scores),
        mean=mean(scores),
        std_dev=std_dev(scores),
        minimum=min(scores, default=None),
        maximum=max(scores, default=None),
        pessimistic_mean=math.fsum(scores) / len(records) if records else None,
    )


def _judge_summary(records: Sequence[Record]) -> JudgeSummary:
    summary, noise = _summary(records), run_noise(records)
    return JudgeSummary(
        count=summary.count,
        missing=summary.missing,
        mean=summary.mean,
        std_dev=summary.std_dev,
        minimum=summary.minimum,
        maximum=summary.maximum,
        pessimistic_mean=summary.pessimistic_mean,
        pooled_std_dev=noise.pooled_std_dev,
        run_std_dev=noise.run_std_dev,
        runs=noise.runs,
        unscored_runs=noise.unscored_runs,
    )
