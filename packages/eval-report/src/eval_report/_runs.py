"""Runs: how much repeated runs of the judge differ, within and between questions."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from eval_report._moments import mean, std_dev, variance
from eval_report._record import Record, of_one_metric

Group = tuple[float, ...]
"""The good runs of one question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunNoise:
    """Describe the spread of repeated runs, in the unit of the records.

    None of these figures is a confidence interval over questions: repeating the
    judge does not shrink the error that comes from the choice of questions.
    """

    count: int
    """Questions with at least one good run."""

    runs: int
    """Run indices that gave any score."""

    unscored_runs: int
    """Runs without a score: failed, or never made."""

    complete: int
    """Questions with a score in every one of these run indices."""

    run_scores: tuple[float, ...]
    """Mean over the complete questions, by run index: every run over the same ones."""

    run_std_dev: float | None
    """Standard deviation (n - 1) of the run scores; None with fewer than two."""

    run_std_dev_published_style: float | None
    """The same with n, as MemOS and EverMemOS print it."""

    per_question_std_dev: float | None
    """Standard deviation (n - 1) of the questions' means."""

    all_scores_std_dev: float | None
    """Standard deviation (n) of all scores of all runs, thrown together."""

    repeated: int
    """Questions with at least two good runs: the n of the figures below."""

    pooled_std_dev: float | None
    """sqrt(sum((n_i - 1) s_i^2) / sum(n_i - 1)) over the repeated questions."""

    within_variance: float | None
    """Mean of the variance (n - 1) of a question's runs."""

    between_variance: float | None
    """Variance of the questions' means without the part that the runs' noise adds.

    The variance of the overall mean is (between + within / runs) / count: when the
    first term dominates, more runs are not worth their price.
    """

    flipped: int
    """Repeated questions whose runs do not all agree."""

    flip_rate: float | None
    """Share of the repeated questions that flipped."""


def run_noise(records: Iterable[Record]) -> RunNoise:
    """Measure how much the runs of the same questions differ.

    A run without a score is left out. Fewer than two runs give None, never 0. The
    figures over whole runs use the questions with a score in every run, so that no
    run is judged on easier questions than another.

    Raises:
        ValueError: The records are of several metrics, or an item occurs twice.

    Example:
        >>> noise = run_noise(
        ...     Record.from_runs(
        ...         item=item, category=1, cluster="c", metric="j", runs=runs
        ...     )
        ...     for item, runs in [("q1", (1, 1)), ("q2", (0, 1))]
        ... )
        >>> noise.run_scores, noise.flip_rate, noise.pooled_std_dev
        ((0.5, 1.0), 0.5, 0.5)
    """
    judged = of_one_metric(records)
    groups = [good for record in judged if (good := record.good_runs)]
    repeated = [group for group in groups if len(group) > 1]
    variances = _each(variance, repeated)
    flipped = sum(min(group) != max(group) for group in repeated)
    used = _used_runs(judged)
    run_scores, complete = _run_scores(judged, used)
    return RunNoise(
        count=len(groups),
        runs=len(used),
        unscored_runs=sum(record.runs.count(None) for record in judged),
        complete=complete,
        run_scores=run_scores,
        run_std_dev=std_dev(run_scores),
        run_std_dev_published_style=std_dev(run_scores, ddof=0),
        per_question_std_dev=std_dev(_each(mean, groups)),
        all_scores_std_dev=std_dev([s for group in groups for s in group], ddof=0),
        repeated=len(repeated),
        pooled_std_dev=_pooled_std_dev(repeated, variances),
        within_variance=mean(variances),
        between_variance=_between_variance(repeated, variances),
        flipped=flipped,
        flip_rate=flipped / len(repeated) if repeated else None,
    )


def _used_runs(records: Sequence[Record]) -> list[int]:
    return sorted(
        {
            index
            for record in records
            for index, score in enumerate(record.runs)
            if score is not None
        }
    )


def _run_scores(
    records: Sequence[Record], used: Sequence[int]
) -> tuple[tuple[float, ...], int]:
    """Return the mean of each run over the complete questions, and their number."""
    complete = [
        scores
        for record in records
        if used
        and len(record.runs) > used[-1]
        and len(scores := [s for i in used if (s := record.runs[i]) is not None])
        == len(used)
    ]
    return tuple(_each(mean, list(zip(*complete, strict=True)))), len(complete)


def _each(
    measure: Callable[[Sequence[float]], float | None], groups: Sequence[Group]
) -> list[float]:
    """Measure every group that can be; groups that are alike are measured once."""
    known = {group: measure(group) for group in set(groups)}
    return [found for group in groups if (found := known[group]) is not None]


def _pooled_std_dev(
    repeated: Sequence[Group], variances: Sequence[float]
) -> float | None:
    if not repeated:
        return None
    degrees = [len(group) - 1 for group in repeated]
    squares = math.fsum(d * v for d, v in zip(degrees, variances, strict=True))
    return math.sqrt(squares / sum(degrees))


def _between_variance(
    repeated: Sequence[Group], variances: Sequence[float]
) -> float | None:
    total = variance(_each(mean, repeated))
    noise = mean([v / len(g) for v, g in zip(variances, repeated, strict=True)])
    if total is None or noise is None:
        return None
    # an estimate of a variance: the difference of two noisy terms can fall below 0
    return max(total - noise, 0.0)
