"""Page: what one HTML file shows, of one run or of two."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import zip_longest

from eval_report._report import Section
from eval_report.page._chart import Chart
from eval_report.page._question import Metric, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Hold one run: what it was, its figures, and every question.

    Raises:
        ValueError: A metric or a question occurs twice, or a question has a score
            under a metric that the page does not name.
    """

    title: str
    name: str
    """Short name of the run, for headings and columns."""

    metrics: tuple[Metric, ...]
    """The scores of a question; the first one is shown first."""

    questions: tuple[Question, ...]
    categories: Mapping[int, str] = field(default_factory=dict)
    """Category number to its name."""

    conditions: tuple[tuple[str, str], ...] = ()
    """Pairs of name and value that say how the run was made; a name may recur."""

    remarks: tuple[str, ...] = ()
    """What the reader must know first: incomplete, a subset, a floor."""

    charts: tuple[Chart, ...] = ()
    sections: tuple[Section, ...] = ()

    def __post_init__(self) -> None:
        _once(self.title, "metric", [metric.name for metric in self.metrics])
        _once(self.title, "question", [question.id for question in self.questions])
        names = {metric.name for metric in self.metrics}
        for question in self.questions:
            if unknown := sorted(question.scores.keys() - names):
                msg = (
                    f"{question.id}: scores under {', '.join(unknown)}, which is not "
                    "among the page's metrics"
                )
                raise ValueError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Hold two runs side by side; differences are a minus b.

    The charts and sections are the comparison's own; those of the two pages are not
    shown.

    Raises:
        ValueError: The runs disagree about what a question, a category or a metric
            is.
    """

    title: str
    a: Page
    b: Page
    remarks: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = ()
    sections: tuple[Section, ...] = ()

    def __post_init__(self) -> None:
        theirs = {question.id: question for question in self.b.questions}
        for ours in self.a.questions:
            other = theirs.get(ours.id)
            if other is not None and _asked(ours) != _asked(other):
                msg = (
                    f"{ours.id}: the runs disagree about its text, gold, category or "
                    "conversation; compare runs over one data set"
                )
                raise ValueError(msg)
        marks = {metric.name: metric.full_mark for metric in self.b.metrics}
        for metric in self.a.metrics:
            if marks.get(metric.name, metric.full_mark) != metric.full_mark:
                msg = f"the runs disagree about the full mark of {metric.name}"
                raise ValueError(msg)
        for number, label in self.a.categories.items():
            if self.b.categories.get(number, label) != label:
                msg = f"the runs disagree about the name of category {number}"
                raise ValueError(msg)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics of both runs, those of the first one first."""
        return tuple(dict.fromkeys((*self.a.metrics, *self.b.metrics)))

    @property
    def conditions(self) -> tuple[tuple[str, str | None, str | None], ...]:
        """Triples of name and the two values, None where a run does not name one.

        A name that recurs has a row for each of its values, those of a run in the
        order of that run, and a value that both runs have is in one row.
        """
        names = dict.fromkeys(
            name for name, _ in (*self.a.conditions, *self.b.conditions)
        )
        return tuple(
            (name, *values)
            for name in names
            for values in _beside(
                _values(self.a.conditions, name), _values(self.b.conditions, name)
            )
        )


def _values(conditions: Sequence[tuple[str, str]], wanted: str) -> list[str]:
    return [value for name, value in conditions if name == wanted]


def _beside(
    ours: Sequence[str], theirs: Sequence[str]
) -> Iterator[tuple[str | None, str | None]]:
    """Put the values of two runs in rows, equal ones in one row."""
    matched = SequenceMatcher(None, ours, theirs, autojunk=False)
    for _, start, end, their_start, their_end in matched.get_opcodes():
        yield from zip_longest(ours[start:end], theirs[their_start:their_end])


def _asked(question: Question) -> tuple[str, str | None, int, str]:
    return question.text, question.gold, question.category, question.conversation


def _once(title: str, what: str, names: list[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        msg = f"page {title!r}: {what} {twice[0]} occurs twice"
        raise ValueError(msg)
