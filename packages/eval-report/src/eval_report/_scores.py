"""Scores of a run: what a comparison table needs to know about our own numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from eval_report._aggregate import JudgeSummary, Summary
from eval_report._intervals import Interval
from eval_report._latency import LatencySummary


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScores:
    """Hold the summaries of one run under one recipe.

    Raises:
        ValueError: The categories do not add up to the overall, one of them is not
            covered, there are more questions than expected, or a score is above the
            full mark.
    """

    name: str
    """Name of the system, as the table prints it."""

    signature: str
    """Everything that changes these numbers, in one string."""

    by_category: Mapping[int, Summary]
    overall: Summary

    covered: tuple[int, ...]
    """Categories that the recipe's overall covers."""

    expected: int
    """Questions that the whole data set has in the covered categories."""

    interval: Interval | None = None
    """95 % interval of the overall, in the unit of the summaries."""

    full_mark: float = 1.0
    """Score of a perfect answer: 1 for F1, 100 for a judge that grades up to 100."""

    def __post_init__(self) -> None:
        parts = self.by_category.values()
        uncovered = sorted(set(self.by_category) - set(self.covered))
        problem = ""
        if self.overall.maximum is not None and self.overall.maximum > self.full_mark:
            problem = f"score {self.overall.maximum:g} is above {self.full_mark:g}"
        elif uncovered:
            problem = f"categories {uncovered} are not covered"
        elif (sum(p.count for p in parts), sum(p.missing for p in parts)) != (
            self.overall.count,
            self.overall.missing,
        ):
            problem = "the categories do not add up to the overall"
        elif self.asked > self.expected:
            problem = f"{self.asked} questions, but only {self.expected} expected"
        if problem:
            msg = f"{self.name}: {problem}"
            raise ValueError(msg)

    @property
    def asked(self) -> int:
        """Questions with or without a score."""
        return self.overall.count + self.overall.missing

    @property
    def whole(self) -> bool:
        """Whether every question of the covered categories was asked."""
        return self.asked == self.expected

    @property
    def scale(self) -> float:
        """What turns a score into a 0 to 100 scale."""
        return 100 / self.full_mark

    def asked_in(self, category: int) -> int:
        """Return the questions of a category, with or without a score."""
        summary = self.by_category.get(category)
        return summary.count + summary.missing if summary else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class F1Scores(RunScores):
    """Hold token F1 (0 to 1) under one profile."""

    profile: str
    """Name of the `qa_f1` profile: `locomo`, `mem0`, `standard` …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeScores(RunScores):
    """Hold judged scores under one protocol."""

    by_category: Mapping[int, JudgeSummary]
    overall: JudgeSummary

    protocol: str
    """Name of the judge protocol."""

    kind: Literal["binary", "strict", "graded"]
    """What J is: the share of CORRECT under a generous judge (`binary`, as published
    ones are) or a demanding one (`strict`), or a mean of grades (`graded`)."""

    judge: str
    """Model of the judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyScores:
    """Hold the times of one run, in milliseconds."""

    name: str
    search: LatencySummary
    total: LatencySummary
    """Search and answer together."""

    context_tokens: float | None
    """Mean tokens of context that the answerer reads per question."""

    asked: int
    expected: int
    """Questions that the whole data set has in the covered categories."""

    @property
    def whole(self) -> bool:
        """Whether every question of the covered categories was asked."""
        return self.asked == self.expected
