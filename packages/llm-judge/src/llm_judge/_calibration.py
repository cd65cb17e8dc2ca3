"""Answers whose verdict is known, and how often a judge gets them wrong."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from llm_judge._protocol import GENERAL
from llm_judge._result import JudgeResult

__all__ = [
    "Calibration",
    "ErrorRate",
    "Probe",
    "ProbeItem",
    "ProbeKind",
    "build_probes",
    "measure_calibration",
]


class ProbeKind(StrEnum):
    """How a probe's answer was made, and with that whether it is right."""

    OTHER_GOLD = "other_gold"
    """Wrong: the reference answer of another question."""
    TRAP = "trap"
    """Wrong: the plausible wrong answer that came with the question."""
    VAGUE = "vague"
    """Wrong: on the topic of the question, without any fact."""
    REWORDED = "reworded"
    """Right: the reference answer itself in other clothes."""

    @property
    def is_right(self) -> bool:
        """Whether a judge should accept such an answer."""
        return self is ProbeKind.REWORDED


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeItem:
    """A question with its reference answer, to make probes from."""

    question: str
    gold: str
    category: str = GENERAL
    trap: str | None = None
    """An answer known to be wrong, if the data has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One answer to put before the judge."""

    kind: ProbeKind
    question: str
    gold: str
    prediction: str
    category: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRate:
    """So many errors among so many judged probes."""

    errors: int
    n: int

    @property
    def rate(self) -> float | None:
        """Share of errors, None without a judged probe."""
        return self.errors / self.n if self.n else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How a judge does on answers whose verdict is known."""

    false_accept: ErrorRate
    """Wrong answers that were accepted."""
    false_reject: ErrorRate
    """Right answers that were rejected."""
    by_kind: dict[ProbeKind, ErrorRate]
    """Errors for each kind of probe that was put."""
    failed_count: int
    """Probes without a score; they enter no rate."""


_VAGUE = (
    'That came up at some point; it has to do with "{question}".',
    'They did talk about "{question}" and shared some thoughts on it.',
    'As for "{question}", something along those lines was mentioned a while ago.',
)
_REWORDED = (
    "The answer is: {gold}",
    '"{gold}", as far as I can tell from the conversation.',
    "{gold}. That is what was said.",
)
_WORD = re.compile(r"\w+")


def build_probes(items: Iterable[ProbeItem]) -> tuple[Probe, ...]:
    """Make every probe that the items allow, in the order of the items.

    For each item: the reference answer of the next item whose answer shares no word
    with this item's (of the same category if there is one), its trap, a vague answer,
    and its own reference answer reworded.
    Everything is by rule and without chance.
    An item with an empty reference answer gives no probe, and a trap that has the same
    words as the reference answer gives none.

    >>> items = [
    ...     ProbeItem(question="Which pet does Ann have?", gold="a cat", trap="a dog"),
    ...     ProbeItem(question="Where does Bo live?", gold="Oslo"),
    ... ]
    >>> [(probe.kind.value, probe.prediction) for probe in build_probes(items[:1])]
    [('trap', 'a dog'), ('vague', 'That came up at some point; it has to do with \
"Which pet does Ann have?".'), ('reworded', 'The answer is: a cat')]
    >>> build_probes(items)[0].prediction
    'Oslo'
    """
    usable = [item for item in items if _words(item.gold)]
    words = [_words(item.gold) for item in usable]
    probes: list[Probe] = []
    for index, item in enumerate(usable):
        predictions = {
            ProbeKind.OTHER_GOLD: _other_gold(usable, words, index),
            ProbeKind.TRAP: item.trap,
            ProbeKind.VAGUE: _VAGUE[index % len(_VAGUE)].format(question=item.question),
            ProbeKind.REWORDED: _REWORDED[index % len(_REWORDED)].format(
                gold=item.gold.strip()
            ),
        }
        if item.trap is not None and _words(item.trap) == words[index]:
            predictions[ProbeKind.TRAP] = None
        probes.extend(
            Probe(
                kind=kind,
                question=item.question,
                gold=item.gold,
                prediction=prediction,
                category=item.category,
            )
            for kind, prediction in predictions.items()
            if prediction is not None
        )
    return tuple(probes)


def measure_calibration(
    judged: Iterable[tuple[Probe, JudgeResult]], *, accept_at: float
) -> Calibration:
    """Count the wrong answers a judge accepts and the right ones it rejects.

    A probe counts as accepted if its score is `accept_at` or more, on the protocol's
    own scale: 1 for `BINARY` and `STRICT`; for `GRADED` the score from which on you
    would call an answer right.

    >>> from llm_judge import JudgeResult, JudgeStatus
    >>> probes = build_probes([ProbeItem(question="Who?", gold="Ann", trap="Bo")])
    >>> results = [
    ...     JudgeResult(status=JudgeStatus.OK, signature="p", score=score)
    ...     for score in (0, 90, 100)
    ... ]
    >>> measure_calibration(zip(probes, results), accept_at=50).false_accept
    ErrorRate(errors=1, n=2)
    """
    counts: Counter[ProbeKind] = Counter()
    errors: Counter[ProbeKind] = Counter()
    failed = 0
    for probe, result in judged:
        counts[probe.kind] += 0  # a kind whose probes all failed shows with n = 0
        if result.score is None:
            failed += 1
            continue
        counts[probe.kind] += 1
        errors[probe.kind] += (result.score >= accept_at) != probe.kind.is_right
    by_kind = {
        kind: ErrorRate(errors=errors[kind], n=counts[kind])
        for kind in ProbeKind
        if kind in counts
    }
    return Calibration(
        false_accept=_sum(rate for kind, rate in by_kind.items() if not kind.is_right),
        false_reject=_sum(rate for kind, rate in by_kind.items() if kind.is_right),
        by_kind=by_kind,
        failed_count=failed,
    )


def _other_gold(
    items: Sequence[ProbeItem], words: Sequence[frozenset[str]], index: int
) -> str | None:
    following = list(range(index + 1, len(items))) + list(range(index))
    category = items[index].category
    same = [other for other in following if items[other].category == category]
    for candidate in same + following:
        if not words[candidate] & words[index]:
            return items[candidate].gold
    return None


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _sum(rates: Iterable[ErrorRate]) -> ErrorRate:
    listed = [*rates]
    return ErrorRate(
        errors=sum(rate.errors for rate in listed), n=sum(rate.n for rate in listed)
    )
