"""A comparison of runs as Markdown, and as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace

from eval_report import (
    MAX_EXACT_CLUSTERS,
    SIGN_FLIP_DRAWS,
    PairedDifference,
    Section,
    Table,
    format_full_report,
)
from locomo_dataset import Category

from locomo_run.comparing.comparable import Run
from locomo_run.comparing.comparison import OVERALL, Change, Comparison, Pair, Part
from locomo_run.identity import flat
from locomo_run.ledger.entry import Json
from locomo_run.reporting.cells import NOT_KNOWN, label, setting_cell

SMALLEST_SHOWN = 0.0001
"""A p below this is printed with an exponent: none is 0."""

LONGEST = 160
"""Characters of a text in a cell."""


def comparison_markdown(
    comparison: Comparison, *, changes: int = 5, text: bool = True
) -> str:
    """Return the report of a comparison.

    Args:
        comparison: The runs.
        changes: Questions to name, of those that changed most, in each pair.
        text: Whether to print questions, golds and answers.
    """
    sections = comparison_sections(comparison, changes=changes, text=text)
    first = replace(sections[0], paragraphs=comparison_remarks(comparison))
    return format_full_report("Comparison of runs", [first, *sections[1:]])


def comparison_remarks(comparison: Comparison) -> tuple[str, ...]:
    """Return what a reader must know before any difference."""
    forced = [f"MUST NOT BE COMPARED: {each}." for each in comparison.objections]
    return (*forced, *comparison.remarks)


def comparison_sections(
    comparison: Comparison, *, changes: int = 5, text: bool = True
) -> tuple[Section, ...]:
    """Return what differs between runs, settings first; see `comparison_markdown`."""
    settings = _settings(comparison)
    sections = [Section(heading="What is compared", tables=(settings,))]
    for pair in comparison.pairs:
        tables = [_differences(pair, comparison.base)]
        if changes and pair.changes:
            tables.append(_changed(pair, comparison.base, changes, text=text))
        sections.append(
            Section(heading=pair_title(pair, comparison.base), tables=tuple(tables))
        )
    return tuple(sections)


def comparison_spec(
    comparison: Comparison, *, changes: int = 5, text: bool = True
) -> dict[str, Json]:
    """Return a comparison as plain values, scores on their metric's own scale."""
    return {
        "base": comparison.base.name,
        "others": [run.name for run in comparison.others],
        "objections": list(comparison.objections),
        "remarks": list(comparison.remarks),
        "settings_that_differ": _settings_spec(comparison),
        "pairs": [
            {
                "metric": pair.metric.key,
                "other": pair.other.name,
                "differences": {
                    part_name(number): _part_spec(part)
                    for number, part in pair.parts.items()
                },
                "changed": len(pair.changes),
                "changed_most": [
                    _change_spec(change, text=text) for change in pair.changes[:changes]
                ],
                "left_out": pair.left_out,
            }
            for pair in comparison.pairs
        ],
    }


def _settings_spec(comparison: Comparison) -> dict[str, dict[str, Json]]:
    """Return the settings in which the runs differ, by name and run."""
    runs = (comparison.base, *comparison.others)
    told = {run.name: _told(run) for run in runs}
    names = dict.fromkeys(name for each in told.values() for name in each)
    settings = {
        name: {run: each.get(name) for run, each in told.items()} for name in names
    }
    return {
        name: values
        for name, values in settings.items()
        if len({str(value) for value in values.values()}) > 1
    }


def _told(run: Run) -> dict[str, Json]:
    results = run.results
    judges = [f"{e.judge.runs} × {e.judge.signature}" for e in results.judged]
    return {
        **flat(results.facts.identity),
        "answer runs": results.facts.answer_runs,
        "judges": "; ".join(judges) or "none",
        "answerable questions": len(results.answerable),
        "code": "; ".join(str(dict(used)) for used in results.facts.versions),
    }


def _settings(comparison: Comparison) -> Table:
    runs = (comparison.base, *comparison.others)
    rows = [
        (name, *(setting_cell(values[run.name]) for run in runs))
        for name, values in _settings_spec(comparison).items()
    ]
    return Table(
        title="What differs between the runs",
        columns=("Setting", *(run.name for run in runs)),
        rows=tuple(rows),
        notes=() if rows else ("Nothing: the runs have the same settings.",),
    )


def pair_title(pair: Pair, base: Run) -> str:
    """Say what is subtracted from what."""
    return f"{pair.metric.label}: {pair.other.name} minus {base.name}"


