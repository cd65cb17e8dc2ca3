"""Everything odd in a data set, as a list."""

from collections.abc import Iterator

from . import _pinned
from ._check_dialogue import check_dialogue
from ._check_questions import check_questions
from ._errors import shown
from ._issue import Issue, IssueCode, Place
from ._model import Dataset
from ._stats import stats


def validate(dataset: Dataset) -> tuple[Issue, ...]:
    """List what is odd in a data set; a data set that loads never raises here.

    When the checksum is that of the pinned `locomo10.json`, the number of
    conversations, sessions, turns and questions by category are checked too.

    Example:
        >>> from locomo_dataset import load_mini
        >>> issues = [i for i in validate(load_mini()) if i.code == "evidence-repaired"]
        >>> for issue in issues:
        ...     print(issue.path, issue.subject, issue.message)
        $[0].qa[16].evidence[0] mini-1:16 'D3:11; D5:1' is read as D3:11, D5:1
    """
    return tuple(_issues(dataset))


def _issues(dataset: Dataset) -> Iterator[Issue]:
    root = Place("$", shown(dataset.name))
    if dataset.sha256 == _pinned.SHA256:
        yield from _counts(dataset, root)
    for path in dataset.unread:
        yield Place(path, root.subject).issue(
            IssueCode.KEY_UNKNOWN, "a key that is not part of the format"
        )
    for index, conversation in enumerate(dataset.conversations):
        sample = root.item(index).about(conversation.sample_id)
        yield from check_dialogue(conversation, sample)
        yield from check_questions(conversation, sample)


def _counts(dataset: Dataset, root: Place) -> Iterator[Issue]:
    counts = stats(dataset)
    rows = [
        ("conversations", counts.conversations, _pinned.CONVERSATIONS),
        ("sessions", counts.sessions, _pinned.SESSIONS),
        ("turns", counts.turns, _pinned.TURNS),
        *(
            (f"{category.label} questions", counts.by_category[category], expected)
            for category, expected in _pinned.QUESTIONS.items()
        ),
    ]
    for what, found, expected in rows:
        if found != expected:
            yield root.issue(
                IssueCode.COUNTS_DIFFER,
                f"expected {expected:,} {what}, found {found:,}",
            )
