"""J as tables: by category, beside published results, and how far it repeats itself."""

from __future__ import annotations

from eval_report import (
    JudgeScores,
    Table,
    format_judge_breakdown_table,
    format_judge_comparison_table,
)
from locomo_dataset import Category

from locomo_run.judging.judged import Judged
from locomo_run.reporting.cells import count_cell, mean_cell, system_name, titled
from locomo_run.reporting.results import Results


def judge_blocks(results: Results) -> tuple[Table, ...]:
    """Set out J by category under each protocol."""
    labels = {int(c): c.label for c in Category}
    return tuple(
        format_judge_breakdown_table(judge_scores(results, each), labels)
        for each in results.judged
    )


def judge_tables(results: Results, *, as_printed: bool = False) -> tuple[Table, ...]:
    """Set out J: by category, beside published results, and how far runs agree."""
    if not results.judged:
        return ()
    scores = [judge_scores(results, each) for each in results.judged]
    return (
        *judge_blocks(results),
        format_judge_comparison_table(scores, as_printed=as_printed),
        reliability_table(results),
    )


def judge_scores(results: Results, judged: Judged) -> JudgeScores:
    """Return the scores of one judge over the answerable questions."""
    return JudgeScores(
        name=system_name(results),
        interval=judged.clustered().interval,
        signature=judged.judge.signature,
        by_category=judged.by_category(),
        overall=judged.overall(),
        covered=tuple(int(c) for c in Category if c is not Category.ADVERSARIAL),
        expected=results.expected,
        full_mark=judged.full_mark,
        protocol=judge_name(results, judged),
        kind=judged.kind,
        judge=judged.judge.settings.model,
    )


def reliability_table(results: Results) -> Table:
    """Set out how far the runs of each judge repeat each other."""
    rows = []
    for each in results.judged:
        found, statuses = each.reliability(), each.statuses()
        bad = {s: n for s, n in statuses.items() if s != "ok"}
        rows.append(
            (
                judge_name(results, each),
                count_cell(found.item_count),
                mean_cell(found.flip_rate),
                mean_cell(found.pairwise_agreement),
                mean_cell(found.alpha),
                count_cell(statuses["ok"]),
                ", ".join(f"{n:,} {s}" for s, n in sorted(bad.items())) or "none",
            )
        )
    return Table(
        title=titled("Judge reliability", results),
        columns=(
            "Protocol",
            "n",
            "Flip rate",
            "Pairs that agree",
            "Alpha",
            "Good runs",
            "Runs without a score",
        ),
        rows=tuple(rows),
        notes=(
            "n: questions with at least two good runs.",
            "Flip rate: share of these questions whose runs do not all agree.",
            "Repeating the judge does not shrink the error over questions.",
        ),
    )


def judge_name(results: Results, judged: Judged) -> str:
    """Name a protocol, with the judge where several judge by the same one."""
    alike = [each for each in results.judged if each.name == judged.name]
    if len(alike) == 1:
        return judged.name
    return f"{judged.name} ({judged.judge.settings.signature})"
