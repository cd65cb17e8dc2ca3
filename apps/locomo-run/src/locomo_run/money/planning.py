"""Plans of calls: which prompts are going to be sent, how often, and to whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from sys import maxsize

from locomo_dataset import Dataset, Question

from locomo_run.answerers.model import settings_of
from locomo_run.answerers.prompt import answer_prompt
from locomo_run.calls.lane import settled
from locomo_run.config import AnswerOptions, RunConfig
from locomo_run.context import fit
from locomo_run.judging.judge import Judge, differ, entries_of, judgeable
from locomo_run.judging.refusals import question_to
from locomo_run.ledger.entry import Entry, Stage
from locomo_run.ledger.store import Ledger
from locomo_run.memory import Hit, Memory, Query
from locomo_run.memory.turns import turn_hits
from locomo_run.money.estimate import EXPECTED_OUTPUT, Job, Planned
from locomo_run.money.tokens import CHARS_PER_TOKEN
from locomo_run.outcome import Outcome
from locomo_run.replies import hits_of
from locomo_run.start import bounds

IN_PROCESS = ("embedded", "full-context", "oracle", "none")
"""Memories that can be filled and searched just to see what they find."""

DRAWN_ANSWER = "a few plain words " * int(
    EXPECTED_OUTPUT[Stage.ANSWER] * CHARS_PER_TOKEN / 18
)
"""Stands for an answer that is not there yet in what a judge reads."""


@dataclass(slots=True)
class Contexts:
    """What an answerer is going to read."""

    config: RunConfig
    dataset: Dataset
    memory: Memory | None
    ledger: Ledger
    _searches: Mapping[str, Entry] = field(init=False)
    _filled: set[str] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self._searches = {e.request.item: e for e in self.ledger.entries(Stage.SEARCH)}

    def of(self, question: Question) -> tuple[tuple[Hit, ...], bool]:
        """Return the hits that fit, and whether they only stand for others."""
        limit, chars = bounds(self.config)
        found = self._searches.get(question.id)
        if found is not None and found.ok:
            return fit(hits_of(found, self.ledger), chars), False
        conversation = self.dataset.conversation(question.sample_id)
        if self.memory is None or self.config.memory not in IN_PROCESS:
            return fit(turn_hits(conversation), chars), True
        if question.sample_id not in self._filled:
            self.memory.ingest(conversation)
            self._filled.add(question.sample_id)
        query = Query(
            question_id=question.id, sample_id=question.sample_id, text=question.text
        )
        hits = self.memory.search(query, maxsize if limit is None else limit)
        return fit(hits, chars), False


@dataclass(slots=True, kw_only=True)
class Plans:
    """Plans jobs, and counts the calls that need not be made again."""

    ledger: Ledger
    retry_failed: bool
    answering: AnswerOptions | None = None
    """None if answers that are missing stay so."""
    bought: int = field(default=0, init=False)
    _answers: Mapping[tuple[str, int], Entry] = field(init=False)

    def __post_init__(self) -> None:
        entries = self.ledger.entries(Stage.ANSWER)
        self._answers = {(e.request.item, e.request.run): e for e in entries}

    def answers(self, asked: Sequence[Outcome], contexts: Contexts) -> Job:
        """Plan the answers that are missing."""
        assert self.answering is not None  # noqa: S101  # who answers plans answers
        planned = []
        for outcome in asked:
            times = self._count(
                self._answers.get((answer.question.id, answer.run))
                for answer in outcome.runs
            )
            if times:
                hits, drawn = contexts.of(outcome.question)
                prompt = answer_prompt(
                    outcome.question, hits, hints=self.answering.hints
                )
                planned.append(
                    Planned(
                        prompt=prompt, times=times, times_at_most=times, drawn=drawn
                    )
                )
        return Job(
            stage=Stage.ANSWER,
            name="answer",
            settings=settings_of(self.answering),
            planned=tuple(planned),
        )

    def judging(self, judge: Judge, asked: Sequence[Outcome]) -> Job:
        """Plan a judge's runs that are missing."""
        planned = (self._judged(judge, a) for o in asked for a in o.runs)
        return Job(
            stage=Stage.JUDGE,
            name=f"judge {judge.protocol.name}",
            settings=judge.settings,
            planned=tuple(p for p in planned if p is not None and p.times_at_most),
        )

    def refusals(self, judge: Judge, asked: Sequence[Outcome]) -> Job:
        """Plan the verdicts on answers to adversarial questions that are missing."""
        planned = (self._refusal(judge, a) for o in asked for a in o.runs)
        return Job(
            stage=Stage.JUDGE,
            name=f"judge {judge.protocol.name}",
            settings=judge.settings,
            planned=tuple(p for p in planned if p is not None),
        )

    def _refusal(self, judge: Judge, answer: Outcome) -> Planned | None:
        if found := question_to(judge, answer):
            request, prompt = found
            missing = self._count([self.ledger.entry(request)])
            return Planned(prompt=prompt) if missing else None
        known = self._answers.get((answer.question.id, answer.run))
        drawn = question_to(judge, replace(answer, prediction=DRAWN_ANSWER))
        if drawn is None or self.answering is None or not self._to_buy(known):
            return None
        unknown = self.answering.max_tokens
        return Planned(prompt=drawn[1], unknown_input=unknown, drawn=True)

    def _judged(self, judge: Judge, answer: Outcome) -> Planned | None:
        if judgeable(answer):
            return self._over_answer(judge, answer)
        if answer.adversarial or answer.question.gold is None:
            return None
        known = self._answers.get((answer.question.id, answer.run))
        if self.answering is None or not self._to_buy(known):
            return None
        drawn = replace(answer, prediction=DRAWN_ANSWER)
        return Planned(
            prompt=judge.prompt(drawn),
            times=judge.runs,
            times_at_most=judge.runs + judge.extra,
            unknown_input=self.answering.max_tokens,
            drawn=True,
        )

    def _over_answer(self, judge: Judge, answer: Outcome) -> Planned:
        runs, beyond = range(judge.runs), range(judge.runs, judge.runs + judge.extra)
        times = self._count(entries_of(judge, answer, self.ledger, runs))
        extra = 0
        if judge.extra and (times or differ(judge, answer, self.ledger)):
            extra = self._count(entries_of(judge, answer, self.ledger, beyond))
        return Planned(
            prompt=judge.prompt(answer),
            times=times or extra,
            times_at_most=times + extra,
        )

    def _count(self, entries: Iterable[Entry | None]) -> int:
        """Count the calls to be made, and those that are stored."""
        found = list(entries)
        missing = sum(self._to_buy(entry) for entry in found)
        self.bought += len(found) - missing
        return missing

    def _to_buy(self, entry: Entry | None) -> bool:
        return entry is None or not settled(entry, retry_failed=self.retry_failed)
