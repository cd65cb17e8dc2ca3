"""The results of a run: every figure, from the data set and the ledger alone."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eval_report import (
    LatencySummary,
    Record,
    Summary,
    aggregate_f1_by_category,
    compute_overall_f1,
    latency_stats,
)
from locomo_dataset import Category, Dataset
from locomo_dataset.errata import Errata

from locomo_run.entry import Json
from locomo_run.ledger import Ledger
from locomo_run.outcome import Outcome, State, outcomes
from locomo_run.run_directory import Facts
from locomo_run.scoring import ABSTAIN, F1_PROFILES, signature

SCHEMA = 1
"""Of `results.json`; raised when a field changes its meaning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean and how many values it stands on; None over none."""

    value: float | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """A run, read and scored."""

    facts: Facts
    dataset: Dataset
    outcomes: tuple[Outcome, ...]
    """Every selected question, in the data set's order."""
    times: tuple[str, str] | None
    """When the first and the last entry were stored."""
    wrong_golds: frozenset[str] | None = None
    """Ids of the questions whose gold the audit found wrong; None without an audit."""

    @property
    def answerable(self) -> tuple[Outcome, ...]:
        """The questions of categories 1 to 4."""
        return tuple(o for o in self.outcomes if not o.adversarial)

    @property
    def adversarial(self) -> tuple[Outcome, ...]:
        """The questions of category 5."""
        return tuple(o for o in self.outcomes if o.adversarial)

    @property
    def whole(self) -> bool:
        """Whether all answerable questions of the data set were selected."""
        return len(self.answerable) == len(self.dataset.questions())

    def count(self, state: State) -> int:
        """Count the questions that came so far and no further."""
        return sum(outcome.state is state for outcome in self.outcomes)

    def f1_by_category(self, profile: str) -> dict[int, Summary]:
        """Summarise F1 over the answerable questions of each category."""
        return aggregate_f1_by_category(f1_records(self.answerable, profile))

    def f1_overall(self, profile: str) -> Summary:
        """Summarise F1 over all answerable questions."""
        return compute_overall_f1(f1_records(self.answerable, profile))

    def f1_right_golds(self, profile: str) -> Summary | None:
        """Summarise F1 without the questions whose gold is known to be wrong.

        None without an audit, or when it is about none of these questions.
        """
        if not self.wrong_golds:
            return None
        kept = [o for o in self.answerable if o.question.id not in self.wrong_golds]
        return compute_overall_f1(f1_records(kept, profile))

    def abstention(self) -> Mean:
        """Share of adversarial questions that were declined, as they should be."""
        return _mean_of_flags(self.adversarial)

    def false_abstention(self) -> Mean:
        """Share of answerable questions that were declined."""
        return _mean_of_flags(self.answerable)

    def recall(self, category: Category | None = None) -> Mean:
        """Mean evidence recall over answerable questions that name evidence."""
        return _mean(
            outcome.recall
            for outcome in self.answerable
            if category in (None, outcome.question.category)
        )

    def latency(self, step: str) -> LatencySummary:
        """Summarise the latency of `search`, `answer` or their `total`, in ms."""
        return latency_stats(
            value
            for value in (_latency(outcome, step) for outcome in self.outcomes)
            if value is not None
        )


def compute(
    facts: Facts, dataset: Dataset, ledger: Ledger, errata: Errata | None = None
) -> Results:
    """Read and score a run.

    Args:
        facts: What the run knows about itself.
        dataset: The data set it was made on.
        ledger: Open for reading or writing.
        errata: The audit of the golds, for the second line of scores.
    """
    return Results(
        facts=facts,
        dataset=dataset,
        outcomes=tuple(outcomes(facts.questions(dataset), ledger)),
        times=ledger.times(),
        wrong_golds=errata.join(dataset).score_corrupting if errata else None,
    )


def f1_records(asked: Iterable[Outcome], profile: str) -> tuple[Record, ...]:
    """Return one record per question, without a value where there is no prediction."""
    return tuple(
        Record(
            item=outcome.question.id,
            category=outcome.question.category.value,
            cluster=outcome.question.sample_id,
            metric=f"f1:{profile}",
            value=outcome.scores.f1[profile] if outcome.scores else None,
        )
        for outcome in asked
    )


