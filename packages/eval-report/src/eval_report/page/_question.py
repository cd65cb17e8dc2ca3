"""Question: one question of a run with everything that became of it."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """Name a score of a question and say how it is printed."""

    name: str
    """What the reader sees, for example `F1 locomo` or `J graded`."""

    full_mark: float = 1.0
    """Score of a perfect answer: 1 for F1, 100 for a judge that grades up to 100."""

    @property
    def decimals(self) -> int:
        """Decimals that a score is printed with: three up to 1, one above."""
        return 3 if self.full_mark <= 1 else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Hold one search result as the answerer could read it."""

    id: str
    text: str
    date: str = ""
    score: float | None = None
    """The memory's own score; None if it gives none."""

    is_evidence: bool | None = None
    """Whether it is, or comes from, a turn of the evidence; None if not known."""

    def __post_init__(self) -> None:
        _check(f"hit {self.id}", [self.score])


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Hold what one run of the judge came to."""

    status: str
    """`ok`, or why there is no score: `failed`, `refused`, `truncated` …"""

    score: float | None = None
    label: str = ""
    """The verdict in words where the protocol has some: CORRECT, WRONG."""

    explanation: str = ""

    def __post_init__(self) -> None:
        _check("verdict", [self.score])


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Hold the verdicts of one protocol, by run index."""

    protocol: str
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Hold one question, its answer, and how it was scored.

    Raises:
        ValueError: A number is NaN or infinite.
    """

    id: str
    conversation: str
    category: int
    text: str
    gold: str | None
    """None for a question without a reference answer."""

    state: str
    """How far it came: `answered`, `failed`, `missing` …"""

    reason: str = ""
    """Why it has no answer, in the words of the harness.

    It stays on a page without texts, so it must not quote them.
    """

    prediction: str | None = None
    evidence: tuple[str, ...] = ()
    """Ids of the turns that hold the answer."""

    note: str = ""
    """What the reader must know, for example that the gold is known to be wrong.

    It stays on a page without texts, as `reason` does.
    """

    scores: Mapping[str, float | None] = field(default_factory=dict)
    """Score by the name of its metric; None where there is none."""

    judgements: tuple[Judgement, ...] = ()
    hits: tuple[Hit, ...] = ()
    """Search results, best first."""

    search_ms: float | None = None
    answer_ms: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None

    def __post_init__(self) -> None:
        numbers = [*self.scores.values(), self.search_ms, self.answer_ms]
        _check(f"question {self.id}", numbers)


def _check(what: str, numbers: Iterable[float | None]) -> None:
    for number in numbers:
        if number is not None and not math.isfinite(number):
            msg = f"{what}: {number} is not a number to show; a missing one is None"
            raise ValueError(msg)
