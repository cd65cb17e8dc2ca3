"""The scores that questions of a run have, and how they are printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eval_report import Record

from locomo_run.judging.judged import Judged
from locomo_run.reporting.cells import NOT_KNOWN
from locomo_run.reporting.judge_tables import judge_name
from locomo_run.reporting.results import Results


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """F1 under one profile, or J by one judge, over the answerable questions."""

    key: str
    """`f1:<profile>`, or the signature of the judge."""
    label: str
    records: tuple[Record, ...]
    """On the metric's own scale."""
    full_mark: float
    """The score of a perfect answer."""
    factor: float
    """What makes its scale the printed one: 0 to 1 for F1, 0 to 100 for J."""
    decimals: int

    def show(self, value: float | None, *, signed: bool = False) -> str:
        """Print a value, or that there is none."""
        if value is None:
            return NOT_KNOWN
        # z: what rounds to zero has no sign
        sign = "+z" if signed else "z"
        return f"{value * self.factor:{sign},.{self.decimals}f}"


def f1_metric(results: Results, profile: str) -> Metric:
    """Return F1 under a profile."""
    return Metric(
        key=f"f1:{profile}",
        label=f"F1 {profile}",
        records=results.f1_records(profile),
        full_mark=1.0,
        factor=1.0,
        decimals=3,
    )


def judge_metric(results: Results, judged: Judged) -> Metric:
    """Return J by one of the judges of a run."""
    return Metric(
        key=judged.judge.signature,
        label=f"J {judge_name(results, judged)}",
        records=judged.records(),
        full_mark=judged.full_mark,
        factor=100 / judged.full_mark,
        decimals=1,
    )


def metrics_of(results: Results) -> Sequence[Metric]:
    """Return F1 under the headline profile, then J by each judge."""
    judged = [judge_metric(results, each) for each in results.judged]
    return [f1_metric(results, results.facts.headline), *judged]
