"""Difference: ours minus a published overall, or the reason why there is none."""

from eval_report._baselines import Baselines, F1Baseline, JBaseline
from eval_report._cells import NOTHING, number
from eval_report._published import weighted_overall
from eval_report._scores import RunScores


def difference(
    run: RunScores, row: F1Baseline | JBaseline, published: Baselines
) -> str:
    """Return ours minus the row's overall, or why the two cannot be subtracted.

    Args:
        run: Our scores, already known to be of the row's profile or kind of judge.
        row: The published row.
        published: Where the row comes from.
    """
    theirs = published_overall(row, published)
    reason = _obstacle(run, row, published)
    if reason or theirs is None or run.overall.mean is None:
        return reason or NOTHING
    text = number(run.overall.mean * run.scale - theirs, 1, signed=True)
    return f"{text}, unscored left out" if run.overall.missing else text


def published_overall(
    row: F1Baseline | JBaseline, published: Baselines
) -> float | None:
    """Return the row's overall: as printed, else weighted from its categories."""
    if row.overall is not None:
        return float(row.overall)
    if set(row.categories) == set(row.covers):
        return weighted_overall(row.categories, published.benchmark.counts)
    return None


def _obstacle(run: RunScores, row: F1Baseline | JBaseline, published: Baselines) -> str:
    if not published.sources[row.source].same_questions:
        return "questions unverified"
    if set(run.covered) != set(row.covers):
        return "other categories"
    if not run.whole:
        return "subset"
    counts = published.benchmark.counts
    if any(run.asked_in(category) != counts[category] for category in row.covers):
        return "other questions"
    return ""
