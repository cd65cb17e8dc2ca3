"""From a prediction to its scores: which rule stands behind which category.

`qa_f1` knows the rules and no categories, `locomo_dataset` knows the categories and no
rules; this is where they meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from locomo_dataset import Category, Question
from qa_f1 import Profile, locomo_abstain, profiles, token_f1

from locomo_run.answerers import UNANSWERABLE

F1_PROFILES = ("locomo", "mem0", "standard", "squad", "squad2")
"""The recipes that every answer is scored with, in the order of the tables."""

ABSTAIN = "locomo_abstain"
"""The score of adversarial questions."""

LOCOMO_RULES: Mapping[Category, Profile] = {
    Category.MULTI_HOP: profiles.LOCOMO_LIST,
    Category.TEMPORAL: profiles.LOCOMO,
    Category.OPEN_DOMAIN: profiles.LOCOMO_FIRST,
    Category.SINGLE_HOP: profiles.LOCOMO,
}
"""The official scorer's branches (task_eval/evaluation.py, eval_question_answering):
list golds in multi-hop, the first alternative in open-domain, plain F1 elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The scores of one prediction; None where a metric does not apply."""

    f1: Mapping[str, float | None]
    """F1 by profile, in 0 to 1; all None for adversarial questions."""
    abstained: bool
    """Whether the prediction says that there is no answer."""

    @property
    def locomo_abstain(self) -> float:
        """The official adversarial score: 1.0 for an abstention, else 0.0."""
        return float(self.abstained)


def score(prediction: str, question: Question) -> Scores:
    """Score a prediction with every profile.

    >>> from locomo_dataset import load_mini
    >>> question = load_mini().questions()[0]
    >>> score(question.gold, question).f1["standard"]
    1.0
    """
    abstained = is_abstention(prediction)
    if question.category is Category.ADVERSARIAL or question.gold is None:
        return Scores(f1=dict.fromkeys(F1_PROFILES), abstained=abstained)
    return Scores(
        f1={
            name: token_f1(
                prediction, question.gold, profile_of(name, question.category)
            ).f1
            for name in F1_PROFILES
        },
        abstained=abstained,
    )


def profile_of(name: str, category: Category) -> Profile:
    """Return the rule that a profile applies to a category."""
    return LOCOMO_RULES[category] if name == "locomo" else _profile(name)


@cache
def _profile(name: str) -> Profile:
    return profiles.get(name)


def is_abstention(prediction: str) -> bool:
    """Tell whether a prediction declines to answer.

    That is the official scorer's test, to which the one word that our answerers use
    is added, since they are told to say exactly that.

    >>> is_abstention("Unanswerable."), is_abstention("Not mentioned in the talk")
    (True, True)
    >>> is_abstention("A red bicycle")
    False
    """
    said = prediction.strip().rstrip(".").lower()
    return said == UNANSWERABLE or bool(locomo_abstain(prediction))


def signature(name: str) -> str:
    """Return what determines the numbers of a profile, category rules included."""
    if name == ABSTAIN:
        return f"rule:{ABSTAIN}|also:{UNANSWERABLE}"
    if name != "locomo":
        return _profile(name).signature
    rules = ",".join(f"{c.value}={p.name}" for c, p in sorted(LOCOMO_RULES.items()))
    return f"{profiles.LOCOMO.signature}|categories:{rules}"
