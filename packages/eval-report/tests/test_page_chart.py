import math

import pytest
from eval_report import Interval
from eval_report.page import CountChart, DistributionChart, IntervalChart, Point


def test_the_numbers_of_an_interval_chart_are_its_points() -> None:
    chart = IntervalChart(
        title="T",
        caption="",
        unit="0-100",
        groups={
            "all": [
                Point(name="a", value=61.25, interval=Interval(59, 63.04), count=1532),
                Point(name="b", value=None, ours=False),
            ]
        },
    )

    assert chart.numbers().columns == ("Group", "Name", "0-100", "95 % interval", "n")
    assert chart.numbers().rows == (
        ("all", "a", "61.2", "59.0 to 63.0", "1,532"),
        ("all", "b", "n/a", "–", "–"),
    )


def test_differences_are_printed_with_their_sign() -> None:
    points = [Point(name="up", value=2.5), Point(name="down", value=-2.5)]

    chart = IntervalChart(
        title="T", caption="", unit="points", groups={"g": points}, low=-5, high=5
    )

    assert [row[2] for row in chart.numbers().rows] == ["+2.5", "-2.5"]


def test_the_numbers_of_a_distribution_are_its_percentiles() -> None:
    chart = DistributionChart(
        title="T", caption="", series={"search": [10, 20, None, 30], "answer": [None]}
    )

    assert chart.numbers().rows == (
        ("search", "3", "10.0", "20.0", "29.0", "30.0"),
        ("answer", "0", "n/a", "n/a", "n/a", "n/a"),
    )


def test_the_numbers_of_a_count_chart_are_its_counts() -> None:
    chart = CountChart(
        title="T", caption="", unit="questions", groups={"binary": {"all": 1200}}
    )

    assert chart.numbers().rows == (("binary", "all", "1,200"),)


def test_a_chart_without_anything_to_show_is_an_error() -> None:
    for make in (
        lambda: IntervalChart(title="T", caption="", unit="", groups={}),
        lambda: DistributionChart(title="T", caption="", series={"search": []}),
        lambda: CountChart(title="T", caption="", unit="", groups={"g": {}}),
    ):
        with pytest.raises(ValueError, match="'T' has nothing to show: leave it out"):
            make()


def test_a_scale_needs_a_length() -> None:
    groups = {"g": [Point(name="a", value=1)]}

    with pytest.raises(ValueError, match=r"the scale 1 to 1 is empty"):
        IntervalChart(title="T", caption="", unit="", groups=groups, low=1, high=1)


def test_a_count_is_not_negative() -> None:
    with pytest.raises(ValueError, match="a count is negative"):
        CountChart(title="T", caption="", unit="", groups={"g": {"a": -1}})


@pytest.mark.parametrize("time", [-1.0, math.nan])
def test_a_time_is_a_time(time: float) -> None:
    with pytest.raises(ValueError, match="is not a time"):
        DistributionChart(title="T", caption="", series={"search": [time]})