def _differences(pair: Pair, base: Run) -> Table:
    overall = pair.parts[OVERALL].paired
    notes = [
        f"n: questions with a score in both runs; {overall.unpaired:,} lack one.",
        "95 %: of the difference, clustered by conversation.",
        *_p_notes([part.paired for part in pair.parts.values()]),
        "Holm: p adjusted for all categories and pairs of runs under this metric.",
        "Detectable: the true difference that such a sample finds with 80 % power.",
    ]
    if pair.left_out:
        notes.append(
            f"Left out: {pair.left_out:,} ids that name another question in the other."
        )
    return Table(
        title="Difference by category",
        columns=(
            "Category",
            "n",
            "Conversations",
            base.name,
            pair.other.name,
            "Difference",
            "95 %",
            "p",
            "Holm",
            "Wins",
            "Losses",
            "Ties",
            "Detectable",
        ),
        rows=tuple(
            _difference_row(number, part, pair) for number, part in pair.parts.items()
        ),
        notes=tuple(notes),
    )


def _difference_row(number: int, part: Part, pair: Pair) -> tuple[str, ...]:
    show, paired = pair.metric.show, part.paired
    interval = paired.interval
    return (
        "overall" if number == OVERALL else label(number),
        f"{paired.count:,}",
        f"{paired.clusters:,}",
        show(part.base_mean),
        show(part.other_mean),
        show(paired.difference, signed=True),
        NOT_KNOWN
        if interval is None
        else f"{show(interval.low, signed=True)} to {show(interval.high, signed=True)}",
        _p(paired.sign_flip_p),
        _p(part.adjusted_p),
        f"{paired.wins:,}",
        f"{paired.losses:,}",
        f"{paired.ties:,}",
        show(paired.smallest_detectable or None),  # of no spread nothing follows
    )


def _p_notes(rows: Sequence[PairedDifference]) -> Iterator[str]:
    """Say where the p of all rows come from, and how small each can be."""
    counts = sorted({paired.clusters for paired in rows}, reverse=True)
    tested = [count for count in counts if count > 1]
    how = [_how(tested)] if tested else []
    if len(tested) < len(counts):
        how.append(f"{NOT_KNOWN} with fewer than two conversations")
    yield f"p: two-sided sign flip of the conversations' sums, {', '.join(how)}."
    if tested:
        floors = [f"{_p(_floor(n))} with {n:,} conversations" for n in tested]
        yield f"p cannot fall below {', '.join(floors)}."


def _how(tested: Sequence[int]) -> str:
    """Say whether p is exact, for numbers of conversations from large to small."""
    if tested[0] <= MAX_EXACT_CLUSTERS:
        return "exact"
    if tested[-1] > MAX_EXACT_CLUSTERS:
        return f"from {SIGN_FLIP_DRAWS:,} drawn patterns"
    return (
        f"exact up to {MAX_EXACT_CLUSTERS} of them, "
        f"from {SIGN_FLIP_DRAWS:,} drawn patterns above"
    )


def _floor(conversations: int) -> float:
    exact = conversations <= MAX_EXACT_CLUSTERS
    return 2.0 ** (1 - conversations) if exact else 1 / (1 + SIGN_FLIP_DRAWS)


def _changed(pair: Pair, base: Run, most: int, *, text: bool) -> Table:
    def row(change: Change) -> tuple[str, ...]:
        question = change.base.question
        scores = (
            pair.metric.show(change.base_score),
            pair.metric.show(change.other_score),
            pair.metric.show(change.difference, signed=True),
        )
        texts = (
            question.text,
            question.gold or NOT_KNOWN,
            change.base.prediction or "",
            change.other.prediction or "",
        )
        cells = (question.id, label(int(question.category)), *scores)
        return (*cells, *(_cut(each) for each in texts)) if text else cells

    columns = ("Question", "Category", base.name, pair.other.name, "Difference")
    texts = ("Text", "Gold", f"{base.name} said", f"{pair.other.name} said")
    return Table(
        title="Questions that changed most",
        columns=(*columns, *texts) if text else columns,
        rows=tuple(row(change) for change in pair.changes[:most]),
        notes=(f"{len(pair.changes):,} questions changed in all.",),
    )


def part_name(number: int) -> str:
    """Return the name of a category, or `overall`."""
    return "overall" if number == OVERALL else Category(number).label


def _part_spec(part: Part) -> dict[str, Json]:
    return {
        "base_mean": part.base_mean,
        "other_mean": part.other_mean,
        **asdict(part.paired),
        "adjusted_p": part.adjusted_p,
    }


def _change_spec(change: Change, *, text: bool) -> dict[str, Json]:
    question = change.base.question
    spec: dict[str, Json] = {
        "id": question.id,
        "category": question.category.label,
        "base_score": change.base_score,
        "other_score": change.other_score,
        "difference": change.difference,
    }
    texts: Mapping[str, Json] = {
        "question": question.text,
        "gold": question.gold,
        "base_prediction": change.base.prediction,
        "other_prediction": change.other.prediction,
    }
    return {**spec, **texts} if text else spec


def _p(value: float | None) -> str:
    if value is None:
        return NOT_KNOWN
    return f"{value:.4f}" if value >= SMALLEST_SHOWN else f"{value:.1e}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
