"""Checks of questions: their texts, golds and evidence."""

from collections.abc import Iterator

from ._category import Category
from ._check_text import check_text
from ._errors import quoted
from ._evidence import TurnRef, resolve
from ._issue import Issue, IssueCode, Place
from ._model import Conversation, Question


def check_questions(conversation: Conversation, sample: Place) -> Iterator[Issue]:
    """Report what is odd about the questions of a conversation."""
    refs = frozenset(turn.ref for s in conversation.sessions for turn in s.turns)
    first: dict[str, Question] = {}
    for question in conversation.qa:
        place = sample.member("qa").item(question.index).about(question.id)
        yield from _question(question, place)
        yield from _answers(question, place)
        yield from _evidence(question, place.member("evidence"), refs)
        earlier = first.setdefault(question.text, question)
        if earlier is not question:
            yield _repetition(question, earlier, place)


def _question(question: Question, place: Place) -> Iterator[Issue]:
    text = place.member("question")
    if not question.text.strip():
        yield text.issue(IssueCode.QUESTION_EMPTY, "a question without words")
    yield from check_text(question.text, text)


def _repetition(question: Question, earlier: Question, place: Place) -> Issue:
    if question.category == earlier.category:
        return place.issue(
            IssueCode.QUESTION_REPEATED, f"the same text and category as {earlier.id}"
        )
    return place.issue(
        IssueCode.QUESTION_IN_TWO_CATEGORIES,
        f"the same text as {earlier.id}, which is {earlier.category.label}",
    )


def _answers(question: Question, place: Place) -> Iterator[Issue]:
    if question.category is Category.ADVERSARIAL:
        yield from _adversarial(question, place)
    else:
        yield from _answerable(question, place)
    if question.gold is not None:
        gold = place.member("answer")
        if question.gold_was_integer:
            yield gold.issue(
                IssueCode.GOLD_INTEGER, f"the integer {question.gold} instead of text"
            )
        yield from check_text(question.gold, gold)
    if question.adversarial_answer is not None:
        yield from check_text(
            question.adversarial_answer, place.member("adversarial_answer")
        )


def _adversarial(question: Question, place: Place) -> Iterator[Issue]:
    if question.gold is None:
        yield place.issue(
            IssueCode.ADVERSARIAL_WITHOUT_GOLD, "an adversarial question without a gold"
        )
    else:
        yield place.member("answer").issue(
            IssueCode.ADVERSARIAL_WITH_GOLD,
            f"an adversarial question with the gold {quoted(question.gold)}",
        )
    if question.adversarial_answer is None:
        yield place.issue(
            IssueCode.ADVERSARIAL_ANSWER_MISSING,
            "an adversarial question without an adversarial answer",
        )


def _answerable(question: Question, place: Place) -> Iterator[Issue]:
    if question.gold is None:
        yield place.issue(
            IssueCode.GOLD_MISSING, f"a {question.category.label} question without gold"
        )
    elif not question.gold.strip():
        yield place.member("answer").issue(IssueCode.GOLD_EMPTY, "a gold without words")
    if question.adversarial_answer is not None:
        yield place.member("adversarial_answer").issue(
            IssueCode.ADVERSARIAL_ANSWER_MISPLACED,
            f"an adversarial answer on a {question.category.label} question",
        )


def _evidence(
    question: Question, place: Place, refs: frozenset[TurnRef]
) -> Iterator[Issue]:
    if not question.evidence_raw:
        yield place.issue(IssueCode.EVIDENCE_NONE, "no evidence at all")
    named: set[TurnRef] = set()
    for index, raw in enumerate(question.evidence_raw):
        here = place.item(index)
        read = resolve(raw, refs)
        if not read:
            lost = IssueCode.EVIDENCE_LOST
            yield here.issue(
                IssueCode.EVIDENCE_UNRESOLVED if question.evidence else lost,
                f"{quoted(raw)} names no turn and is left out",
            )
        elif raw != str(read[0]):
            yield here.issue(
                IssueCode.EVIDENCE_REPAIRED,
                f"{quoted(raw)} is read as {', '.join(map(str, read))}",
            )
        for ref in read:
            if ref in named:
                yield here.issue(
                    IssueCode.EVIDENCE_REPEATED, f"{ref} is named more than once"
                )
            named.add(ref)
