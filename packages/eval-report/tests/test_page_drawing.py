import math
from itertools import pairwise

import pytest
from eval_report import Interval
from eval_report.page import (
    Chart,
    CountChart,
    DistributionChart,
    IntervalChart,
    Point,
)
from eval_report.page._drawing import WIDTH, Drawing, drawings
from hypothesis import given
from hypothesis import strategies as st

numbers = st.floats(-1e6, 1e6)


def attributes(drawing: Drawing, kind: str) -> list[dict[str, str]]:
    return [m.attributes for m in drawing.marks if m.attributes.get("class") == kind]


def texts(drawing: Drawing, kind: str) -> list[str]:
    return [m.text for m in drawing.marks if m.attributes.get("class") == kind]


def points(*values: Point, low: float = 0, high: float = 100) -> Drawing:
    chart = IntervalChart(
        title="T", caption="", unit="0-100", groups={"g": values}, low=low, high=high
    )
    (drawing,) = drawings(chart)
    return drawing


def test_a_point_stands_where_its_value_is_on_the_scale() -> None:
    drawing = points(
        Point(name="zero", value=0),
        Point(name="half", value=50, interval=Interval(25, 75)),
        Point(name="full", value=100),
    )

    ticks = {m.text: m.attributes["x"] for m in drawing.marks if m.tag == "text"}
    assert [dot["cx"] for dot in attributes(drawing, "dot ours")] == [
        ticks["0"],
        ticks["50"],
        ticks["100"],
    ]
    (whisker,) = attributes(drawing, "interval ours")
    quarter = (float(ticks["0"]) + float(ticks["50"])) / 2
    assert float(whisker["x1"]) == pytest.approx(quarter)


def test_what_has_no_value_has_a_name_and_no_dot() -> None:
    drawing = points(Point(name="nothing", value=None))

    assert attributes(drawing, "dot ours") == []
    assert texts(drawing, "name ours") == ["nothing"]
    assert texts(drawing, "value ours") == ["n/a"]
    assert drawing.description == "0-100: nothing n/a."


def test_published_points_look_different_from_ours() -> None:
    drawing = points(Point(name="ours", value=1), Point(name="x", value=2, ours=False))

    assert len(attributes(drawing, "dot ours")) == 1
    assert len(attributes(drawing, "dot theirs")) == 1


def test_a_long_name_is_cut_in_the_drawing_and_whole_in_the_description() -> None:
    name = "a system with a very long name"

    drawing = points(Point(name=name, value=1))

    assert texts(drawing, "name ours") == ["a system with a very …"]
    assert name in drawing.description


def test_the_longest_bar_is_the_largest_count_of_all_panels() -> None:
    chart = CountChart(
        title="T", caption="", unit="questions", groups={"a": {"x": 5}, "b": {"x": 10}}
    )

    widths = [float(attributes(d, "bar")[0]["width"]) for d in drawings(chart)]

    assert widths[0] * 2 == widths[1]


def test_counts_of_nothing_but_zeros_have_bars_without_width() -> None:
    (drawing,) = drawings(
        CountChart(title="T", caption="", unit="questions", groups={"a": {"x": 0}})
    )

    assert [bar["width"] for bar in attributes(drawing, "bar")] == ["0.0"]
    assert drawing.description == "questions: x 0."


def test_times_share_a_scale_of_whole_decades() -> None:
    chart = DistributionChart(
        title="T", caption="", series={"search": [2.0, 30.0], "answer": [4000.0]}
    )

    search, answer = drawings(chart)

    ticks = ["1 ms", "10 ms", "100 ms", "1 s", "10 s"]
    assert texts(search, "tick") == texts(answer, "tick") == ticks
    assert len(attributes(search, "bar")) == 2
    assert (
        search.description == "n = 2, median 16 ms, 95th percentile 28.6 ms."
    )  # 2 + 0.95 * 28
    assert texts(answer, "value ours") == ["p95 4 s", "p50 4 s"]


def test_percentile_labels_stay_inside_the_panel() -> None:
    chart = DistributionChart(
        title="T", caption="", series={"slow": [999.0], "fast": [0.0, 1.0]}
    )

    for drawing in drawings(chart):
        for mark in drawing.marks:
            if mark.text.startswith("p"):
                end = mark.attributes["text-anchor"] == "end"
                room = float(mark.attributes["x"])
                assert (room if end else WIDTH - room) > 70


@pytest.mark.parametrize("times", [[None], [0.0], [10.0], [1.0, 10.0, 100.0]])
def test_odd_times_draw_something(times: list[float | None]) -> None:
    (drawing,) = drawings(DistributionChart(title="T", caption="", series={"s": times}))

    measured = [time for time in times if time is not None]
    assert len(attributes(drawing, "bar")) == len(set(measured))
    assert ("nothing measured" in drawing.description) == (not measured)


@given(numbers, numbers, st.lists(numbers, min_size=1, max_size=5))
def test_nothing_is_drawn_outside_the_panel(
    one: float, other: float, values: list[float]
) -> None:
    low, high = sorted((one, other))
    if high - low < 1e-3:
        high = low + 1
    chart: Chart = IntervalChart(
        title="T",
        caption="",
        unit="",
        groups={
            "g": [
                Point(name="a", value=value, interval=Interval(value - 1, value + 1))
                for value in values
            ]
        },
        low=low,
        high=high,
    )

    for drawing in drawings(chart):
        for mark in drawing.marks:
            across = [v for k, v in mark.attributes.items() if k in {"x", "x1", "cx"}]
            down = [v for k, v in mark.attributes.items() if k in {"y", "y2", "cy"}]
            assert all(0 <= float(x) <= WIDTH for x in across)
            assert all(0 <= float(y) <= drawing.height for y in down)


@given(st.floats(1e-3, 1e6), st.floats(-1e6, 1e6))
def test_a_scale_has_a_few_even_ticks(length: float, low: float) -> None:
    drawing = points(Point(name="a", value=low), low=low, high=low + length)

    places = [
        float(m.attributes["x1"])
        for m in drawing.marks
        if m.attributes["class"] in {"grid", "zero"}
    ]

    assert 1 <= len(places) <= 5
    steps = [b - a for a, b in pairwise(places)]
    assert all(math.isclose(step, steps[0], abs_tol=0.21) for step in steps)
