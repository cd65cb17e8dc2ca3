"""Refusals: a judge's word on who declined what has no answer.

The phrase rule of the official scorer knows two phrases; a judge knows a refusal in any
words, and tells those who fell for the trap from those who said something else. It sees
adversarial questions only, each answer once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files
from typing import cast

from llm_judge import JudgeProtocol, JudgeSettings, Prompt, load_protocol

from locomo_run.judging.judge import Judge, merged
from locomo_run.ledger.entry import Entry, Json, Request
from locomo_run.ledger.store import Ledger
from locomo_run.outcome import Outcome

JUDGES = "refusal_judges"
"""The fact that lists who judged refusals."""

DECLINED, TRAPPED, OTHER = "DECLINED", "TRAPPED", "OTHER"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusals:
    """What one judge said of the answers to adversarial questions."""

    judge: Judge
    entries: Mapping[str, tuple[Entry | None, ...]]
    """By question, one for each answer to it; None where one is not bought."""

    def labels(self, question_id: str) -> tuple[str | None, ...]:
        """Return the label of each answer to a question; None where there is none."""
        return tuple(_label(entry) for entry in self.entries.get(question_id, ()))

    def count(self) -> Counter[str | None]:
        """Count the labels; None stands for answers without one."""
        return Counter(label for name in self.entries for label in self.labels(name))

    def share(self, label: str) -> float | None:
        """Return the share of a label among the answers that have one."""
        counts = self.count()
        labelled = counts.total() - counts[None]
        return counts[label] / labelled if labelled else None


def refusal_judge(settings: JudgeSettings) -> Judge:
    """Return the judge of refusals with a model and its settings."""
    return Judge(protocol=_protocol(), settings=settings, runs=1)


def note_judge(ledger: Ledger, judge: Judge) -> None:
    """Note in a ledger who judges refusals."""
    known = merged(_judges(ledger), [judge])
    ledger.set_facts({JUDGES: [each.spec() for each in known]})


def question_to(judge: Judge, answer: Outcome) -> tuple[Request, Prompt] | None:
    """Return what a judge is asked about an answer; None if there is nothing to ask."""
    question = answer.question
    if not answer.adversarial or answer.prediction is None:
        return None
    trap = replace(question, gold=question.adversarial_answer)
    prompt = judge.prompt(replace(answer, question=trap))
    return judge.request(answer, 0, prompt), prompt


def refusals(outcomes: Sequence[Outcome], ledger: Ledger) -> tuple[Refusals, ...]:
    """Read what every judge of refusals said of the answers of a run."""
    return tuple(
        Refusals(
            judge=judge,
            entries={
                outcome.question.id: tuple(
                    ledger.entry(asked[0])
                    for answer in outcome.runs
                    if (asked := question_to(judge, answer))
                )
                for outcome in outcomes
                if outcome.adversarial
            },
        )
        for judge in _judges(ledger)
    )


def _judges(ledger: Ledger) -> list[Judge]:
    specs = cast(Sequence[Mapping[str, Json]], ledger.fact(JUDGES) or [])
    return [Judge.from_spec(spec) for spec in specs]


def _label(entry: Entry | None) -> str | None:
    return str(entry.attempt.reply["label"]) if entry is not None and entry.ok else None


@cache
def _protocol() -> JudgeProtocol:
    with as_file(files("locomo_run") / "protocols" / "refusal.toml") as path:
        return load_protocol(path)
