import math
from collections.abc import Callable

import pytest
from eval_report.page import Comparison, Hit, Metric, Page, Question, Verdict

MakeQuestion = Callable[..., Question]


def page(*questions: Question, **changes: object) -> Page:
    values: dict[str, object] = {
        "title": "T",
        "name": "ours",
        "metrics": (Metric(name="F1"),),
        "questions": questions,
    }
    return Page(**{**values, **changes})  # type: ignore[arg-type] # one dict of all kinds


@pytest.mark.parametrize(("full_mark", "decimals"), [(1, 3), (100, 1)])
def test_a_score_up_to_one_is_printed_with_three_decimals(
    full_mark: float, decimals: int
) -> None:
    assert Metric(name="m", full_mark=full_mark).decimals == decimals


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_number_that_cannot_be_shown_is_refused(
    number: float, question: MakeQuestion
) -> None:
    for make in (
        lambda: Hit(id="h", text="", score=number),
        lambda: Verdict(status="ok", score=number),
        lambda: question(scores={"F1": number}),
        lambda: question(search_ms=number),
    ):
        with pytest.raises(ValueError, match="a missing one is None"):
            make()


def test_a_question_stands_once_on_a_page(question: MakeQuestion) -> None:
    with pytest.raises(ValueError, match="question conv-1:0 occurs twice"):
        page(question(), question())


def test_a_metric_stands_once_on_a_page() -> None:
    with pytest.raises(ValueError, match="metric F1 occurs twice"):
        page(metrics=(Metric(name="F1"), Metric(name="F1", full_mark=100)))


def test_a_score_that_the_page_would_not_show_is_an_error(
    question: MakeQuestion,
) -> None:
    with pytest.raises(ValueError, match="conv-1:0: scores under J, which is not"):
        page(question(scores={"F1": 1.0, "J": None}))


@pytest.mark.parametrize(
    "change",
    [{"text": "other"}, {"gold": None}, {"category": 2}, {"conversation": "conv-2"}],
    ids=str,
)
def test_two_runs_over_different_questions_are_not_compared(
    change: dict[str, object], question: MakeQuestion
) -> None:
    with pytest.raises(ValueError, match="conv-1:0: the runs disagree about its text"):
        Comparison(title="T", a=page(question()), b=page(question(**change)))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"metrics": (Metric(name="F1", full_mark=100),)}, "full mark of F1"),
        ({"categories": {1: "temporal"}}, "name of category 1"),
    ],
)
def test_two_runs_with_different_scales_or_names_are_not_compared(
    change: dict[str, object], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        Comparison(title="T", a=page(categories={1: "multi-hop"}), b=page(**change))


def test_a_comparison_joins_metrics_and_conditions_in_order(
    question: MakeQuestion,
) -> None:
    f1, j = Metric(name="F1"), Metric(name="J", full_mark=100)

    both = Comparison(
        title="T",
        a=page(
            question(),
            question(id="a alone"),
            metrics=(f1,),
            categories={1: "x"},
            conditions=(("memory", "x"), ("limit", "10")),
        ),
        b=page(
            question(prediction="other"),
            metrics=(j, f1),
            categories={1: "x"},
            conditions=(("memory", "y"), ("judge", "z")),
        ),
    )

    assert both.metrics == (f1, j)
    assert both.conditions == (
        ("memory", "x", "y"),
        ("limit", "10", None),
        ("judge", None, "z"),
    )


@pytest.mark.parametrize(
    ("a", "b", "rows"),
    [
        (("x", "y"), ("x", "y"), [("x", "x"), ("y", "y")]),
        (("x", "y"), ("z",), [("x", "z"), ("y", None)]),
        (("x",), ("y", "z"), [("x", "y"), (None, "z")]),
        (("x", "y"), ("y", "z"), [("x", None), ("y", "y"), (None, "z")]),
        ((), ("x", "y"), [(None, "x"), (None, "y")]),
        (("x", "x"), ("x",), [("x", "x"), ("x", None)]),
    ],
    ids=str,
)
def test_every_condition_of_one_name_is_compared(
    a: tuple[str, ...],
    b: tuple[str, ...],
    rows: list[tuple[str | None, str | None]],
) -> None:
    def judged(values: tuple[str, ...]) -> Page:
        return page(conditions=(("memory", "m"), *(("judge", v) for v in values)))

    both = Comparison(title="T", a=judged(a), b=judged(b))

    assert both.conditions == (
        ("memory", "m", "m"),
        *(("judge", *row) for row in rows),
    )
