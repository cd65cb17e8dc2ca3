"""The headline: the few numbers that a run is quoted by, each with its interval."""

from __future__ import annotations

from eval_report import ClusteredMean, Summary, Table

from locomo_run.reporting.cells import NOT_KNOWN, count_cell, percent_cell, titled
from locomo_run.reporting.judge_tables import judge_name
from locomo_run.reporting.results import Results


def headline_table(results: Results) -> Table:
    """Set out headline F1 and every J with interval, n and what has no score."""
    profile = results.facts.headline
    rows = [
        _row(
            f"Token F1, profile {profile}",
            results.f1_overall(profile),
            results.f1_clustered(profile),
            scale=100,
        )
    ]
    rows += [
        _row(
            f"J, {each.kind}, protocol {judge_name(results, each)}",
            each.overall(),
            each.clustered(),
            scale=100 / each.full_mark,
        )
        for each in results.judged
    ]
    return Table(
        title=titled("Mean scores with their intervals", results),
        columns=(
            "Score",
            "Mean, 0-100",
            "95 % interval",
            "n",
            "Unscored",
            "With unscored as 0",
        ),
        rows=tuple(rows),
        notes=(
            "Answerable questions; each counts the same.",
            "Interval: clustered by conversation, Student's t; n/a below two of them.",
        ),
    )


def _row(
    name: str, summary: Summary, mean: ClusteredMean, *, scale: float
) -> tuple[str, ...]:
    interval = mean.interval
    return (
        name,
        percent_cell(summary.mean, scale),
        NOT_KNOWN
        if interval is None
        else f"{interval.low * scale:.1f} to {interval.high * scale:.1f}",
        count_cell(summary.count),
        count_cell(summary.missing),
        percent_cell(summary.pessimistic_mean, scale),
    )
