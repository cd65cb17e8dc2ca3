"""Which questions a run asks: the same options everywhere, resolved the same way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import islice
from typing import Self

from locomo_dataset import Category, Dataset, Question

from locomo_run.errors import UsageError
from locomo_run.ledger.entry import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A choice of questions; the empty one is the whole data set."""

    conversations: tuple[str, ...] = ()
    categories: tuple[int, ...] = ()
    questions: tuple[str, ...] = ()
    per_category: int | None = None
    """At most so many of each category, drawn by `seed`."""
    seed: int = 0
    limit: int | None = None
    """At most so many in all, the first of the data set's order."""
    adversarial: bool = True
    """Whether adversarial questions are asked at all."""

    def spec(self) -> dict[str, Json]:
        """Return the choice as plain values, to be stored with the run."""
        fields = asdict(self).items()
        return {k: list(v) if isinstance(v, tuple) else v for k, v in fields}

    @classmethod
    def from_spec(cls, spec: Mapping[str, Json]) -> Self:
        """Read a stored choice back."""
        fields = {k: tuple(v) if isinstance(v, list) else v for k, v in spec.items()}
        return cls(**fields)  # type: ignore[arg-type]  # written by spec() above

    def resolve(self, dataset: Dataset) -> tuple[Question, ...]:
        """Return the chosen questions in the data set's order.

        Raises:
            UsageError: a conversation or question of that name does not exist, or
                nothing is left.
        """
        self._check_names(dataset)
        chosen = [
            question
            for conversation in dataset.conversations
            for question in conversation.all_questions()
            if self._admits(question)
        ]
        if self.per_category is not None:
            chosen = _stratified(chosen, self.per_category, self.seed)
        if not chosen:
            raise UsageError(
                "no question is left by the selection; loosen --conversation, "
                "--category, --question, --limit or --no-adversarial"
            )
        return tuple(islice(chosen, self.limit))

    def _admits(self, question: Question) -> bool:
        return (
            (not self.conversations or question.sample_id in self.conversations)
            and (not self.categories or question.category in self.categories)
            and (not self.questions or question.id in self.questions)
            and (self.adversarial or question.category is not Category.ADVERSARIAL)
        )

    def _check_names(self, dataset: Dataset) -> None:
        known = [c.sample_id for c in dataset.conversations]
        for name in self.conversations:
            if name not in known:
                raise UsageError(
                    f"no conversation {name!r} in {dataset.name}; "
                    f"it has {', '.join(known)}"
                )
        ids = {q.id for c in dataset.conversations for q in c.all_questions()}
        for name in self.questions:
            if name not in ids:
                raise UsageError(
                    f"no question {name!r} in {dataset.name}; ids look like "
                    f"{known[0]}:0 (conversation, then the position in its list)"
                )


def union(selections: Iterable[Selection], dataset: Dataset) -> tuple[Question, ...]:
    """Return the questions of any of the selections, in the data set's order."""
    chosen = {q.id for selection in selections for q in selection.resolve(dataset)}
    return tuple(
        question
        for conversation in dataset.conversations
        for question in conversation.all_questions()
        if question.id in chosen
    )


def parse_category(text: str) -> Category:
    """Read a category by its number or its name.

    >>> parse_category("4").label, parse_category("multi-hop").value
    ('single-hop', 1)

    Raises:
        UsageError: it is neither.
    """
    for category in Category:
        if text.strip().lower() in (str(category.value), category.label):
            return category
    names = ", ".join(f"{c.value} {c.label}" for c in Category)
    raise UsageError(f"no category {text!r}; there are {names}")


def _stratified(
    questions: Iterable[Question], per_category: int, seed: int
) -> list[Question]:
    """Draw by a hash, so that a larger draw contains the smaller one."""
    questions = list(questions)
    drawn: set[str] = set()
    for category in Category:
        ids = [q.id for q in questions if q.category is category]
        ids.sort(key=lambda name: sha256(f"{seed}:{name}".encode()).digest())
        drawn.update(ids[:per_category])
    return [q for q in questions if q.id in drawn]
