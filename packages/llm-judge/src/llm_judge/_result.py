"""What one judge run gave, and what many runs of one question give together."""

import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from llm_judge._completion import Completion

__all__ = ["JudgeAggregation", "JudgeResult", "JudgeStatus", "aggregate_runs"]

FEW_RUNS = 5
"""Fewer good runs than this, with failures among them, point to a systematic fault."""

FAILED_SCORE = -1
"""Stands for a missing score in the serialised form, and nowhere else."""


class JudgeStatus(StrEnum):
    """How a judge run ended; only `OK` has a score."""

    OK = "ok"
    UNPARSED = "unparsed"
    """A whole reply without a usable verdict."""
    TRUNCATED = "truncated"
    """The reply ran into a token limit."""
    REFUSED = "refused"
    """The endpoint says that the model declined."""
    INFRA_ERROR = "infra_error"
    """There is no reply: the call failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeResult:
    """One judge run of one question."""

    status: JudgeStatus
    signature: str
    """The signature of the protocol that asked and read."""
    score: float | None = None
    """On the protocol's own scale; None unless the status is `OK`."""
    label: str | None = None
    """The label behind the score, where the scale has labels."""
    explanation: str = ""
    """The judge's own words; the whole reply where it was not JSON."""
    reason: str | None = None
    """Why there is no score; None if there is one."""
    completion: Completion | None = None
    """The reply as it came, None if none did."""
    error: Exception | None = field(default=None, repr=False, compare=False)
    """What the call raised, for debugging; it may hold secrets."""

    def to_record(self) -> dict[str, str | float | None]:
        """Return the serialised form.

        There a run without a score has `score` -1 and `status` "failed", and `cause`
        names its status.

        >>> JudgeResult(
        ...     status=JudgeStatus.TRUNCATED, signature="p", reason="cut"
        ... ).to_record()
        {'score': -1, 'status': 'failed', 'explanation': '', \
'cause': 'truncated', 'reason': 'cut'}
        """
        if self.score is None:
            return {
                "score": FAILED_SCORE,
                "status": "failed",
                "explanation": self.explanation,
                "cause": self.status.value,
                "reason": self.reason,
            }
        return {
            "score": self.score,
            "status": self.status.value,
            "explanation": self.explanation,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAggregation:
    """Many judge runs of one question; failed runs are counted, never averaged."""

    mean_score: float | None
    """Mean over the good runs, None if there is none."""
    std_dev: float | None
    """Sample standard deviation (n-1) over the good runs, None below two."""
    run_count: int
    """Good runs."""
    failed_count: int
    individual_scores: tuple[float, ...]
    """The scores of the good runs, in run order."""
    warnings: tuple[str, ...]
    signature: str
    """The signature of the protocol that all runs share."""
    results: tuple[JudgeResult, ...] = field(repr=False)
    """All runs in order, the failed ones too."""


def aggregate_runs(results: Iterable[JudgeResult]) -> JudgeAggregation:
    """Combine the runs of one question, leaving failed ones out.

    Any failed run gives a warning with the count;
    fewer than five good runs beside failed ones give a second, stronger one.

    Raises:
        ValueError: No runs at all, or runs of different protocols.

    >>> ok = [
    ...     JudgeResult(status=JudgeStatus.OK, signature="p", score=score)
    ...     for score in (70, 72, 68, 71, 73, 69, 70, 72, 71, 70)
    ... ]
    >>> aggregation = aggregate_runs(ok)
    >>> aggregation.mean_score, round(aggregation.std_dev, 4)
    (70.6, 1.5055)
    """
    runs = tuple(results)
    signatures = {run.signature for run in runs}
    if len(signatures) != 1:
        msg = (
            "cannot aggregate runs of different protocols: "
            + ", ".join(sorted(signatures))
            if runs
            else "cannot aggregate zero runs"
        )
        raise ValueError(msg)
    scores = tuple(run.score for run in runs if run.score is not None)
    return JudgeAggregation(
        mean_score=statistics.fmean(scores) if scores else None,
        std_dev=statistics.stdev(scores) if len(scores) > 1 else None,
        run_count=len(scores),
        failed_count=len(runs) - len(scores),
        individual_scores=scores,
        warnings=_warnings(runs),
        signature=signatures.pop(),
        results=runs,
    )


def _warnings(runs: tuple[JudgeResult, ...]) -> tuple[str, ...]:
    causes = Counter(run.status.value for run in runs if run.score is None)
    failed = causes.total()
    if not failed:
        return ()
    listed = ", ".join(f"{count} {cause}" for cause, count in causes.most_common())
    count_warning = (
        f"{failed} of {len(runs)} judge runs failed ({listed}); "
        "the mean is over the others"
    )
    good = len(runs) - failed
    if good >= FEW_RUNS:
        return (count_warning,)
    reasons = Counter(run.reason for run in runs if run.score is None)
    severe = (
        f"systematic failure likely: only {good} of {len(runs)} judge runs gave a "
        f"score; most common reason: {reasons.most_common(1)[0][0]}"
    )
    return (count_warning, severe)
