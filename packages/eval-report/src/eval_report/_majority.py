"""Majority: the verdict of most runs, a second opinion beside the mean."""

from collections.abc import Iterable
from dataclasses import dataclass

from eval_report._intervals import Interval, wilson_interval
from eval_report._record import Record, of_one_metric


@dataclass(frozen=True, slots=True, kw_only=True)
class MajorityVote:
    """Count questions by the verdict that most of their runs gave."""

    correct: int
    wrong: int
    ties: int
    """Questions without a majority: undecided, in neither of the two counts."""

    missing: int
    """Questions without a good run."""

    accuracy: float | None
    """Share of the decided questions; None without one."""

    interval: Interval | None
    """Wilson's 95 % interval of the accuracy, with questions taken as independent."""


def majority_vote(records: Iterable[Record], *, full_mark: float = 1.0) -> MajorityVote:
    """Count the questions that more than half of the good runs call correct.

    A secondary figure for binary judges: it estimates the same thing as the mean
    over runs, with a bias.

    Args:
        records: Records whose runs are 0 or the full mark.
        full_mark: Score of a correct answer.

    Raises:
        ValueError: A run has another score, the records are of several metrics, or
            an item occurs twice.

    Example:
        >>> vote = majority_vote(
        ...     Record.from_runs(item=i, category=1, cluster="c", metric="j", runs=runs)
        ...     for i, runs in [("a", (1, 1, 0)), ("b", (1, 0)), ("c", (0, 0, 1))]
        ... )
        >>> vote.correct, vote.wrong, vote.ties, vote.accuracy
        (1, 1, 1, 0.5)
    """
    correct = wrong = ties = missing = 0
    for record in of_one_metric(records):
        good = record.good_runs
        if not set(good) <= {0, full_mark}:
            msg = f"{record.item}: runs {good} are not verdicts of 0 or {full_mark:g}"
            raise ValueError(msg)
        margin = 2 * good.count(full_mark) - len(good)
        correct += margin > 0
        wrong += margin < 0
        ties += bool(good) and margin == 0
        missing += not good
    decided = correct + wrong
    return MajorityVote(
        correct=correct,
        wrong=wrong,
        ties=ties,
        missing=missing,
        accuracy=correct / decided if decided else None,
        interval=wilson_interval(correct, decided),
    )
