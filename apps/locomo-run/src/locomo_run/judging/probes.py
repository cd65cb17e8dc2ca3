"""Probes: answers that are known to be right or wrong, and what a judge made of them.

Every probe that was ever put to a judge counts, from whatever sample it came.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import fsum
from typing import cast

from llm_judge import (
    Calibration,
    JudgeResult,
    JudgeStatus,
    NumberScale,
    Probe,
    ProbeItem,
    ProbeKind,
    Prompt,
    build_judge_prompt,
    build_probes,
    measure_calibration,
)
from locomo_dataset import Category, Question

from locomo_run.judging.judge import Judge, merged
from locomo_run.ledger.entry import Entry, Json, Request, Stage
from locomo_run.ledger.store import Ledger

JUDGES = "probed_judges"
"""The fact that lists the judges to whom probes were put."""

NO_ANSWER = "The conversation does not say."
"""The right answer to an adversarial question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """What one judge made of its probes."""

    judge: Judge
    entries: tuple[Entry, ...]

    @property
    def accept_at(self) -> float:
        """The score from which on a probe counts as accepted.

        The full mark where the protocol has labels; half of it where it has grades.
        """
        full = self.judge.full_mark
        graded = isinstance(self.judge.protocol.scale, NumberScale)
        return full / 2 if graded else full

    def measure(self) -> Calibration:
        """Count the wrong answers that were accepted and the right ones rejected."""
        return measure_calibration(
            ((probe_of(entry), _result_of(entry)) for entry in self.entries),
            accept_at=self.accept_at,
        )

    def mean_scores(self) -> dict[ProbeKind, float]:
        """Return the mean score of each kind of probe that has a score."""
        scores: defaultdict[ProbeKind, list[float]] = defaultdict(list)
        for entry in self.entries:
            if (score := _result_of(entry).score) is not None:
                scores[probe_of(entry).kind].append(score)
        return {kind: fsum(good) / len(good) for kind, good in scores.items()}

    def mistakes(self) -> tuple[Entry, ...]:
        """Return the probes that the judge got wrong, by question."""
        found = [
            entry
            for entry in self.entries
            if (score := _result_of(entry).score) is not None
            and (score >= self.accept_at) != probe_of(entry).kind.is_right
        ]
        return tuple(sorted(found, key=lambda e: (e.request.item, e.request.key)))


def probes_for(
    questions: Iterable[Question], sample: Collection[str]
) -> list[tuple[str, Probe]]:
    """Make the probes of a sample of questions, each with the id of its question.

    Answerable questions give another question's gold, a vague answer and their own gold
    reworded; adversarial ones give the trap that came with them. The probes of a
    question do not depend on the sample, so that a larger one only adds to it.

    Args:
        questions: All that there are.
        sample: Ids of those that are probed.
    """
    asked = list(questions)
    answerable = [q for q in asked if q.category is not Category.ADVERSARIAL and q.gold]
    trapped = [
        q for q in asked if q.category is Category.ADVERSARIAL and q.adversarial_answer
    ]
    made = [
        *_with_ids(answerable, frozenset(ProbeKind)),
        *_with_ids(
            [replace(q, gold=NO_ANSWER) for q in trapped], frozenset({ProbeKind.TRAP})
        ),
    ]
    return [(item, probe) for item, probe in made if item in sample]


def prompt_for(judge: Judge, probe: Probe) -> Prompt:
    """Build what is sent to judge a probe."""
    return build_judge_prompt(
        probe.question, probe.gold, probe.prediction, probe.category, judge.protocol
    )


def request_for(judge: Judge, item: str, probe: Probe, prompt: Prompt) -> Request:
    """Return the key of a judge's verdict on a probe."""
    return Request(
        stage=Stage.PROBE,
        item=item,
        content={
            "judge": judge.signature,
            "prompt": prompt.sha256,
            "probe": asdict(probe),
        },
    )


def probe_of(entry: Entry) -> Probe:
    """Return the probe that an entry is about."""
    stored = cast(Mapping[str, str], entry.request.content["probe"])
    return Probe(**{**stored, "kind": ProbeKind(stored["kind"])})  # type: ignore[arg-type]  # written by request_for


def note_judges(ledger: Ledger, judges: Sequence[Judge]) -> None:
    """Note in a ledger to whom probes are put."""
    known = merged(_judges(ledger), judges)
    ledger.set_facts({JUDGES: [judge.spec() for judge in known]})


def calibrations(ledger: Ledger) -> tuple[Calibrated, ...]:
    """Read what every judge made of its probes."""
    found: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in ledger.entries(Stage.PROBE):
        found[str(entry.request.content["judge"])].append(entry)
    return tuple(
        Calibrated(judge=judge, entries=tuple(found[judge.signature]))
        for judge in _judges(ledger)
        if judge.signature in found
    )


def _judges(ledger: Ledger) -> list[Judge]:
    specs = cast(Sequence[Mapping[str, Json]], ledger.fact(JUDGES) or [])
    return [Judge.from_spec(spec) for spec in specs]


def _with_ids(
    questions: Sequence[Question], kinds: frozenset[ProbeKind]
) -> list[tuple[str, Probe]]:
    """Make probes; a question that stands there twice gives its first one's only."""
    ids: dict[tuple[str, str], str] = {}
    items = []
    for question in questions:
        gold = question.gold or ""
        if (question.text, gold) not in ids:
            ids[question.text, gold] = question.id
            items.append(
                ProbeItem(
                    question=question.text,
                    gold=gold,
                    category=question.category.label,
                    trap=question.adversarial_answer,
                )
            )
    return [
        (ids[probe.question, probe.gold], probe)
        for probe in build_probes(items)
        if probe.kind in kinds
    ]


def _result_of(entry: Entry) -> JudgeResult:
    score = entry.attempt.reply.get("score") if entry.ok else None
    return JudgeResult(
        status=JudgeStatus(entry.attempt.status.value),
        signature=str(entry.request.content["judge"]),
        score=float(score) if isinstance(score, int | float) else None,
    )
