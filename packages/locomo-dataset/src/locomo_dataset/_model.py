"""The values a data set is made of. All are frozen; nothing here reads a file."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime

from ._category import Category
from ._errors import DatasetError, quoted
from ._evidence import TurnRef

WITHOUT_ADVERSARIAL: frozenset[Category] = frozenset({Category.ADVERSARIAL})


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One utterance of a session."""

    id: str
    """The id in the file, `D<session>:<number>`."""
    session: int
    number: int
    speaker: str
    text: str
    caption: str | None = None
    """What a captioning model saw in the shared image."""
    image_urls: tuple[str, ...] = ()
    image_query: str | None = None
    """The search words the image was found with."""

    @property
    def ref(self) -> TurnRef:
        """The place of this turn, as evidence names it."""
        return TurnRef(self.session, self.number)

    @property
    def has_image(self) -> bool:
        """Whether an image was shared: a caption, an address, or both."""
        return self.caption is not None or bool(self.image_urls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One fact about a speaker, as the data set's authors extracted it."""

    speaker: str
    text: str
    evidence_raw: tuple[str, ...]
    evidence: tuple[TurnRef, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event of a speaker's life behind a session."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One sitting of a conversation: its date and at least one turn."""

    number: int
    date_text: str
    """The date as the file writes it, such as `6:40 pm on 4 March, 2024`."""
    date: datetime
    """The same without a time zone."""
    turns: tuple[Turn, ...]
    observations: tuple[Observation, ...] = ()
    summary: str | None = None
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GhostDate:
    """A session date in the file that has no turns, and so is no session."""

    number: int
    date_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question about a conversation."""

    id: str
    """`<sample_id>:<index>`; the texts repeat, so they cannot be ids."""
    sample_id: str
    index: int
    """Position in the conversation's `qa` list, from 0."""
    text: str
    category: Category
    gold: str | None
    """The reference answer. Integers in the file are strings here. Adversarial
    questions have none, except two that hold both keys."""
    gold_was_integer: bool = False
    adversarial_answer: str | None = None
    """The trap of an adversarial question: the answer a careless reader gives."""
    evidence_raw: tuple[str, ...] = ()
    """The evidence strings as the file writes them."""
    evidence: tuple[TurnRef, ...] = ()
    """Every turn they name, in their order, each once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Two speakers, their sessions in order, and the questions about them."""

    sample_id: str
    speaker_a: str
    speaker_b: str
    sessions: tuple[Session, ...]
    """In the order of their numbers (2 before 10)."""
    ghost_dates: tuple[GhostDate, ...] = ()
    qa: tuple[Question, ...] = ()

    def questions(
        self, exclude: AbstractSet[Category] = WITHOUT_ADVERSARIAL
    ) -> tuple[Question, ...]:
        """Select questions by category, in the order of the file.

        Args:
            exclude: Categories to leave out; adversarial by default, as in every
                published table but the LoCoMo paper's own.
        """
        return tuple(q for q in self.qa if q.category not in exclude)

    def all_questions(self) -> tuple[Question, ...]:
        """List all questions, the adversarial ones included."""
        return self.qa

    def session(self, number: int) -> Session:
        """Find a session by its number.

        Raises:
            DatasetError: There is no such session.
        """
        for session in self.sessions:
            if session.number == number:
                return session
        raise DatasetError(f"{self.sample_id} has no session {number}")

    def turn(self, session: int, number: int) -> Turn:
        """Find a turn; `conversation.turn(*ref)` takes a `TurnRef`.

        Raises:
            DatasetError: There is no such turn.
        """
        for turn in self.session(session).turns:
            if turn.number == number:
                return turn
        raise DatasetError(f"{self.sample_id} has no turn {TurnRef(session, number)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """All conversations of one file, and which file that was."""

    conversations: tuple[Conversation, ...]
    sha256: str
    """Checksum of the file's bytes, in lower-case hex digits."""
    name: str
    """The file's name without its folder."""
    unread: tuple[str, ...] = ()
    """JSON paths of members that the loader does not know and did not read."""

    def conversation(self, sample_id: str) -> Conversation:
        """Find a conversation by its id.

        Raises:
            DatasetError: There is no such conversation; the line lists those there are.
        """
        for conversation in self.conversations:
            if conversation.sample_id == sample_id:
                return conversation
        known = ", ".join(c.sample_id for c in self.conversations[:20])
        raise DatasetError(f"no conversation {quoted(sample_id)}; there are: {known}")

    def question(self, question_id: str) -> Question:
        """Find a question by its id, such as `conv-26:12`.

        Raises:
            DatasetError: There is no such question.
        """
        sample_id, _, index = question_id.rpartition(":")
        for question in self.conversation(sample_id or question_id).qa:
            if question.id == f"{sample_id}:{index}":
                return question
        raise DatasetError(
            f"no question {quoted(question_id)}; an id is <conversation>:<index from 0>"
        )

    def questions(
        self, exclude: AbstractSet[Category] = WITHOUT_ADVERSARIAL
    ) -> tuple[Question, ...]:
        """Select questions of all conversations by category; see `Conversation`.

        Example:
            >>> from locomo_dataset import load_mini
            >>> len(load_mini().questions()), len(load_mini().all_questions())
            (47, 55)
        """
        return tuple(q for c in self.conversations for q in c.questions(exclude))

    def all_questions(self) -> tuple[Question, ...]:
        """List all questions of all conversations, the adversarial ones included."""
        return self.questions(exclude=frozenset())
