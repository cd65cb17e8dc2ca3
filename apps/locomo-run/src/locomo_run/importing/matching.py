"""Which question of the data set is it that somebody answered?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from locomo_dataset import Dataset, Question

from locomo_run.importing.formats import Answered


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """What was found of a result file, and what was not."""

    answers: dict[str, Answered]
    """By question id."""
    problems: tuple[str, ...]
    """One line for each answer that does not fit, or fits badly."""


def match(answers: Sequence[Answered], dataset: Dataset) -> Matched:
    """Find the questions by conversation and text.

    Where a text occurs more than once in a conversation, the answers are taken in the
    order of the file, those of the same category first. An answer whose category or
    gold is another than the data set's is taken and reported.
    """
    waiting: defaultdict[tuple[str | None, str], list[Question]] = defaultdict(list)
    for question in dataset.all_questions():
        waiting[question.sample_id, question.text].append(question)
        waiting[None, question.text].append(question)
    found: dict[str, Answered] = {}
    problems: list[str] = []
    for answer in answers:
        sample = _sample_id(answer, dataset)
        candidates = [q for q in waiting[sample, answer.question] if q.id not in found]
        same = [q for q in candidates if q.category == answer.category]
        if not candidates:
            where = f" in {sample}" if sample else ""
            problems.append(f"{answer.place}: no such question is left{where}")
            continue
        question = (same or candidates)[0]
        found[question.id] = answer
        problems += _differences(question, answer)
    return Matched(answers=found, problems=tuple(problems))


def _sample_id(answer: Answered, dataset: Dataset) -> str | None:
    """The conversation's id, from its id or its position; None if not known."""
    if isinstance(answer.conversation, int):
        in_range = 0 <= answer.conversation < len(dataset.conversations)
        if in_range:
            return dataset.conversations[answer.conversation].sample_id
        return ""
    return answer.conversation


def _differences(question: Question, answer: Answered) -> list[str]:
    problems = []
    if answer.category not in (None, int(question.category)):
        problems.append(
            f"{answer.place}: {question.id} has category {int(question.category)}, "
            f"not {answer.category}"
        )
    if answer.gold and question.gold is not None and answer.gold != question.gold:
        problems.append(f"{answer.place}: {question.id} has another gold")
    return problems
