"""What stands out in a run: its ends, and its distance to published systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from eval_report import Baselines, RunScores, Table, load_baselines

from locomo_run.judging.judged import Judged
from locomo_run.outcome import Outcome
from locomo_run.reporting.cells import NOT_KNOWN, label, titled
from locomo_run.reporting.judge_tables import judge_name, judge_scores
from locomo_run.reporting.metrics import Metric, metrics_of
from locomo_run.reporting.published_tables import f1_scores
from locomo_run.reporting.results import Results

SHOWN = 5
"""Questions at either end."""

MEM0 = "Mem0"
FULL_CONTEXT = "Full context"


def standing_table(results: Results) -> Table:
    """Set out the strongest and weakest category, and the distances that can be said.

    A distance is between like and like only: the same metric over exactly the
    questions of the benchmark.
    """
    rows = [
        *_ends(f1_scores(results, results.facts.headline), "F1"),
        _f1_to_mem0(results),
    ]
    for judged in results.judged:
        name = f"J {judge_name(results, judged)}"
        rows += _ends(judge_scores(results, judged), name)
        rows.append(_j_to_mem0(results, judged, name))
        rows += _to_full_context(results, judged, name)
    return Table(
        title=titled("Where it stands", results),
        columns=("What", "Where", "0-100", "n"),
        rows=tuple(rows),
        notes=(
            "Distances are ours minus theirs.",
            "No test stands behind them: published numbers have no scores by question.",
        ),
    )


def question_tables(results: Results, *, no_text: bool = False) -> tuple[Table, ...]:
    """List the questions at either end, by F1 and by each judge.

    Args:
        results: The run.
        no_text: Leave out questions, golds and predictions.
    """
    return tuple(
        _ends_table(results, metric, no_text=no_text) for metric in metrics_of(results)
    )


def _ends_table(results: Results, metric: Metric, *, no_text: bool) -> Table:
    scores = {record.item: record.value for record in metric.records}
    scored = [
        (value, outcome)
        for outcome in results.answerable
        if (value := scores[outcome.question.id]) is not None
    ]
    ranked = sorted(scored, key=lambda pair: -pair[0])  # stable: the data set's order
    ends = [*ranked[:SHOWN], *ranked[max(SHOWN, len(ranked) - SHOWN) :]]
    text = () if no_text else ("Question", "Gold", "Prediction")
    return Table(
        title=titled(f"Best and worst {SHOWN} questions by {metric.label}", results),
        columns=("Question id", "Category", metric.label, *text),
        rows=tuple(
            (
                outcome.question.id,
                label(int(outcome.question.category)),
                metric.show(value),
                *(_texts(outcome) if text else ()),
            )
            for value, outcome in ends
        ),
        notes=("Among equals the first in the data set's order.",),
    )


def _texts(outcome: Outcome) -> tuple[str, str, str]:
    question = outcome.question
    return question.text, question.gold or "", outcome.prediction or ""


def _ends(scores: RunScores, name: str) -> list[tuple[str, ...]]:
    means = {
        number: summary.mean * scores.scale
        for number, summary in scores.by_category.items()
        if summary.mean is not None
    }
    if len(means) < 2:
        return []
    best, worst = max(means, key=means.__getitem__), min(means, key=means.__getitem__)
    return [
        (
            f"{name}, {what} category",
            label(number),
            f"{means[number]:.1f}",
            f"{scores.by_category[number].count:,}",
        )
        for what, number in (("strongest", best), ("weakest", worst))
    ]


def _f1_to_mem0(results: Results) -> tuple[str, ...]:
    row = next(row for row in load_baselines().f1 if row.system == MEM0)
    return _largest(results, "F1 mem0", f1_scores(results, "mem0"), row.categories)


def _j_to_mem0(results: Results, judged: Judged, name: str) -> tuple[str, ...]:
    if judged.kind != "binary":
        return (f"{name}, largest distance to Mem0", "other metric", NOT_KNOWN, "")
    row = next(row for row in load_baselines().j if row.system == MEM0)
    return _largest(results, name, judge_scores(results, judged), row.categories)


def _largest(
    results: Results, name: str, scores: RunScores, theirs: Mapping[int, Decimal]
) -> tuple[str, ...]:
    """The category in which a run is farthest from Mem0, either way."""
    what = f"{name}, largest distance to Mem0"
    distances = {
        number: summary.mean * scores.scale - float(theirs[number])
        for number, summary in scores.by_category.items()
        if summary.mean is not None and number in theirs
    }
    if not distances or not _same_questions(scores, load_baselines(), theirs):
        return (what, _why(results), NOT_KNOWN, "")
    number = max(distances, key=lambda each: abs(distances[each]))
    count = scores.by_category[number].count
    return (what, label(number), f"{distances[number]:+.1f}", f"{count:,}")


def _to_full_context(
    results: Results, judged: Judged, name: str
) -> list[tuple[str, ...]]:
    what = f"{name}, distance to full context"
    scores, published = judge_scores(results, judged), load_baselines()
    row = next(row for row in published.j if row.system == FULL_CONTEXT)
    if judged.kind != "binary":
        return [(what, "other metric", NOT_KNOWN, "")]
    same = _same_questions(scores, published, row.covers)
    if not same or scores.overall.mean is None or row.overall is None:
        return [(what, _why(results), NOT_KNOWN, "")]
    distance = scores.overall.mean * scores.scale - float(row.overall)
    return [(what, "overall", f"{distance:+.1f}", f"{scores.overall.count:,}")]


def _same_questions(
    scores: RunScores,
    published: Baselines,
    categories: Iterable[int] | Mapping[int, object],
) -> bool:
    counts = published.benchmark.counts
    return all(scores.asked_in(number) == counts[number] for number in categories)


def _why(results: Results) -> str:
    return "other questions" if results.whole else "subset"
