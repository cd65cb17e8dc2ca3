"""Breakdown tables: one run by category."""

from collections.abc import Mapping

from eval_report._cells import number, titled
from eval_report._rows import subset
from eval_report._scores import F1Scores, JudgeScores
from eval_report._table import Table


def format_f1_breakdown_table(scores: F1Scores, labels: Mapping[int, str]) -> Table:
    """List count, mean, spread and ends of token F1 by category and overall.

    Args:
        scores: The run under one profile.
        labels: Category to its name, for example `load_baselines().benchmark.labels`.
    """
    parts = [(_label(c, labels), s) for c, s in sorted(scores.by_category.items())]
    return Table(
        title=titled(
            f"Token F1 by category, profile {scores.profile}", [subset(scores)]
        ),
        columns=("Category", "n", "Unscored", "Mean F1, 0-1", "Sd", "Min", "Max"),
        rows=tuple(
            (
                label,
                f"{summary.count:,}",
                f"{summary.missing:,}",
                number(summary.mean, 3),
                number(summary.std_dev, 3),
                number(summary.minimum, 3),
                number(summary.maximum, 3),
            )
            for label, summary in [*parts, ("overall", scores.overall)]
        ),
        notes=("Sd: over questions (n - 1).", scores.signature),
    )


def format_judge_breakdown_table(
    scores: JudgeScores, labels: Mapping[int, str]
) -> Table:
    """List count, mean J, its ends and its spreads by category and overall.

    Args:
        scores: The run under one protocol.
        labels: Category to its name, for example `load_baselines().benchmark.labels`.
    """
    scale = scores.scale
    parts = [(_label(c, labels), s) for c, s in sorted(scores.by_category.items())]
    return Table(
        title=titled(f"J by category, protocol {scores.protocol}", [subset(scores)]),
        columns=(
            "Category",
            "n",
            "Unscored",
            "Mean J, 0-100",
            "Sd over questions",
            "Min",
            "Max",
            "± between runs",
            "Pooled sd",
            "Runs",
            "Runs without a score",
        ),
        rows=tuple(
            (
                label,
                f"{summary.count:,}",
                f"{summary.missing:,}",
                number(_scaled(summary.mean_j, scale), 1),
                number(_scaled(summary.std_dev, scale), 2),
                number(_scaled(summary.minimum, scale), 1),
                number(_scaled(summary.maximum, scale), 1),
                number(_scaled(summary.run_std_dev, scale), 2),
                number(_scaled(summary.pooled_std_dev, scale), 2),
                f"{summary.runs:,}",
                f"{summary.unscored_runs:,}",
            )
            for label, summary in [*parts, ("overall", scores.overall)]
        ),
        notes=(
            "Sd over questions: of the questions' means (n - 1).",
            "± between runs: of the means of whole runs (n - 1), as in Mem0's paper.",
            "Pooled sd: of one run around its question's mean, pooled over questions.",
            "None of the three is an interval of the mean.",
            scores.signature,
        ),
    )


def _label(category: int, labels: Mapping[int, str]) -> str:
    return f"{labels.get(category, 'category')} ({category})"


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale
