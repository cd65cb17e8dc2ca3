"""What can be odd about a data set that loads."""

from dataclasses import dataclass
from enum import StrEnum

from ._node import member_path


class IssueCode(StrEnum):
    """The kinds of issues. The values are stable; use them to group and filter."""

    COUNTS_DIFFER = "counts-differ"
    KEY_UNKNOWN = "key-unknown"
    SPEAKERS_ALIKE = "speakers-alike"
    SPEAKER_UNKNOWN = "speaker-unknown"
    SESSION_ORDER = "session-order"
    GHOST_DATE = "ghost-date"
    TURN_NUMBERS = "turn-numbers"
    TURN_EMPTY = "turn-empty"
    IMAGE_WITHOUT_ADDRESS = "image-without-address"
    EVENT_EMPTY = "event-empty"
    OBSERVATION_IDS_REPAIRED = "observation-ids-repaired"
    OBSERVATION_IDS_UNRESOLVED = "observation-ids-unresolved"
    QUESTION_EMPTY = "question-empty"
    QUESTION_REPEATED = "question-repeated"
    QUESTION_IN_TWO_CATEGORIES = "question-in-two-categories"
    GOLD_MISSING = "gold-missing"
    GOLD_EMPTY = "gold-empty"
    GOLD_INTEGER = "gold-integer"
    ADVERSARIAL_WITHOUT_GOLD = "adversarial-without-gold"
    ADVERSARIAL_WITH_GOLD = "adversarial-with-gold"
    ADVERSARIAL_ANSWER_MISSING = "adversarial-answer-missing"
    ADVERSARIAL_ANSWER_MISPLACED = "adversarial-answer-misplaced"
    EVIDENCE_NONE = "evidence-none"
    EVIDENCE_REPEATED = "evidence-repeated"
    EVIDENCE_REPAIRED = "evidence-repaired"
    EVIDENCE_UNRESOLVED = "evidence-unresolved"
    EVIDENCE_LOST = "evidence-lost"
    CONTROL_CHARACTER = "control-character"
    INVISIBLE_CHARACTER = "invisible-character"
    EDGE_WHITESPACE = "edge-whitespace"

    @property
    def harmless(self) -> bool:
        """Whether a number made from the data set can be published all the same."""
        return self not in _HARM

    @property
    def reason(self) -> str:
        """Why issues of this kind are harmless, or what harm they do."""
        return _HARM.get(self) or _HARMLESS[self]


_HARM = {
    IssueCode.COUNTS_DIFFER: "the loader did not read what the checksum stands for",
    IssueCode.KEY_UNKNOWN: "what stands there was not read, a misspelt key perhaps",
    IssueCode.SPEAKERS_ALIKE: "nobody can tell who said what",
    IssueCode.SPEAKER_UNKNOWN: "the turn belongs to neither of the two speakers",
    IssueCode.SESSION_ORDER: "temporal questions rest on dates that go forward",
    IssueCode.QUESTION_EMPTY: "there is nothing to ask",
    IssueCode.GOLD_MISSING: "an answer cannot be compared with anything",
    IssueCode.GOLD_EMPTY: "only an empty answer would score",
    IssueCode.EVIDENCE_LOST: "the question has evidence that cannot be shown at all",
}

_HARMLESS = {
    IssueCode.GHOST_DATE: "a date without turns is not read as a session",
    IssueCode.TURN_NUMBERS: "the order of the file is kept and the ids are unique",
    IssueCode.TURN_EMPTY: "a turn without words is kept as it is",
    IssueCode.IMAGE_WITHOUT_ADDRESS: "only the caption is used, never the image",
    IssueCode.EVENT_EMPTY: "events are not shown to a memory",
    IssueCode.OBSERVATION_IDS_REPAIRED: "the ids have exactly one reading",
    IssueCode.OBSERVATION_IDS_UNRESOLVED: "observations are not shown to a memory",
    IssueCode.QUESTION_REPEATED: (
        "the index tells them apart; each counts, as in published numbers"
    ),
    IssueCode.QUESTION_IN_TWO_CATEGORIES: (
        "the index tells them apart; each counts in its own category"
    ),
    IssueCode.GOLD_INTEGER: "it is read as its decimal digits",
    IssueCode.ADVERSARIAL_WITHOUT_GOLD: "adversarial questions have no right answer",
    IssueCode.ADVERSARIAL_WITH_GOLD: "gold and adversarial answer are kept apart",
    IssueCode.ADVERSARIAL_ANSWER_MISSING: "no score is made from it",
    IssueCode.ADVERSARIAL_ANSWER_MISPLACED: "it is kept apart from the gold",
    IssueCode.EVIDENCE_NONE: "the answer is scored; evidence figures leave it out",
    IssueCode.EVIDENCE_REPEATED: "a turn that is named twice counts once",
    IssueCode.EVIDENCE_REPAIRED: "the ids have exactly one reading",
    IssueCode.EVIDENCE_UNRESOLVED: "the question keeps its other evidence",
    IssueCode.CONTROL_CHARACTER: "the text is passed on unchanged",
    IssueCode.INVISIBLE_CHARACTER: (
        "kept as in published numbers; a scorer may see one word differently"
    ),
    IssueCode.EDGE_WHITESPACE: "no scorer sees white space at the ends",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One odd place in a data set.

    Every field is printable text on one line, whatever the data set holds.
    """

    code: IssueCode
    path: str
    """JSON path in the file, such as `$[3].qa[17].evidence[0]`."""
    subject: str
    """What it is about: a conversation, a question id, or a turn such as
    `conv-26 D1:3`."""
    message: str
    """What is odd, and what the loader made of it."""

    @property
    def harmless(self) -> bool:
        """Whether a number made from the data set can be published all the same."""
        return self.code.harmless

    @property
    def reason(self) -> str:
        """Why it is harmless, or what harm it does."""
        return self.code.reason


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the file a check looks, and what it looks at."""

    path: str
    subject: str

    def member(self, key: str) -> "Place":
        """Step into an object."""
        return Place(member_path(self.path, key), self.subject)

    def item(self, index: int) -> "Place":
        """Step into an array."""
        return Place(f"{self.path}[{index}]", self.subject)

    def about(self, subject: str) -> "Place":
        """Stay, but speak of something else."""
        return Place(self.path, subject)

    def issue(self, code: IssueCode, message: str) -> Issue:
        """Report something odd here."""
        return Issue(code=code, path=self.path, subject=self.subject, message=message)
