"""How far a judge repeats itself, and what more of its runs would buy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eval_report import (
    ClusteredMean,
    Record,
    RunNoise,
    Table,
)
from llm_judge import Reliability

from locomo_run.judging.judged import Judged
from locomo_run.ledger.entry import Json
from locomo_run.reporting.cells import NOT_KNOWN, titled
from locomo_run.reporting.judge_tables import judge_name
from locomo_run.reporting.results import Results


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The agreement of one judge's runs, on the scale of its protocol."""

    judged: Judged
    noise: RunNoise
    mean: ClusteredMean
    reliability: Reliability
    """The runs that only some questions have are in here too."""
    noise_variance: float | None
    """The part of the variance of the mean J that comes from the judge's noise."""

    def std_error(self, factor: float, *, clustered: bool = True) -> float | None:
        """Return the standard error of J with so many times the runs.

        The judge's part of the variance falls with the number of runs; the part that
        comes from the choice of questions stays.

        Args:
            factor: 1 for the runs that there are, `math.inf` for a judge without noise.
            clustered: Whether questions of one conversation depend on each other.

        Returns:
            None with fewer than two conversations or questions, and for other
            numbers of runs with fewer than two.
        """
        now = self.mean.std_error if clustered else self.mean.iid_std_error
        if now is None or factor == 1:
            return now
        if self.noise_variance is None:
            return None
        saved = self.noise_variance * (1 - 1 / factor)
        # both are estimates: the noise can come out above the whole
        return math.sqrt(max(now**2 - saved, 0.0))


def agreement(judged: Judged) -> Agreement:
    """Measure the agreement of a judge's runs over the answers of a run."""
    noise = judged.noise()
    return Agreement(
        judged=judged,
        noise=noise,
        mean=judged.clustered(),
        reliability=judged.reliability(),
        noise_variance=noise_variance(judged.records(), noise.within_variance),
    )


def noise_variance(records: Sequence[Record], within: float | None) -> float | None:
    """Return the variance that the judge's noise gives the mean over questions.

    Each question's mean over r runs has the variance within / r; the mean over n
    questions has the sum of these over n squared.

    Args:
        records: With their runs.
        within: Variance of the runs of one question; None if no question has two.

    >>> records = [
    ...     Record.from_runs(item=item, category=1, cluster="c", metric="j", runs=runs)
    ...     for item, runs in [("q1", (1, 1)), ("q2", (0, 1)), ("q3", (None, None))]
    ... ]
    >>> noise_variance(records, 0.25)  # (0.25 / 2 + 0.25 / 2) / 2 ** 2
    0.0625
    """
    counts = [len(good) for record in records if (good := record.good_runs)]
    if within is None:
        return None
    return math.fsum(within / count for count in counts) / len(counts) ** 2


def agreement_tables(results: Results) -> tuple[Table, ...]:
    """Set out the agreement of every judge, and what more runs would buy."""
    if not results.judged:
        return ()
    found = [agreement(each) for each in results.judged]
    return _spread_table(results, found), _more_runs_table(results, found)


def agreement_spec(judged: Judged) -> dict[str, Json]:
    """Return the agreement of a judge's runs as plain values, on its own scale."""
    found = agreement(judged)
    noise, reliability = found.noise, found.reliability
    return {
        "questions": reliability.item_count,
        "flip_rate": reliability.flip_rate,
        "pairwise_agreement": reliability.pairwise_agreement,
        "alpha": reliability.alpha,
        "within_variance": noise.within_variance,
        "between_variance": noise.between_variance,
        "pooled_std_dev": noise.pooled_std_dev,
        "run_scores": list(noise.run_scores),
        "run_std_dev": noise.run_std_dev,
        "complete_questions": noise.complete,
        "std_error": {
            kind: dict(zip(_FACTOR_NAMES, _errors(found, clustered), strict=True))
            for kind, clustered in (("clustered", True), ("independent", False))
        },
    }


_FACTORS = (1.0, 2.0, math.inf)
_FACTOR_NAMES = ("now", "twice_the_runs", "infinitely_many_runs")


def _errors(found: Agreement, clustered: bool) -> Iterator[float | None]:
    return (found.std_error(factor, clustered=clustered) for factor in _FACTORS)


def _spread_table(results: Results, found: Sequence[Agreement]) -> Table:
    rows = []
    for each in found:
        noise, scale = each.noise, 100 / each.judged.full_mark
        rows.append(
            (
                judge_name(results, each.judged),
                f"{noise.repeated:,}",
                _number(noise.within_variance, scale**2),
                _number(noise.between_variance, scale**2),
                _number(noise.pooled_std_dev, scale),
                _number(noise.run_std_dev, scale),
                f"{len(noise.run_scores):,}",
                f"{noise.complete:,}",
            )
        )
    return Table(
        title=titled("Spread of the judge's runs", results),
        columns=(
            "Protocol",
            "n",
            "Variance within questions",
            "Variance between questions",
            "Pooled sd of one run",
            "Sd between whole runs",
            "Runs",
            "n in every run",
        ),
        rows=tuple(rows),
        notes=(
            "J in points of 0 to 100; variances in points squared.",
            "Within questions: how far the runs over one question differ.",
            "Between questions: how far questions differ, without that noise.",
            "Sd between whole runs: over the questions with a score in every run.",
            "That is the ± of Mem0's paper, and no interval for J.",
        ),
    )


def _more_runs_table(results: Results, found: Sequence[Agreement]) -> Table:
    rows = []
    for each in found:
        scale = 100 / each.judged.full_mark
        name = judge_name(results, each.judged)
        for kind, clustered in (
            (f"by {each.mean.clusters} conversations", True),
            ("as if questions were independent", False),
        ):
            errors = (_number(e, scale) for e in _errors(each, clustered))
            rows.append((name, kind, f"{each.mean.count:,}", *errors))
    return Table(
        title=titled("Standard error of J, and what more runs would buy", results),
        columns=(
            "Protocol",
            "Clustered",
            "n",
            "Now",
            "Twice the runs",
            "Infinitely many",
        ),
        rows=tuple(rows),
        notes=(
            "J in points of 0 to 100.",
            "More runs take away the judge's own noise only.",
            "What the last column holds comes from the choice of questions.",
        ),
    )


def _number(value: float | None, scale: float) -> str:
    return NOT_KNOWN if value is None else f"{value * scale:.2f}"
