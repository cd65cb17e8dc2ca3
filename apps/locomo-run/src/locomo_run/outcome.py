"""What became of each question: the ledger's entries, scored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import cast

from locomo_dataset import Category, Question

from locomo_run.claude_mem.recall import tells_no_turns
from locomo_run.identity import Identity
from locomo_run.ledger.entry import Entry, Stage
from locomo_run.ledger.store import Ledger
from locomo_run.memory import Hit
from locomo_run.recall import evidence_recall
from locomo_run.replies import hits_of, listed_hits, prediction_of
from locomo_run.scoring import Scores, score


class State(StrEnum):
    """How far a question came."""

    ANSWERED = "answered"
    FAILED = "failed"
    """Its search or its answer failed; asking again may mend it."""
    MISSING = "missing"
    """It was selected but not asked yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question, what was found and answered, and how that scores."""

    question: Question
    state: State
    run: int = 0
    """Which of the answer runs this is."""
    repeats: tuple[Outcome, ...] = ()
    """The further answer runs of the question; only the first one has any."""
    reason: str = ""
    """Why it failed; empty otherwise."""
    prediction: str | None = None
    scores: Scores | None = None
    """None without a prediction."""
    hits: tuple[str, ...] = ()
    """Ids of what the search returned, best first."""
    hits_read: int | None = None
    """How many of them fitted the context."""
    context_chars: int | None = None
    """Characters of the block that they make; None where the entry does not tell."""
    recall: float | None = None
    """Share of the evidence among the hits; None if that is not known."""
    search_ms: float | None = None
    answer_ms: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None

    @property
    def adversarial(self) -> bool:
        """Whether the right answer is that there is none."""
        return self.question.category is Category.ADVERSARIAL

    @property
    def runs(self) -> tuple[Outcome, ...]:
        """All answer runs of the question, this one first."""
        return (self, *self.repeats)


def outcomes(
    questions: Iterable[Question], ledger: Ledger, answer_runs: int = 1
) -> tuple[Outcome, ...]:
    """Read what became of questions from a ledger.

    Where the memory does not know the turns of its hits, nothing is known of a question
    without hits either. Where there are no hits at all, the memory's description says
    whether it would.

    Args:
        questions: In the order in which they are to be reported.
        ledger: Open for reading or writing.
        answer_runs: How often each was to be answered.
    """
    found = tuple(_read(questions, ledger, answer_runs))
    identity = cast(Identity, ledger.fact("identity") or {})
    if tells_no_turns(identity.get("memory", {})) or any(
        o.hits and o.recall is None and o.question.evidence for o in found
    ):
        return tuple(o if o.hits else replace(o, recall=None) for o in found)
    return found


def _read(
    questions: Iterable[Question], ledger: Ledger, answer_runs: int
) -> Iterator[Outcome]:
    searches = {entry.request.item: entry for entry in ledger.entries(Stage.SEARCH)}
    answers = _answers(ledger.entries(Stage.ANSWER), searches)
    for question in questions:
        first, *repeats = (
            _outcome(
                question,
                run,
                searches.get(question.id),
                answers.get((question.id, run)),
                ledger,
            )
            for run in range(answer_runs)
        )
        yield replace(first, repeats=tuple(repeats)) if repeats else first


def _answers(
    entries: Iterable[Entry], searches: Mapping[str, Entry]
) -> dict[tuple[str, int], Entry]:
    """Return the answers by question and run: those that read the hits that are kept.

    There are others where runs were merged whose memories found other things.
    """
    answers: dict[tuple[str, int], Entry] = {}
    for entry in entries:
        item, run = entry.request.item, entry.request.run
        if (item, run) not in answers or _reads(entry, searches.get(item)):
            answers[item, run] = entry
    return answers


def _reads(answer: Entry, search: Entry | None) -> bool:
    kept = search.attempt.reply.get("hits") if search is not None else None
    return answer.request.content.get("hits") == kept


def hits_by_question(ledger: Ledger) -> dict[str, tuple[Hit, ...]]:
    """Return the hits of every good search, by question."""
    return {
        entry.request.item: hits_of(entry, ledger)
        for entry in ledger.entries(Stage.SEARCH)
        if entry.ok
    }


def _outcome(
    question: Question,
    run: int,
    searched: Entry | None,
    answered: Entry | None,
    ledger: Ledger,
) -> Outcome:
    last = answered or searched
    if last is None or (answered is None and last.ok):
        return Outcome(question=question, run=run, state=State.MISSING)
    if not last.ok:
        return Outcome(
            question=question, run=run, state=State.FAILED, reason=last.attempt.reason
        )
    # Imported answers come without a search, so that nothing is known of one.
    hits = listed_hits(searched, ledger) if searched is not None else None
    prediction = prediction_of(last) or ""
    usage = last.attempt.usage
    evidence = [str(turn) for turn in question.evidence]
    return Outcome(
        question=question,
        run=run,
        state=State.ANSWERED,
        prediction=prediction,
        scores=score(prediction, question),
        hits=tuple(hit["id"] for hit in hits or ()),
        hits_read=_integer(last.request.content.get("hits_read")),
        context_chars=_integer(last.attempt.reply.get("context_chars")),
        recall=(
            None
            if hits is None
            else evidence_recall([hit["turns"] for hit in hits], evidence)
        ),
        search_ms=searched.attempt.latency_ms if searched is not None else None,
        answer_ms=last.attempt.latency_ms,
        input_tokens=usage.read if usage else None,
        output_tokens=usage.output if usage else None,
    )


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) else None
