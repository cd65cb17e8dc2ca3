"""The results of a run: every figure, from the data set and the ledger alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from eval_report import (
    ClusteredMean,
    LatencySummary,
    Record,
    Summary,
    aggregate_f1_by_category,
    clustered_mean,
    compute_overall_f1,
    latency_stats,
)
from locomo_dataset import Category, Dataset
from locomo_dataset.errata import Errata

from locomo_run.claude_mem.recall import session_recall, tells_sessions
from locomo_run.judging.judged import Judged, judged, read_judge_runs
from locomo_run.judging.probes import Calibrated, calibrations
from locomo_run.judging.refusals import Refusals, refusals
from locomo_run.ledger.entry import Json
from locomo_run.ledger.rows import Bill
from locomo_run.ledger.store import Ledger
from locomo_run.money.prices import Prices, load_prices, stored_prices
from locomo_run.outcome import Outcome, State, outcomes
from locomo_run.reporting.collector import paused_collector
from locomo_run.reporting.remembering import remembered
from locomo_run.run_directory import Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean and how many values it stands on; None over none."""

    value: float | None
    count: int


@dataclass(frozen=True, kw_only=True)  # no slots: it remembers what it has computed
class Results:
    """A run, read and scored."""

    facts: Facts
    dataset: Dataset
    outcomes: tuple[Outcome, ...]
    """Every selected question, in the data set's order."""
    times: tuple[str, str] | None
    """When the first and the last entry were stored."""
    judged: tuple[Judged, ...] = ()
    """What each judge said, in the order in which they were asked."""
    refusals: tuple[Refusals, ...] = ()
    """What each judge said of the answers to adversarial questions."""
    calibrations: tuple[Calibrated, ...] = ()
    """What each judge made of answers that are known to be right or wrong."""
    bills: tuple[Bill, ...] = ()
    """What the calls to models cost, good or bad."""
    prices: Prices = field(default_factory=load_prices)
    """What tokens cost when they were bought."""
    lost: float = 0.0
    """Dollars that calls without a reply may have cost, at the most."""
    worker: Mapping[str, Json] = field(default_factory=dict)
    """What the run tells about its claude-mem worker, empty for other memories; see
    `locomo_run.claude_mem.account`."""
    wrong_golds: frozenset[str] | None = None
    """Ids of the questions whose gold the audit found wrong; None without an audit."""

    @cached_property
    def answerable(self) -> tuple[Outcome, ...]:
        """The questions of categories 1 to 4."""
        return tuple(o for o in self.outcomes if not o.adversarial)

    @cached_property
    def adversarial(self) -> tuple[Outcome, ...]:
        """The questions of category 5."""
        return tuple(o for o in self.outcomes if o.adversarial)

    @cached_property
    def expected(self) -> int:
        """How many answerable questions the whole data set has."""
        return len(self.dataset.questions())

    @property
    def whole(self) -> bool:
        """Whether all answerable questions of the data set were selected."""
        return len(self.answerable) == self.expected

    def count(self, state: State) -> int:
        """Count the questions that came so far and no further."""
        return sum(outcome.state is state for outcome in self.outcomes)

    @remembered
    def f1_records(self, profile: str) -> tuple[Record, ...]:
        """Return one record per answerable question, with a value where it has one."""
        return f1_records(self.answerable, profile)

    @remembered
    def f1_by_category(self, profile: str) -> dict[int, Summary]:
        """Summarise F1 over the answerable questions of each category."""
        return aggregate_f1_by_category(self.f1_records(profile))

    @remembered
    def f1_overall(self, profile: str) -> Summary:
        """Summarise F1 over all answerable questions."""
        return compute_overall_f1(self.f1_records(profile))

    @remembered
    def f1_clustered(self, profile: str) -> ClusteredMean:
        """Return mean F1 over all answerable questions with its intervals."""
        return clustered_mean(self.f1_records(profile))

    @remembered
    def f1_right_golds(self, profile: str) -> Summary | None:
        """Summarise F1 without the questions whose gold is known to be wrong.

        None without an audit.
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

    @remembered
    def recall(self, category: Category | None = None) -> Mean:
        """Mean evidence recall over answerable questions that name evidence."""
        return _mean(
            outcome.recall
            for outcome in self.answerable
            if category in (None, outcome.question.category)
        )

    def session_recall(self, category: Category | None = None) -> Mean:
        """Mean share of the evidence's sessions that the hits come from.

        Over nothing where hits do not tell their sessions. Where there are no hits at
        all, the memory's description says whether they would.
        """
        found = [
            (outcome, session_recall(outcome.hits, outcome.question.evidence))
            for outcome in self.answerable
            if outcome.state is State.ANSWERED
        ]
        told = tells_sessions(self.facts.identity["memory"]) or any(
            outcome.hits and recall is not None for outcome, recall in found
        )
        return _mean(
            recall
            for outcome, recall in found
            if told and category in (None, outcome.question.category)
        )

    @property
    def without_hits(self) -> tuple[int, int]:
        """How many answered questions had no hit, and for how many that is known."""
        known = [o for o in self.outcomes if o.hits_read is not None]
        return sum(not outcome.hits for outcome in known), len(known)

    @remembered
    def latency(self, step: str) -> LatencySummary:
        """Summarise the latency of `search`, `answer` or their `total`, in ms."""
        return latency_stats(_latency(outcome, step) for outcome in self.outcomes)


@paused_collector()
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
    asked = outcomes(facts.questions(dataset), ledger, facts.answer_runs)
    every = read_judge_runs(ledger) if facts.judges else {}
    return Results(
        facts=facts,
        dataset=dataset,
        outcomes=asked,
        judged=tuple(judged(judge, asked, every) for judge in facts.judges),
        refusals=refusals(asked, ledger),
        calibrations=calibrations(ledger),
        bills=tuple(ledger.bills()),
        prices=stored_prices(ledger),
        lost=ledger.lost(),
        times=ledger.times(),
        worker=cast(Mapping[str, Json], ledger.fact("claude_mem") or {}),
        wrong_golds=errata.join(dataset).score_corrupting if errata else None,
    )


def f1_records(asked: Iterable[Outcome], profile: str) -> tuple[Record, ...]:
    """Return one record per question, without a value where there is no prediction."""
    metric = f"f1:{profile}"
    return tuple(
        Record.from_runs(
            item=outcome.question.id,
            category=int(outcome.question.category),
            cluster=outcome.question.sample_id,
            metric=metric,
            runs=tuple(
                answer.scores.f1[profile] if answer.scores else None
                for answer in outcome.runs
            ),
        )
        for outcome in asked
    )


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
