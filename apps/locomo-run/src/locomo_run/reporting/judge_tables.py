"""J as tables: by category, beside published results, and how far it repeats itself."""

from __future__ import annotations

from eval_report import (
    JudgeScores,
    Table,
    format_judge_breakdown_table,
    format_judge_comparison_table,
    majority_vote,
)
from locomo_dataset import Category

from locomo_run.judging.judged import Judged
from locomo_run.reporting.cells import (
    NOT_KNOWN,
    count_cell,
    label,
    mean_cell,
    system_name,
    titled,
)
from locomo_run.reporting.results import Results


def judge_blocks(results: Results) -> tuple[Table, ...]:
    """Set out J by category under each protocol."""
    labels = {int(c): c.label for c in Category}
    return tuple(
        format_judge_breakdown_table(judge_scores(results, each), labels)
        for each in results.judged
    )


def judge_comparison(
    results: Results, *, as_printed: bool = False
) -> tuple[Table, ...]:
    """Set J beside published results; no table if nobody judged."""
    if not results.judged:
        return ()
    scores = [judge_scores(results, each) for each in results.judged]
    return (format_judge_comparison_table(scores, as_printed=as_printed),)


def judge_tables(results: Results) -> tuple[Table, ...]:
    """Set out J: by category, beside published results, and how far runs agree."""
    if not results.judged:
        return ()
    return (
        *judge_blocks(results),
        *judge_comparison(results),
        reliability_table(results),
    )


def majority_tables(results: Results) -> tuple[Table, ...]:
    """Set out the verdict of most runs, for judges that say right or wrong."""
    return tuple(_majority(results, each) for each in results.judged if each.two_valued)


def _majority(results: Results, judged: Judged) -> Table:
    records = judged.records()
    groups = {
        label(number): [r for r in records if r.category == number]
        for number in sorted({record.category for record in records})
    }
    rows = []
    for name, group in (*groups.items(), ("overall", records)):
        vote = majority_vote(group, full_mark=judged.full_mark)
        rows.append(
            (
                name,
                count_cell(vote.correct),
                count_cell(vote.wrong),
                count_cell(vote.ties),
                count_cell(vote.missing),
                mean_cell(vote.accuracy),
                NOT_KNOWN
                if vote.interval is None
                else f"{vote.interval.low:.3f} to {vote.interval.high:.3f}",
            )
        )
    return Table(
        title=titled(
            f"Verdict of most runs, protocol {judge_name(results, judged)}", results
        ),
        columns=(
            "Category",
            "Right",
            "Wrong",
            "Ties",
            "Unscored",
            "Share right",
            "Wilson's 95 %",
        ),
        rows=tuple(rows),
        notes=(
            "A second opinion beside J: of the questions without a tie.",
            "Wilson's interval takes questions as independent; for small categories.",
        ),
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
    return f"{judged.name} ({judged.judge.settings_signature})"
