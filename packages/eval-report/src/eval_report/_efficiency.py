"""Efficiency tables: where the time of a run went, and beside published times."""

from collections.abc import Mapping, Sequence

from eval_report import _rows
from eval_report._baselines import Baselines, LatencyBaseline, load_baselines
from eval_report._cells import number, printed, titled
from eval_report._latency import LatencySummary
from eval_report._scores import LatencyScores
from eval_report._table import Table

Cells = tuple[str, ...]

_TOTAL = (
    "Total is search and answer together. Published times come from other machines, "
    "networks and models: no differences are printed. Context: for this run all that "
    "the answerer read, its instructions included."
)


def format_latency_comparison_table(
    scores: Sequence[LatencyScores], baselines: Baselines | None = None
) -> Table:
    """Set the times of one or more runs beside published ones, in seconds.

    No difference is printed: the published times are of other machines, networks
    and models.

    Args:
        scores: Our runs, in milliseconds.
        baselines: Published rows; this package's own when None.
    """
    published = baselines or load_baselines()
    rows = (
        *(_our_latency_cells(run) for run in scores),
        *(_published_latency_cells(row, published) for row in published.latency),
    )
    return Table(
        title=titled(
            "Latency and context beside published results",
            [_rows.subset(run) for run in scores],
        ),
        columns=(
            "System",
            "Search p50, s",
            "Search p95, s",
            "Total p50, s",
            "Total p95, s",
            "Context, tokens per question",
            "n",
            "Source",
        ),
        rows=rows,
        notes=(
            _TOTAL,
            *_references(published),
            *_rows.footnotes(published, "latency"),
        ),
    )


def format_latency_breakdown_table(stages: Mapping[str, LatencySummary]) -> Table:
    """List the percentiles of each stage in milliseconds.

    Args:
        stages: Name of the stage (search, answer, total) to its times in
            milliseconds, in the order to print.
    """
    return Table(
        title="Latency",
        columns=("Stage", "n", "Not measured", "p50, ms", "p95, ms", "Mean, ms"),
        rows=tuple(
            (
                stage,
                f"{times.count:,}",
                f"{times.missing:,}",
                number(times.p50, 2),
                number(times.p95, 2),
                number(times.mean, 2),
            )
            for stage, times in stages.items()
        ),
    )


def _our_latency_cells(run: LatencyScores) -> Cells:
    times = (run.search.p50, run.search.p95, run.total.p50, run.total.p95)
    measured = run.total.count
    return (
        _rows.our_name(run),
        *(_seconds(time) for time in times),
        number(run.context_tokens, 0),
        f"{measured:,}" + (f" of {run.asked:,}" if measured < run.asked else ""),
        "this run",
    )


def _published_latency_cells(row: LatencyBaseline, published: Baselines) -> Cells:
    times = (row.search_p50, row.search_p95, row.total_p50, row.total_p95)
    return (
        row.system,
        *(printed(time) for time in times),
        number(row.context_tokens, 0),
        _rows.their_n(row, published),
        _rows.their_source(row, published),
    )


def _references(published: Baselines) -> list[str]:
    used = dict.fromkeys((row.source, row.answerer) for row in published.latency)
    return [
        f"{source.title}: {source.reference}, {source.date or 'date not known'}; "
        f"answers by {answerer or 'a model not known'}."
        for key, answerer in used
        for source in [published.sources[key]]
    ]


def _seconds(milliseconds: float | None) -> str:
    return number(None if milliseconds is None else milliseconds / 1000, 3)
