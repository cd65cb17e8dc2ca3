"""A run by conversation: which were easy, which were hard, and what goes with that."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eval_report import (
    LatencySummary,
    Record,
    Summary,
    aggregate_f1_by_category,
    compute_overall_f1,
    latency_stats,
)

from locomo_run.outcome import State
from locomo_run.reporting.metrics import metrics_of
from locomo_run.reporting.results import Results

FEWEST = 3
"""Conversations below which a correlation says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """The scores of one metric in one conversation, on the metric's own scale."""

    overall: Summary
    by_category: Mapping[int, Summary]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationResult:
    """One conversation of a run; scores are over its answerable questions."""

    sample_id: str
    questions: int
    """Answerable questions that were selected."""
    sessions: int
    turns: int
    observations: int | None
    """Items that the memory stored; None if it does not tell."""
    scores: Mapping[str, Scored]
    """By metric: F1 under the headline profile, and each judge by its signature."""
    mean_hits: float | None
    """Over the questions that were answered; None if hits are not known."""
    search: LatencySummary
    answer: LatencySummary


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """How far the score of conversations goes with a number about them."""

    number: str
    n: int
    """Conversations of which both are known."""
    r: float | None
    """Pearson's r; None with fewer than three conversations, or without variation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByConversation:
    """A run by conversation, easiest first."""

    metric: str
    """What ranks the conversations: the first judge, or F1 without one."""
    conversations: tuple[ConversationResult, ...]
    correlations: tuple[Correlation, ...]


def by_conversation(
    results: Results, observations: Mapping[str, int] | None = None
) -> ByConversation:
    """Split the results of a run by conversation.

    Args:
        results: The run.
        observations: Items that the memory stored, by conversation, where known.
    """
    metrics = metrics_of(results)
    records = {each.key: each.records for each in metrics}
    metric = metrics[1 if results.judged else 0].key
    names = {outcome.question.sample_id for outcome in results.outcomes}
    rows = [
        _conversation(name, results, records, (observations or {}).get(name))
        for name in names
    ]

    def hardness(row: ConversationResult) -> tuple[bool, float, str]:
        mean = row.scores[metric].overall.mean
        return mean is None, -(mean or 0.0), row.sample_id

    ranked = tuple(sorted(rows, key=hardness))
    return ByConversation(
        metric=metric,
        conversations=ranked,
        correlations=(
            _correlation("turns", metric, ranked),
            _correlation("observations", metric, ranked),
        ),
    )


def pearson(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return Pearson's r of some pairs.

    None with fewer than three pairs, or where one side does not vary.

    >>> pearson([(1, 10), (2, 20), (3, 30)]), pearson([(1, 10), (2, 20)])
    (1.0, None)
    """
    if len(pairs) < FEWEST:
        return None
    left, right = zip(*pairs, strict=True)
    try:
        return statistics.correlation(left, right)
    except statistics.StatisticsError:  # one of them is constant
        return None


def _conversation(
    name: str,
    results: Results,
    records: Mapping[str, Sequence[Record]],
    observations: int | None,
) -> ConversationResult:
    conversation = results.dataset.conversation(name)
    asked = [o for o in results.outcomes if o.question.sample_id == name]
    # an import knows of no search, so that no hits are none that it could count
    searched = [] if results.facts.imported else asked
    hits = [len(o.hits) for o in searched if o.state is State.ANSWERED]
    return ConversationResult(
        sample_id=name,
        questions=sum(not outcome.adversarial for outcome in asked),
        sessions=len(conversation.sessions),
        turns=sum(len(session.turns) for session in conversation.sessions),
        observations=observations,
        scores={
            metric: _scored([r for r in every if r.cluster == name])
            for metric, every in records.items()
        },
        mean_hits=math.fsum(hits) / len(hits) if hits else None,
        search=latency_stats(o.search_ms for o in asked),
        answer=latency_stats(o.answer_ms for o in asked),
    )


def _scored(records: Sequence[Record]) -> Scored:
    return Scored(
        overall=compute_overall_f1(records),
        by_category=aggregate_f1_by_category(records),
    )


def _correlation(
    number: str, metric: str, rows: Sequence[ConversationResult]
) -> Correlation:
    pairs = [
        (float(value), mean)
        for row in rows
        if (value := getattr(row, number)) is not None
        and (mean := row.scores[metric].overall.mean) is not None
    ]
    return Correlation(number=number, n=len(pairs), r=pearson(pairs))