def to_json(results: Results) -> str:
    """Write the results as `results.json` holds them."""
    body = {"schema": SCHEMA, **overall(results), "questions": _questions(results)}
    return json.dumps(body, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def overall(results: Results) -> dict[str, Json]:
    """Return everything but the single questions, as plain values."""
    return {
        "metadata": _metadata(results),
        "overall_f1": {
            name: _summary(results.f1_overall(name)) for name in F1_PROFILES
        },
        "per_category_f1": {
            name: {
                Category(number).label: {"category": number, **_summary(summary)}
                for number, summary in results.f1_by_category(name).items()
            }
            for name in F1_PROFILES
        },
        "overall_f1_without_wrong_golds": {
            name: _summary(summary)
            for name in F1_PROFILES
            if (summary := results.f1_right_golds(name))
        },
        "adversarial": {
            "metric": ABSTAIN,
            **_plain(results.abstention()),
            "answerable_abstention": _plain(results.false_abstention()),
        },
        "evidence_recall": {
            **_plain(results.recall()),
            "k": results.facts.identity["search"]["limit"],
        },
        "latency": {
            step: _latency_summary(results.latency(step))
            for step in ("search", "answer", "total")
        },
        "tokens": _tokens(results.outcomes),
    }


def _metadata(results: Results) -> dict[str, Json]:
    facts = results.facts
    return {
        "recipe": facts.recipe,
        **facts.identity,
        "dataset": {"name": results.dataset.name, **facts.identity["dataset"]},
        "judge": None,
        "scoring_methods": ["f1"],
        "headline": facts.headline,
        "signatures": {name: signature(name) for name in (*F1_PROFILES, ABSTAIN)},
        "total_questions": len(results.outcomes),
        "subset": not results.whole,
        "selections": [selection.spec() for selection in facts.selections],
        "states": {state.value: results.count(state) for state in State},
        "versions": list(facts.versions),
        "timestamp": list(results.times) if results.times else None,
    }


def _questions(results: Results) -> list[Json]:
    return [_question(outcome) for outcome in results.outcomes]


def _question(outcome: Outcome) -> dict[str, Json]:
    question, scores = outcome.question, outcome.scores
    return {
        "id": question.id,
        "question": question.text,
        "category": question.category.value,
        "category_name": question.category.label,
        "gold": question.gold,
        "prediction": outcome.prediction,
        "state": outcome.state.value,
        "reason": outcome.reason or None,
        "f1": dict(scores.f1) if scores else dict.fromkeys(F1_PROFILES),
        ABSTAIN: scores.locomo_abstain if scores and outcome.adversarial else None,
        "abstained": scores.abstained if scores else None,
        "judge": {},
        "evidence": [str(turn) for turn in question.evidence],
        "evidence_recall": outcome.recall,
        "search_results": list(outcome.hits),
        "search_results_used": outcome.hits_read,
        "search_latency_ms": outcome.search_ms,
        "answer_latency_ms": outcome.answer_ms,
        "answer_input_tokens": outcome.input_tokens,
        "answer_output_tokens": outcome.output_tokens,
    }


def _summary(summary: Summary) -> dict[str, Json]:
    return {
        "mean": summary.mean,
        "count": summary.count,
        "missing": summary.missing,
        "min": summary.minimum,
        "max": summary.maximum,
        "pessimistic_mean": summary.pessimistic_mean,
    }


def _plain(mean: Mean) -> dict[str, Json]:
    return {"mean": mean.value, "count": mean.count}


def _latency_summary(summary: LatencySummary) -> dict[str, Json]:
    return {"p50": summary.p50, "p95": summary.p95, "count": summary.count}


def _tokens(asked: Sequence[Outcome]) -> dict[str, Json]:
    counted = [o for o in asked if o.input_tokens is not None]
    read = sum(o.input_tokens or 0 for o in counted)
    written = sum(o.output_tokens or 0 for o in counted)
    return {
        "total_input": read if counted else None,
        "total_output": written if counted else None,
        "mean_per_question": (read + written) / len(counted) if counted else None,
        "count": len(counted),
    }


def _latency(outcome: Outcome, step: str) -> float | None:
    search, answer = outcome.search_ms, outcome.answer_ms
    if step == "search":
        return search
    if step == "answer":
        return answer
    return None if search is None or answer is None else search + answer


def _mean_of_flags(asked: Iterable[Outcome]) -> Mean:
    return _mean(
        float(outcome.scores.abstained) if outcome.scores else None for outcome in asked
    )


def _mean(values: Iterable[float | None]) -> Mean:
    known = [value for value in values if value is not None]
    return Mean(
        value=math.fsum(known) / len(known) if known else None, count=len(known)
    )
