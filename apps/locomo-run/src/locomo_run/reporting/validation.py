"""Is the number of this run fit to be published?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from locomo_run.judging.judged import Judged
from locomo_run.outcome import Outcome, State
from locomo_run.reporting.results import Results


class Verdict(StrEnum):
    """How a check ended."""

    PASS = "PASS"  # noqa: S105  # a word, no password
    WARN = "WARN"
    FAIL = "FAIL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One condition and whether it holds."""

    name: str
    verdict: Verdict
    found: str


ERROR_BUDGET = 0.02
"""Largest share of failed questions, or questions without J, of a valid run."""

ENOUGH_RUNS = 5
"""Judge runs per question below which J is shaky."""


def validate(results: Results, error_budget: float = ERROR_BUDGET) -> tuple[Check, ...]:
    """Check the conditions of a publishable number.

    Args:
        results: The run.
        error_budget: Largest share of questions that may have failed.
    """
    return tuple(_checks(results, error_budget))


def over_budget(results: Results, error_budget: float) -> str:
    """Say why a run is not valid, or nothing if its failures are within the budget.

    Args:
        results: The run.
        error_budget: Largest share of questions that may have failed.
    """
    failed = results.count(State.FAILED)
    said = []
    if failed > error_budget * len(results.outcomes):
        said.append(f"{failed:,} of {len(results.outcomes):,} questions failed")
    for judged in results.judged:
        without = len(_without_j(judged))
        if without > error_budget * len(judged.asked):
            said.append(
                f"{without:,} of {len(judged.asked):,} questions have no J under "
                f"{judged.name}"
            )
    if not said:
        return ""
    return (
        f"{' and '.join(said)}, more than the error budget of {error_budget:.1%}; the "
        "same command asks again what brought no reply, and with --retry-failed also "
        "what was refused, cut off or unreadable"
    )


def _checks(results: Results, error_budget: float) -> Iterator[Check]:
    yield _questions(results, error_budget)
    yield _coverage(results)
    answered = [o for o in results.outcomes if o.state is State.ANSWERED]
    unscored = [
        o
        for o in answered
        if not o.adversarial and (o.scores is None or None in o.scores.f1.values())
    ]
    yield _check(
        "F1",
        not unscored,
        f"{len(unscored):,} answered questions without F1 (adversarial apart)"
        + _first(unscored),
    )
    if not results.judged:
        yield Check(name="J", verdict=Verdict.PASS, found="judging was skipped")
    for judged in results.judged:
        yield _every_j(judged, error_budget)
        yield _judge_runs(judged)
    empty = [o for o in answered if not (o.prediction or "").strip()]
    yield Check(
        name="empty predictions",
        verdict=Verdict.WARN if empty else Verdict.PASS,
        found=f"{len(empty):,} of {len(answered):,}" + _first(empty),
    )
    yield _latencies(answered)


def _questions(results: Results, error_budget: float) -> Check:
    asked = results.outcomes
    missing = [o for o in asked if o.state is State.MISSING]
    failed = [o for o in asked if o.state is State.FAILED]
    verdict = Verdict.PASS
    if missing or len(failed) > error_budget * len(asked):
        verdict = Verdict.FAIL
    elif failed:
        verdict = Verdict.WARN
    return Check(
        name="questions",
        verdict=verdict,
        found=f"{len(asked) - len(missing) - len(failed):,} answered of "
        f"{len(asked):,} selected"
        + _first([o for o in asked if o.state is not State.ANSWERED]),
    )


def _every_j(judged: Judged, error_budget: float) -> Check:
    without = _without_j(judged)
    verdict = Verdict.PASS
    if len(without) > error_budget * len(judged.asked):
        verdict = Verdict.FAIL
    elif without:
        verdict = Verdict.WARN
    return Check(
        name=f"J {judged.name}",
        verdict=verdict,
        found=f"{len(without):,} of {len(judged.asked):,} questions without J"
        + _first(without),
    )


def _judge_runs(judged: Judged) -> Check:
    few = [
        outcome
        for outcome in judged.asked
        if sum(s is not None for s in judged.scores(outcome.question.id)) < ENOUGH_RUNS
    ]
    return Check(
        name=f"judge runs {judged.name}",
        verdict=Verdict.WARN if few else Verdict.PASS,
        found=f"{len(few):,} questions with fewer than {ENOUGH_RUNS} good runs"
        + _first(few),
    )


def _without_j(judged: Judged) -> list[Outcome]:
    return [o for o in judged.asked if judged.mean(o.question.id) is None]


def _latencies(answered: list[Outcome]) -> Check:
    untimed = [o for o in answered if o.search_ms is None or o.answer_ms is None]
    return _check(
        "latency",
        not untimed,
        f"{len(untimed):,} answered questions without a latency" + _first(untimed),
    )


def _coverage(results: Results) -> Check:
    wanted = {c for s in results.facts.selections for c in s.categories}
    present = {int(o.question.category) for o in results.outcomes}
    absent = sorted(wanted - present)
    if absent:
        return _check("categories", False, f"requested but not present: {absent}")
    return Check(
        name="categories",
        verdict=Verdict.PASS if results.whole else Verdict.WARN,
        found=f"present: {sorted(present)}"
        + ("" if results.whole else "; a subset, not comparable with published rows"),
    )


def _check(name: str, holds: bool, found: str) -> Check:  # a condition
    return Check(
        name=name, verdict=Verdict.PASS if holds else Verdict.FAIL, found=found
    )


def _first(outcomes: list[Outcome]) -> str:
    """Name a few of the questions that a check is about."""
    if not outcomes:
        return ""
    more = f" and {len(outcomes) - 3:,} more" if len(outcomes) > 3 else ""
    return f": {', '.join(o.question.id for o in outcomes[:3])}{more}"
