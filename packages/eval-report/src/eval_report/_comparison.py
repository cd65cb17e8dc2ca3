"""Comparison tables: our numbers with the published ones that they can stand beside.

A difference is printed only between like and like: the same F1 profile or kind of
judge, an overall over the same categories, and exactly the benchmark's questions.
A row that fails one of these stands in the table with the reason instead.
"""

from collections.abc import Sequence

from eval_report import _rows
from eval_report._baselines import Baselines, F1Baseline, JBaseline, load_baselines
from eval_report._cells import NOTHING, counted, number, printed, titled
from eval_report._difference import difference
from eval_report._scores import F1Scores, JudgeScores
from eval_report._table import Table

Cells = tuple[str, ...]

_ALIGNMENT = (
    "Columns follow the category numbers of the data set and its names for them; "
    "published columns are aligned to the numbers."
)
_DIFFERENCE = (
    "Ours minus row: overalls only, and only where {like}, categories and questions "
    "are the same; published numbers come without a paired test."
)
_JUDGES = (
    "The prompt and the model of the judge differ between rows; for the same answers "
    "that alone can move J by tens of points."
)
_SPREADS = (
    "±: standard deviation between whole judge runs, as the Mem0 paper prints it; it "
    "says nothing about the choice of questions. Pooled sd: spread of one question's "
    "runs around its own mean."
)
_INTERVAL = (
    "In brackets: 95 % interval of our overall, clustered by conversation (Student's "
    "t with clusters - 1 degrees of freedom)."
)
_WEIGHTED = (
    "(weighted): the source prints no overall; the mean of its categories weighted by "
    "their questions."
)


def format_f1_comparison_table(
    scores: Sequence[F1Scores],
    baselines: Baselines | None = None,
    *,
    as_printed: bool = False,
) -> Table:
    """Set the token F1 of one run beside published results, on a 0 to 100 scale.

    Each profile of the run is followed by the published rows computed with it. A
    profile without such rows, `standard` among them, stands without differences;
    published rows without our profile stand at the end.

    Args:
        scores: The run under each profile, in the order to print.
        baselines: Published rows; this package's own when None.
        as_printed: Also show the names that a source prints for the columns.

    Raises:
        ValueError: A profile occurs twice.
    """
    published = baselines or load_baselines()
    profiles = [run.profile for run in scores]
    if len(set(profiles)) < len(profiles):
        msg = f"a table holds one row per profile, found {', '.join(profiles)}"
        raise ValueError(msg)
    categories = _rows.shown_categories(scores, published.f1)
    ours = {run.profile: run for run in scores}

    def published_cells(row: F1Baseline) -> Cells:
        run = ours.get(row.profile)
        return (
            row.system,
            row.profile,
            *(printed(row.categories.get(category)) for category in categories),
            _rows.their_overall(row, published),
            _rows.their_n(row, published),
            difference(run, row, published) if run else "other profile",
            _rows.their_source(row, published),
        )

    def block(rows: Sequence[F1Baseline]) -> list[Cells]:
        return _rows.with_printed_names(
            rows, published_cells, published, categories, as_printed=as_printed
        )

    lines: list[Cells] = []
    for run in scores:
        lines.append(_our_f1_cells(run, categories))
        lines += block([row for row in published.f1 if row.profile == run.profile])
    lines += block([row for row in published.f1 if row.profile not in ours])
    return Table(
        title=titled(
            "Token F1 beside published results", [_rows.subset(run) for run in scores]
        ),
        columns=(
            "System",
            "Profile",
            *_rows.headings(categories, published),
            "Overall, 0-100",
            "n",
            "Ours minus row",
            "Source",
        ),
        rows=tuple(lines),
        notes=(
            _ALIGNMENT,
            _DIFFERENCE.format(like="profile"),
            *_reading(scores, published.f1),
            *_rows.source_notes(published.f1, published),
            *_rows.footnotes(published, "f1"),
            *_rows.signatures(scores),
        ),
    )


