"""Rows: what comparison tables have in common, ours and published."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from eval_report._aggregate import JudgeSummary, Summary
from eval_report._baselines import Baselines, F1Baseline, JBaseline, LatencyBaseline
from eval_report._cells import NOT_KNOWN, NOTHING, counted, number, span, spread
from eval_report._difference import published_overall
from eval_report._scores import F1Scores, JudgeScores, LatencyScores, RunScores

Row = TypeVar("Row", bound=F1Baseline | JBaseline)


def subset(scores: RunScores | LatencyScores) -> str:
    """Return the words that mark a run of less than the whole, or nothing."""
    return (
        "" if scores.whole else f"subset, n = {scores.asked:,} of {scores.expected:,}"
    )


def our_name(scores: RunScores | LatencyScores) -> str:
    """Return the name of our system, marked when the run is not the whole."""
    mark = subset(scores)
    return f"{scores.name} ({mark})" if mark else scores.name


def our_category(scores: RunScores, category: int) -> str:
    """Return a category's mean with its n."""
    summary = scores.by_category.get(category)
    if summary is None:
        return NOTHING
    n = counted(summary.count, summary.missing)
    return f"{_mean(summary, scores.scale)} (n = {n})"


def our_overall(scores: RunScores) -> str:
    """Return the overall with its interval, and with missing scores counted as 0."""
    summary, scale = scores.overall, scores.scale
    if summary.mean is None:
        return NOT_KNOWN
    text = _mean(summary, scale) + span(scores.interval, scale, 1)
    if summary.missing and summary.pessimistic_mean is not None:
        text += f"; {number(summary.pessimistic_mean * scale, 1)} with unscored as 0"
    return text


def their_overall(row: F1Baseline | JBaseline, published: Baselines) -> str:
    """Return a row's overall as printed, or weighted from its categories and marked."""
    if isinstance(row, JBaseline) and row.overall_std is not None:
        return f"{row.overall} ±{row.overall_std}"
    if row.overall is not None:
        return str(row.overall)
    weighted = published_overall(row, published)
    return NOTHING if weighted is None else f"{number(weighted, 2)} (weighted)"


def their_n(row: F1Baseline | JBaseline | LatencyBaseline, published: Baselines) -> str:
    """Return the benchmark's n of what a row covers, if it measured the benchmark."""
    if not published.sources[row.source].same_questions:
        return "not known"
    counts = published.benchmark.counts
    return f"{sum(counts[category] for category in row.covers):,}"


def their_source(
    row: F1Baseline | JBaseline | LatencyBaseline, published: Baselines
) -> str:
    """Return the short name of a row's source and the place in it."""
    return f"{published.sources[row.source].title}, {row.table}"


def shown_categories(
    scores: Iterable[RunScores], rows: Iterable[F1Baseline | JBaseline]
) -> tuple[int, ...]:
    """Return the categories that any row has a number for, in order."""
    ours = {category for run in scores for category in run.by_category}
    return tuple(sorted(ours.union(*(row.categories for row in rows))))


def headings(categories: Iterable[int], published: Baselines) -> tuple[str, ...]:
    """Return a heading per category: its name, number and unit."""
    labels = published.benchmark.labels
    return tuple(
        f"{labels.get(category, 'category')} ({category}), 0-100"
        for category in categories
    )


def with_printed_names(
    rows: Sequence[Row],
    cells: Callable[[Row], tuple[str, ...]],
    published: Baselines,
    categories: Sequence[int],
    *,
    as_printed: bool,
) -> list[tuple[str, ...]]:
    """Return the rows' cells; if asked, each source first names the columns its way."""
    lines: list[tuple[str, ...]] = []
    previous = ""
    for row in rows:
        line, source = cells(row), published.sources[row.source]
        if as_printed and source.as_printed and row.source != previous:
            names = (source.as_printed.get(c, NOTHING) for c in categories)
            heading = (f"{source.title} prints these columns as", "", *names)
            lines.append(heading + ("",) * (len(line) - len(heading)))
        previous = row.source
        lines.append(line)
    return lines


def source_notes(
    rows: Iterable[F1Baseline | JBaseline], published: Baselines
) -> tuple[str, ...]:
    """Return a note for each source of the rows: what it is and what limits it."""
    sources = [published.sources[key] for key in dict.fromkeys(r.source for r in rows)]
    return tuple(
        f"{s.title}: {s.reference}, {s.date or 'date not known'}. {s.note}"
        for s in sources
    )


def footnotes(published: Baselines, metric: str) -> tuple[str, ...]:
    """Return the notes on published numbers that cannot stand in a row."""
    return tuple(note.text for note in published.footnotes if note.metric == metric)


def recipe_of(scores: F1Scores | JudgeScores) -> str:
    """Return the profile or protocol that a row was made with."""
    return scores.profile if isinstance(scores, F1Scores) else scores.protocol


def signatures(scores: Iterable[F1Scores | JudgeScores]) -> tuple[str, ...]:
    """Return a note with the signature of each of our rows."""
    return tuple(f"{s.name}, {recipe_of(s)}: {s.signature}" for s in scores)


def _mean(summary: Summary, scale: float) -> str:
    if summary.mean is None:
        return NOT_KNOWN
    text = number(summary.mean * scale, 1)
    if isinstance(summary, JudgeSummary) and summary.run_std_dev is not None:
        text += spread(summary.run_std_dev * scale, 2)
    return text
