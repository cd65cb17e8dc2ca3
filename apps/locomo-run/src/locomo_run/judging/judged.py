"""What the judges said: the ledger's judge entries, as scores by question and run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from eval_report import (
    ClusteredMean,
    JudgeSummary,
    Record,
    RunNoise,
    aggregate_judge_by_category,
    clustered_mean,
    run_noise,
)
from eval_report import compute_overall_judge as summarise
from llm_judge import NumberScale, Reliability, measure_reliability

from locomo_run.judging.judge import Judge, judgeable
from locomo_run.ledger.entry import Stage, canonical
from locomo_run.ledger.store import Ledger
from locomo_run.outcome import Outcome
from locomo_run.reporting.remembering import remembered

Kind = Literal["binary", "strict", "graded"]


class JudgeRun(NamedTuple):
    """How one run of a judge over one answer ended."""

    status: str
    """Of its entry, or `missing` while it is not bought."""
    score: float | None = None
    """None unless the entry is good."""


MISSING = JudgeRun("missing")

JudgeRuns = Mapping[tuple[str, str], Sequence[JudgeRun]]
"""By question and content of the request, its runs."""


@dataclass(frozen=True, kw_only=True)  # no slots: it remembers what it has computed
class Judged:
    """One judge's verdicts on a run."""

    judge: Judge
    runs: Mapping[str, tuple[JudgeRun, ...]]
    """By question, the runs that every question has."""
    extra: Mapping[str, tuple[JudgeRun, ...]]
    """By question, the runs beyond those that were bought: for reliability only."""
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

    def scores(self, question_id: str) -> tuple[float | None, ...]:
        """Return a question's scores by run; None where there is none."""
        return tuple([run.score for run in self.runs.get(question_id, ())])

    def record(self, question_id: str) -> Record:
        """Return the record of a question that takes part in J."""
        return self._by_question()[question_id]

    @remembered
    def _by_question(self) -> dict[str, Record]:
        return {record.item: record for record in self.records()}

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
        record = self._by_question().get(question_id)
        return None if record is None else record.value

    @remembered
    def by_category(self) -> dict[int, JudgeSummary]:
        """Summarise J by category."""
        return aggregate_judge_by_category(self.records())

    @remembered
    def overall(self) -> JudgeSummary:
        """Summarise J over all questions."""
        return summarise(self.records())

    @property
    def two_valued(self) -> bool:
        """Whether every score is nothing or the full mark."""
        ends = {0.0, self.full_mark}
        return all(set(record.good_runs) <= ends for record in self.records())

    def without(self, questions: Collection[str]) -> JudgeSummary:
        """Summarise J over all questions but some."""
        return summarise(r for r in self.records() if r.item not in questions)

    @remembered
    def noise(self) -> RunNoise:
        """Measure how far the runs of the same questions differ."""
        return run_noise(self.records())

    @remembered
    def clustered(self) -> ClusteredMean:
        """Return the mean over all questions with its intervals."""
        return clustered_mean(self.records())

    @remembered
    def reliability(self) -> Reliability:
        """Measure how far the runs repeat each other, the extra ones included."""
        return measure_reliability(
            (
                *self.scores(question_id),
                *(score for _, score in self.extra.get(question_id, ())),
            )
            for question_id in self.runs
        )

    @remembered
    def statuses(self) -> Counter[str]:
        """Count how the runs ended; `missing` are those that are not bought yet."""
        return Counter(
            status
            for runs in (*self.runs.values(), *self.extra.values())
            for status, _ in runs
        )


def read_judge_runs(ledger: Ledger) -> JudgeRuns:
    """Return how the runs of all judges ended, without what they explained."""
    known: dict[JudgeRun, JudgeRun] = {}
    found: dict[tuple[str, str], list[JudgeRun]] = {}
    for item, run, content, status, score in ledger.scores(Stage.JUDGE):
        ended = JudgeRun(status, None if score is None else float(score))
        runs = found.setdefault((item, content), [])
        if run >= len(runs):
            runs += [MISSING] * (run + 1 - len(runs))
        # one object for all that are alike: there may be millions
        runs[run] = known.setdefault(ended, ended)
    return found


def judged(judge: Judge, outcomes: Iterable[Outcome], every: JudgeRuns) -> Judged:
    """Find out what a judge said of the answers of a run.

    Args:
        judge: Who was asked, and how often.
        outcomes: The questions with their answers.
        every: The runs of all judges.
    """
    asked = tuple(outcome for outcome in outcomes if not outcome.adversarial)
    runs: dict[str, tuple[JudgeRun, ...]] = {}
    extra: dict[str, tuple[JudgeRun, ...]] = {}
    for outcome in asked:
        name = outcome.question.id
        said = [_said(judge, a, every) for a in outcome.runs if judgeable(a)]
        runs[name] = tuple(run for answer in said for run in answer[: judge.runs])
        more = (run for answer in said for run in answer[judge.runs :])
        if bought := tuple(run for run in more if run is not MISSING):
            extra[name] = bought
    return Judged(judge=judge, asked=asked, runs=runs, extra=extra)


def _said(judge: Judge, answer: Outcome, every: JudgeRuns) -> list[JudgeRun]:
    """What was said of one answer, by run."""
    content = judge.request(answer, 0, judge.prompt(answer)).content
    said = every.get((answer.question.id, canonical(content)), ())
    wanted = judge.runs + judge.extra
    return [*said[:wanted], *[MISSING] * (wanted - len(said))]