def format_judge_comparison_table(
    scores: Sequence[JudgeScores],
    baselines: Baselines | None = None,
    *,
    as_printed: bool = False,
) -> Table:
    """Set the J of one run beside published results, on a 0 to 100 scale.

    Published J is the share of answers that a generous judge called correct, so
    only protocols of kind `binary` get a column of differences. A graded or strict J
    stands in the same table, marked.

    Args:
        scores: The run under each protocol, in the order to print.
        baselines: Published rows; this package's own when None.
        as_printed: Also show the names that a source prints for the columns.

    Raises:
        ValueError: A protocol occurs twice.
    """
    published = baselines or load_baselines()
    protocols = [run.protocol for run in scores]
    if len(set(protocols)) < len(protocols):
        msg = f"a table holds one row per protocol, found {', '.join(protocols)}"
        raise ValueError(msg)
    categories = _rows.shown_categories(scores, published.j)
    like = [run for run in scores if run.kind == "binary"]

    def published_cells(row: JBaseline) -> Cells:
        against = [difference(run, row, published) for run in like]
        return (
            row.system,
            row.kind,
            *(printed(row.categories.get(c), row.std.get(c)) for c in categories),
            _rows.their_overall(row, published),
            NOTHING,
            _rows.their_n(row, published),
            *(against or ["other metric"]),
            row.judge or NOTHING,
            _rows.their_source(row, published),
        )

    lines = [_our_judge_cells(run, categories, max(len(like), 1)) for run in scores]
    lines += _rows.with_printed_names(
        published.j, published_cells, published, categories, as_printed=as_printed
    )
    heads = [f"{run.protocol} minus row" for run in like]
    return Table(
        title=titled(
            "J beside published results", [_rows.subset(run) for run in scores]
        ),
        columns=(
            "System",
            "Protocol",
            *_rows.headings(categories, published),
            "Overall, 0-100",
            "Pooled sd",
            "n",
            *(heads if len(heads) > 1 else ["Ours minus row"]),
            "Judge",
            "Source",
        ),
        rows=tuple(lines),
        notes=(
            _ALIGNMENT,
            _DIFFERENCE.format(like="kind of judge"),
            _JUDGES,
            _SPREADS,
            *_reading(scores, published.j),
            *_rows.source_notes(published.j, published),
            *_rows.footnotes(published, "j"),
            *_rows.signatures(scores),
        ),
    )


def _our_f1_cells(run: F1Scores, categories: Sequence[int]) -> Cells:
    return (
        _rows.our_name(run),
        run.profile,
        *(_rows.our_category(run, category) for category in categories),
        _rows.our_overall(run),
        counted(run.overall.count, run.overall.missing),
        NOTHING,
        "this run",
    )


def _our_judge_cells(
    run: JudgeScores, categories: Sequence[int], differences: int
) -> Cells:
    pooled = run.overall.pooled_std_dev
    marks = {
        "binary": run.protocol,
        "strict": f"{run.protocol} (other metric: a stricter standard)",
        "graded": f"{run.protocol} (other metric: mean of 0-100 scores)",
    }
    return (
        _rows.our_name(run),
        marks[run.kind],
        *(_rows.our_category(run, category) for category in categories),
        _rows.our_overall(run),
        number(None if pooled is None else pooled * run.scale, 2),
        counted(run.overall.count, run.overall.missing),
        *[NOTHING] * differences,
        run.judge,
        "this run",
    )


def _reading(
    scores: Sequence[F1Scores | JudgeScores], rows: Sequence[F1Baseline | JBaseline]
) -> list[str]:
    """Return the notes that explain marks which occur in the table."""
    marks = []
    if any(run.interval for run in scores):
        marks.append(_INTERVAL)
    if any(row.overall is None and row.categories for row in rows):
        marks.append(_WEIGHTED)
    return marks
