"""What the judges said: the ledger's judge entries, as scores by question and run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from eval_report import JudgeSummary, Record, aggregate_judge_by_category
from eval_report import compute_overall_judge as summarise
from llm_judge import NumberScale, Reliability, measure_reliability

from locomo_run.judging.judge import Judge, entries_of, score_of
from locomo_run.ledger.entry import Entry
from locomo_run.ledger.store import Ledger
from locomo_run.outcome import Outcome
from locomo_run.reporting.remembering import remembered

Kind = Literal["binary", "strict", "graded"]


@dataclass(frozen=True, kw_only=True)  # no slots: it remembers what it has computed
class Judged:
    """One judge's verdicts on a run."""

    judge: Judge
    entries: Mapping[str, tuple[Entry | None, ...]]
    """By question, the runs that every question has; None where one is not bought."""
    extra: Mapping[str, tuple[Entry | None, ...]]
    """By question, the runs beyond those: for reliability only."""
    asked: tuple[Outcome, ...]
    """The questions that take part in J, answered or not."""

    @property
    def name(self) -> str:
        """The protocol's name."""
        return self.judge.protocol.name

    @property
    def kind(self) -> Kind:
        """What J is under this protocol."""
        if isinstance(self.judge.protocol.scale, NumberScale):
            return "graded"
        # Imported verdicts are those of the generous judges that published J is of.
        generous = self.name == "binary" or self.name.startswith("imported-")
        return "binary" if generous else "strict"

    @property
    def full_mark(self) -> float:
        """The score of a perfect answer."""
        return self.judge.full_mark

    @remembered
    def scores(self, question_id: str) -> tuple[float | None, ...]:
        """Return a question's scores by run; None where there is none."""
        return tuple(score_of(e) for e in self.entries.get(question_id, ()))

    @remembered
    def records(self) -> tuple[Record, ...]:
        """Return one record per question, with its runs."""
        return tuple(
            Record.from_runs(
                item=outcome.question.id,
                category=int(outcome.question.category),
                cluster=outcome.question.sample_id,
                metric=f"j:{self.name}",
                runs=self.scores(outcome.question.id),
            )
            for outcome in self.asked
        )

    def mean(self, question_id: str) -> float | None:
        """Return a question's mean over its good runs, None without one."""
        good = [s for s in self.scores(question_id) if s is not None]
        return fmean(good) if good else None

    @remembered
    def by_category(self) -> dict[int, JudgeSummary]:
        """Summarise J by category."""
        return aggregate_judge_by_category(self.records())

    @remembered
    def overall(self) -> JudgeSummary:
        """Summarise J over all questions."""
        return summarise(self.records())

    @remembered
    def reliability(self) -> Reliability:
        """Measure how far the runs repeat each other, the extra ones included."""
        return measure_reliability(
            (
                *self.scores(question_id),
                *(score_of(e) for e in self.extra.get(question_id, ())),
            )
            for question_id in self.entries
        )

    @remembered
    def statuses(self) -> Counter[str]:
        """Count how the runs ended; `missing` are those that are not bought yet."""
        return Counter(
            "missing" if entry is None else entry.attempt.status.value
            for runs in (*self.entries.values(), *self.extra.values())
            for entry in runs
        )


def judged(judge: Judge, outcomes: Iterable[Outcome], ledger: Ledger) -> Judged:
    """Read what a judge said of the answers of a run."""
    asked = tuple(outcome for outcome in outcomes if not outcome.adversarial)
    every, beyond = range(judge.runs), range(judge.runs, judge.runs + judge.extra)
    extra = {o.question.id: _entries(judge, o, ledger, beyond) for o in asked}
    return Judged(
        judge=judge,
        asked=asked,
        entries={o.question.id: _entries(judge, o, ledger, every) for o in asked},
        extra={
            name: bought
            for name, runs in extra.items()
            if (bought := tuple(entry for entry in runs if entry is not None))
        },
    )


def _entries(
    judge: Judge, outcome: Outcome, ledger: Ledger, runs: range
) -> tuple[Entry | None, ...]:
    """What the ledger has of a judge over every answer run of a question."""
    return tuple(
        entry
        for answer in outcome.runs
        for entry in entries_of(judge, answer, ledger, runs)
    )
