"""A run by conversation as tables, and as plain values."""

from __future__ import annotations

from collections.abc import Sequence

from eval_report import LatencySummary, Summary, Table, critical_correlation
from locomo_dataset import Category

from locomo_run.comparing.conversations import ByConversation, ConversationResult
from locomo_run.ledger.entry import Json
from locomo_run.reporting.cells import NOT_KNOWN, label, titled
from locomo_run.reporting.metrics import Metric, metrics_of
from locomo_run.reporting.results import Results

ANSWERABLE = [category for category in Category if category is not Category.ADVERSARIAL]


def conversation_tables(found: ByConversation, results: Results) -> tuple[Table, ...]:
    """Set out a run by conversation: as a whole, by category, and what goes with it."""
    metrics = metrics_of(results)
    ranks = next(each.label for each in metrics if each.key == found.metric)
    return (
        _overview(found, results, metrics, ranks),
        *(_by_category(found, results, metric) for metric in metrics),
        _correlations(found, ranks),
    )


def conversations_spec(found: ByConversation) -> dict[str, Json]:
    """Return a run by conversation as plain values, scores on their own scales."""
    return {
        "ranked_by": found.metric,
        "conversations": [_spec(each) for each in found.conversations],
        "correlations": [
            {"with": each.number, "n": each.n, "pearson_r": each.r}
            for each in found.correlations
        ],
    }


def _overview(
    found: ByConversation, results: Results, metrics: Sequence[Metric], ranks: str
) -> Table:
    rows = [
        (
            f"{rank}",
            each.sample_id,
            f"{each.questions:,}",
            *(metric.show(each.scores[metric.key].overall.mean) for metric in metrics),
            f"{each.sessions:,}",
            f"{each.turns:,}",
            NOT_KNOWN if each.observations is None else f"{each.observations:,}",
            NOT_KNOWN if each.mean_hits is None else f"{each.mean_hits:.1f}",
            _p50(each.search),
            _p50(each.answer),
        )
        for rank, each in enumerate(found.conversations, 1)
    ]
    return Table(
        title=titled("Conversations, easiest first", results),
        columns=(
            "Rank",
            "Conversation",
            "n",
            *(metric.label for metric in metrics),
            "Sessions",
            "Turns",
            "Observations",
            "Mean hits",
            "Search p50, ms",
            "Answer p50, ms",
        ),
        rows=tuple(rows),
        notes=(
            f"Ranked by {ranks}. F1 is on 0 to 1, J on 0 to 100.",
            "n: answerable questions selected. Means are over those with a score.",
            "Conversations differ in their mix of categories: see those too.",
        ),
    )


def _by_category(found: ByConversation, results: Results, metric: Metric) -> Table:
    def cell(summary: Summary | None) -> str:
        if summary is None:
            return "–"
        return f"{metric.show(summary.mean)} ({summary.count:,})"

    rows = []
    for each in found.conversations:
        summaries = each.scores[metric.key].by_category
        cells = (cell(summaries.get(int(category))) for category in ANSWERABLE)
        rows.append((each.sample_id, *cells))
    return Table(
        title=titled(f"{metric.label} by conversation and category", results),
        columns=("Conversation", *(label(int(c)) for c in ANSWERABLE)),
        rows=tuple(rows),
        notes=("Mean over the questions with a score, and how many these are.",),
    )


def _correlations(found: ByConversation, ranks: str) -> Table:
    return Table(
        title=f"What goes with {ranks} of a conversation",
        columns=("Number", "n", "Pearson's r", "|r| by chance"),
        rows=tuple(
            (
                each.number,
                f"{each.n:,}",
                _two_decimals(each.r),
                _two_decimals(critical_correlation(each.n)),
            )
            for each in found.correlations
        ),
        notes=(
            "n: conversations. Below three, or without variation, there is no r.",
            "|r| by chance: what chance alone stays below in 95 of 100 cases.",
        ),
    )


def _two_decimals(value: float | None) -> str:
    return NOT_KNOWN if value is None else f"{value:.2f}"


def _spec(row: ConversationResult) -> dict[str, Json]:
    return {
        "sample_id": row.sample_id,
        "questions": row.questions,
        "sessions": row.sessions,
        "turns": row.turns,
        "observations": row.observations,
        "mean_hits": row.mean_hits,
        "search_p50_ms": row.search.p50,
        "answer_p50_ms": row.answer.p50,
        "scores": {
            metric: {
                **_summary_spec(scored.overall),
                "by_category": {
                    Category(number).label: _summary_spec(summary)
                    for number, summary in scored.by_category.items()
                },
            }
            for metric, scored in row.scores.items()
        },
    }


def _summary_spec(summary: Summary) -> dict[str, Json]:
    return {
        "mean": summary.mean,
        "count": summary.count,
        "missing": summary.missing,
    }


def _p50(summary: LatencySummary) -> str:
    return NOT_KNOWN if summary.p50 is None else f"{summary.p50:,.2f}"
