"""What a data set holds, counted."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from ._category import Category
from ._model import Conversation, Dataset, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationStats:
    """The counts of one conversation."""

    sample_id: str
    speakers: tuple[str, str]
    first_date: datetime
    last_date: datetime
    sessions: int
    turns: int
    image_turns: int
    questions: int
    """All questions, the adversarial ones included."""
    by_category: Mapping[Category, int]
    """Questions of each category; every category is a key."""

    @property
    def without_adversarial(self) -> int:
        """How many questions are not adversarial."""
        return self.questions - self.by_category[Category.ADVERSARIAL]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """The counts of a data set."""

    conversations: int
    sessions: int
    turns: int
    image_turns: int
    """Turns that share an image."""
    questions: int
    """All questions, the adversarial ones included."""
    by_category: Mapping[Category, int]
    """Questions of each category; every category is a key."""
    with_evidence: int
    """Questions that are not adversarial and name at least one turn that exists."""
    per_conversation: tuple[ConversationStats, ...]

    @property
    def without_adversarial(self) -> int:
        """How many questions are not adversarial."""
        return self.questions - self.by_category[Category.ADVERSARIAL]


def stats(dataset: Dataset) -> Stats:
    """Count a data set.

    Example:
        >>> from locomo_dataset import Category, load_mini
        >>> counts = stats(load_mini())
        >>> counts.sessions, counts.turns, counts.questions
        (10, 121, 55)
        >>> counts.without_adversarial, counts.by_category[Category.MULTI_HOP]
        (47, 10)
    """
    parts = tuple(_count(conversation) for conversation in dataset.conversations)
    return Stats(
        conversations=len(parts),
        sessions=sum(part.sessions for part in parts),
        turns=sum(part.turns for part in parts),
        image_turns=sum(part.image_turns for part in parts),
        questions=sum(part.questions for part in parts),
        by_category=_by_category(dataset.all_questions()),
        with_evidence=sum(bool(q.evidence) for q in dataset.questions()),
        per_conversation=parts,
    )


def _count(conversation: Conversation) -> ConversationStats:
    turns = [turn for session in conversation.sessions for turn in session.turns]
    dates = [session.date for session in conversation.sessions]
    return ConversationStats(
        sample_id=conversation.sample_id,
        speakers=(conversation.speaker_a, conversation.speaker_b),
        first_date=min(dates),
        last_date=max(dates),
        sessions=len(conversation.sessions),
        turns=len(turns),
        image_turns=sum(turn.has_image for turn in turns),
        questions=len(conversation.qa),
        by_category=_by_category(conversation.qa),
    )


def _by_category(questions: Iterable[Question]) -> Mapping[Category, int]:
    counts = Counter(question.category for question in questions)
    return {category: counts[category] for category in Category}
