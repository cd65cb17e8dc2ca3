"""Two or more runs, question by question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from eval_report import PairedDifference, Record, holm, paired_difference

from locomo_run.comparing.comparable import (
    Run,
    objections_to,
    shared_metrics,
    unanswered,
    why_no_judge,
)
from locomo_run.errors import UsageError
from locomo_run.outcome import Outcome
from locomo_run.reporting.metrics import Metric

OVERALL = 0
"""Stands for all answerable categories together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The difference of two runs over one category, or over all."""

    base_mean: float | None
    """Over the questions that both runs have a score for."""
    other_mean: float | None
    paired: PairedDifference
    """The other run minus the base."""
    adjusted_p: float | None
    """Holm's, over the categories of all pairs under this metric; for all categories
    together over the pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One question whose score differs between two runs."""

    base: Outcome
    other: Outcome
    base_score: float
    other_score: float

    @property
    def difference(self) -> float:
        """The other run minus the base."""
        return self.other_score - self.base_score


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One run against the base, under one metric."""

    metric: Metric
    """As the base has it."""
    other: Run
    parts: Mapping[int, Part]
    """By category number, `OVERALL` last."""
    changes: tuple[Change, ...]
    """Every question that changed, those that changed most first."""
    left_out: int
    """Questions that have the same id in both runs and are not the same question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Some runs against the first of them."""

    base: Run
    others: tuple[Run, ...]
    pairs: tuple[Pair, ...]
    """By metric, then by run."""
    objections: tuple[str, ...]
    """Why the runs must not be compared; empty unless that was forced."""
    remarks: tuple[str, ...]
    """What else a reader must know."""


def compare(
    runs: Sequence[Run], *, profile: str | None = None, force: bool = False
) -> Comparison:
    """Compare runs with the first of them, on the questions that they share.

    Args:
        runs: At least two.
        profile: Of F1; None for the first run's headline.
        force: Whether to compare what differs in its data set or its judges.

    Raises:
        UsageError: there is one run only, or the runs must not be compared.
    """
    base, *others = runs
    if not others:
        raise UsageError("one run is no comparison; name at least two")
    objections = tuple(o for other in others for o in objections_to(base, other))
    if objections and not force:
        raise UsageError(
            "these runs cannot be compared:\n"
            + "".join(f"  {objection}\n" for objection in objections)
            + "--force compares them all the same, and the comparison says so"
        )
    pairs: list[Pair] = []
    metrics_of_all = shared_metrics(runs, profile, by_kind=force)
    for metrics in metrics_of_all:
        pairs += _with_holm(
            [
                _pair(metrics[0], metric, base, other)
                for metric, other in zip(metrics[1:], others, strict=True)
            ]
        )
    return Comparison(
        base=base,
        others=tuple(others),
        pairs=tuple(pairs),
        objections=objections,
        remarks=(
            *unanswered(runs),
            *why_no_judge(runs, judged=len(metrics_of_all) > 1),
        ),
    )


def one_by_one(comparison: Comparison) -> tuple[Comparison, ...]:
    """Return what a comparison says of each of its runs and the base.

    Metrics and adjusted p stay those of the whole, and each part says so.
    """
    if len(comparison.others) == 1:
        return (comparison,)
    base, others = comparison.base, comparison.others
    judged = len({pair.metric.key for pair in comparison.pairs}) > 1
    missing = why_no_judge((base, *others), judged=judged)
    whole = (
        f"{base.name} is compared with {len(others)} runs, each on a page of its own; "
        "Holm's p is adjusted for all of them."
    )
    return tuple(
        Comparison(
            base=base,
            others=(other,),
            pairs=tuple(pair for pair in comparison.pairs if pair.other is other),
            objections=tuple(objections_to(base, other)),
            remarks=(*unanswered((base, other)), *missing, whole),
        )
        for other in others
    )


def _pair(base_metric: Metric, other_metric: Metric, base: Run, other: Run) -> Pair:
    asked = {o.question.id: o for o in base.results.answerable}
    theirs = {o.question.id: o for o in other.results.answerable}
    unlike = {
        item
        for item in asked.keys() & theirs.keys()
        if not _same_question(asked[item], theirs[item])
    }
    name = base_metric.key  # judges that differ are compared only when that is forced
    ours = [
        replace(record, metric=name)
        for record in base_metric.records
        if record.item not in unlike
    ]
    others = [
        replace(record, metric=name)
        for record in other_metric.records
        if record.item not in unlike
    ]
    numbers = sorted({r.category for r in ours} & {r.category for r in others})
    parts = {
        number: _part(
            [r for r in ours if r.category == number],
            [r for r in others if r.category == number],
        )
        for number in numbers
    }
    return Pair(
        metric=base_metric,
        other=other,
        parts={**parts, OVERALL: _part(ours, others)},
        changes=_changes(ours, others, asked, theirs),
        left_out=len(unlike),
    )


def _same_question(a: Outcome, b: Outcome) -> bool:
    return (a.question.text, a.question.category, a.question.gold) == (
        b.question.text,
        b.question.category,
        b.question.gold,
    )


def _part(ours: Sequence[Record], others: Sequence[Record]) -> Part:
    both = _both(ours, others)
    return Part(
        base_mean=_mean([a for _, a, _ in both]),
        other_mean=_mean([b for _, _, b in both]),
        paired=paired_difference(others, ours),
        adjusted_p=None,
    )


def _both(
    ours: Sequence[Record], others: Sequence[Record]
) -> list[tuple[str, float, float]]:
    """Return the questions that both have a score for, with the two scores."""
    theirs = {record.item: record.value for record in others}
    return [
        (record.item, record.value, other)
        for record in ours
        if record.value is not None and (other := theirs.get(record.item)) is not None
    ]


def _changes(
    ours: Sequence[Record],
    others: Sequence[Record],
    asked: Mapping[str, Outcome],
    theirs: Mapping[str, Outcome],
) -> tuple[Change, ...]:
    changed = [
        Change(base=asked[item], other=theirs[item], base_score=mine, other_score=other)
        for item, mine, other in _both(ours, others)
        if mine != other
    ]
    return tuple(
        sorted(changed, key=lambda c: (-abs(c.difference), c.base.question.id))
    )


def _with_holm(pairs: Sequence[Pair]) -> list[Pair]:
    """Put the adjusted p values into the parts of all pairs under one metric."""
    raw = {
        (position, number): part.paired.sign_flip_p
        for position, pair in enumerate(pairs)
        for number, part in pair.parts.items()
    }
    overall = holm({key: p for key, p in raw.items() if key[1] == OVERALL})
    adjusted = overall | holm({k: p for k, p in raw.items() if k[1] != OVERALL})
    return [
        replace(
            pair,
            parts={
                number: replace(part, adjusted_p=adjusted[position, number])
                for number, part in pair.parts.items()
            },
        )
        for position, pair in enumerate(pairs)
    ]


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
