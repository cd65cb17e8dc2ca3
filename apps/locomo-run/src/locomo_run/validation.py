"""Is the number of this run fit to be published?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from locomo_run.outcome import Outcome, State
from locomo_run.results import Results


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


def validate(results: Results) -> tuple[Check, ...]:
    """Check the conditions of a publishable number."""
    return tuple(_checks(results))


def over_budget(results: Results, budget: float) -> str:
    """Say why a run is not valid, or nothing if its failures are within the budget.

    Args:
        results: The run.
        budget: Largest share of failed questions.
    """
    failed = results.count(State.FAILED)
    if not results.outcomes or failed / len(results.outcomes) <= budget:
        return ""
    return (
        f"{failed:,} of {len(results.outcomes):,} questions failed, more than the "
        f"error budget of {budget:.1%}; the same command asks them again"
    )


def _checks(results: Results) -> Iterator[Check]:
    asked = results.outcomes
    answered = [o for o in asked if o.state is State.ANSWERED]
    yield _check(
        "questions",
        len(answered) == len(asked),
        f"{len(answered):,} answered of {len(asked):,} selected"
        + _first([o for o in asked if o.state is not State.ANSWERED]),
    )
    yield _coverage(results)
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
    yield Check(name="J", verdict=Verdict.PASS, found="judging was skipped")
    empty = [o for o in answered if not (o.prediction or "").strip()]
    yield Check(
        name="empty predictions",
        verdict=Verdict.WARN if empty else Verdict.PASS,
        found=f"{len(empty):,} of {len(answered):,}" + _first(empty),
    )
    untimed = [o for o in answered if o.search_ms is None or o.answer_ms is None]
    yield _check(
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
