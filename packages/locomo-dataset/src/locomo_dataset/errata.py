"""The public audit of the data set, laid over it.

The audit (dial481/locomo-audit) lists questions of `locomo10.json` whose gold or
evidence is wrong. This module reads its `errors.json` and says which questions
are meant. Golds are never replaced: report scores with all questions, and in a
second line without those in `ErrataJoin.score_corrupting`.

Adversarial questions were not audited.
"""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ._category import Category
from ._errors import quoted
from ._load import read
from ._model import Dataset, Question
from ._node import Node, decode

__all__ = [
    "Errata",
    "ErrataJoin",
    "Erratum",
    "ErrorKind",
    "ErrorType",
    "Mismatch",
    "load_errata",
]

_ID = re.compile(r"locomo_(0|[1-9][0-9]{0,5})_qa(0|[1-9][0-9]{0,5})")


class ErrorKind(StrEnum):
    """What an error does to a score."""

    SCORE_CORRUPTING = "score-corrupting"
    CITATION_ONLY = "citation-only"


class ErrorType(StrEnum):
    """The error types of the audit, as its file spells them."""

    HALLUCINATION = "HALLUCINATION"
    TEMPORAL_ERROR = "TEMPORAL_ERROR"
    ATTRIBUTION_ERROR = "ATTRIBUTION_ERROR"
    AMBIGUOUS = "AMBIGUOUS"
    INCOMPLETE = "INCOMPLETE"
    WRONG_CITATION = "WRONG_CITATION"

    @property
    def kind(self) -> ErrorKind:
        """All types spoil the score but one: with a wrong citation the gold is right.

        Example:
            >>> ErrorType.AMBIGUOUS.kind.value, ErrorType.WRONG_CITATION.kind.value
            ('score-corrupting', 'citation-only')
        """
        if self is ErrorType.WRONG_CITATION:
            return ErrorKind.CITATION_ONLY
        return ErrorKind.SCORE_CORRUPTING


_TYPES = tuple(error_type.value for error_type in ErrorType)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erratum:
    """One entry of the audit."""

    audit_id: str
    """The audit's own id, `locomo_<conversation index>_qa<question index>`."""
    conversation_index: int
    question_index: int
    question: str
    """The question's text, to recognise it by."""
    gold: str
    """The gold the audit saw."""
    category: Category
    error_type: ErrorType


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """An entry that does not fit the data set, and so marks nothing."""

    audit_id: str
    path: str
    """JSON path in the audit's file."""
    message: str
    """What does not fit: printable text on one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrataJoin:
    """Which questions of a data set the audit found wrong."""

    kinds: Mapping[str, ErrorKind]
    """Kind of error by question id, such as `conv-26:2`."""
    mismatches: tuple[Mismatch, ...]

    @property
    def score_corrupting(self) -> frozenset[str]:
        """The ids of the questions whose gold is wrong."""
        return self._of(ErrorKind.SCORE_CORRUPTING)

    @property
    def citation_only(self) -> frozenset[str]:
        """The ids of the questions whose gold is right and whose evidence is not."""
        return self._of(ErrorKind.CITATION_ONLY)

    def _of(self, kind: ErrorKind) -> frozenset[str]:
        return frozenset(i for i, found in self.kinds.items() if found is kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Errata:
    """The entries of one audit file, and which file that was."""

    errors: tuple[Erratum, ...]
    sha256: str
    """Checksum of the file's bytes, in lower-case hex digits."""
    name: str
    """The file's name without its folder."""

    def join(self, dataset: Dataset) -> ErrataJoin:
        """Find the audited questions in a data set.

        An entry counts when question text, category and gold are the same at the
        indices of its id; any other is a `Mismatch`.
        """
        kinds: dict[str, ErrorKind] = {}
        mismatches: list[Mismatch] = []
        for index, erratum in enumerate(self.errors):
            found = _find(dataset, erratum)
            if isinstance(found, Question):
                kinds[found.id] = erratum.error_type.kind
            else:
                mismatches.append(
                    Mismatch(
                        audit_id=erratum.audit_id, path=f"$[{index}]", message=found
                    )
                )
        return ErrataJoin(kinds=kinds, mismatches=tuple(mismatches))


def load_errata(path: str | os.PathLike[str]) -> Errata:
    """Read the audit's `errors.json`.

    Raises:
        DatasetError: The file cannot be read, is not JSON, or a place in it has
            not the shape it should have.
    """
    content = read(path)
    file = os.fspath(path)
    return Errata(
        errors=_parse(decode(content, file)),
        sha256=hashlib.sha256(content).hexdigest(),
        name=Path(file).name,
    )


def _find(dataset: Dataset, erratum: Erratum) -> Question | str:
    """Find the question an entry means, or say why it cannot be found."""
    if erratum.conversation_index >= len(dataset.conversations):
        return f"the data set has no conversation {erratum.conversation_index}"
    conversation = dataset.conversations[erratum.conversation_index]
    if erratum.question_index >= len(conversation.qa):
        return f"{conversation.sample_id} has no question {erratum.question_index}"
    question = conversation.qa[erratum.question_index]
    for what, audited, here in (
        ("text", erratum.question, question.text),
        ("gold", erratum.gold, question.gold),
    ):
        if audited != here:
            found = "none" if here is None else quoted(here)
            return (
                f"the {what} of {question.id} is {found} in the data set"
                f" and {quoted(audited)} in the audit"
            )
    if erratum.category is not question.category:
        return (
            f"{question.id} is {question.category.label} in the data set"
            f" and {erratum.category.label} in the audit"
        )
    return question


def _parse(root: Node) -> tuple[Erratum, ...]:
    errors: dict[str, Erratum] = {}
    for node in root.items("an array of audit entries"):
        erratum = _erratum(node)
        if erratum.audit_id in errors:
            node.need("question_id").fail("an id that no other entry has")
        errors[erratum.audit_id] = erratum
    return tuple(errors.values())


def _erratum(node: Node) -> Erratum:
    id_node = node.need("question_id")
    match = _ID.fullmatch(id_node.text())
    if match is None:
        id_node.fail("an id like 'locomo_0_qa12'")
    type_node = node.need("error_type")
    if type_node.text() not in _TYPES:
        type_node.fail(f"one of {', '.join(_TYPES)}")
    return Erratum(
        audit_id=match[0],
        conversation_index=int(match[1]),
        question_index=int(match[2]),
        question=node.need("question").text(),
        gold=node.need("golden_answer").text(),
        category=node.need("category").category(),
        error_type=ErrorType(type_node.text()),
    )
