from collections.abc import Sequence
from dataclasses import replace

import pytest
from eval_report import (
    F1Scores,
    JudgeScores,
    Record,
    aggregate_f1_by_category,
    aggregate_judge_by_category,
    clustered_mean,
    compute_overall_f1,
    compute_overall_judge,
    load_baselines,
    paired_difference,
)
from eval_report.page import (
    category_chart,
    conversation_chart,
    difference_chart,
    verdict_chart,
)


def record(item: int, category: int, cluster: str, value: float | None) -> Record:
    return Record(
        item=str(item), category=category, cluster=cluster, metric="f1", value=value
    )


RECORDS = [
    record(0, 1, "a", 1.0),
    record(1, 1, "b", 0.5),
    record(2, 2, "a", 0.25),
    record(3, 2, "b", None),
]


def f1_scores(profile: str) -> F1Scores:
    return F1Scores(
        name="ours",
        signature="s",
        by_category=aggregate_f1_by_category(RECORDS),
        overall=compute_overall_f1(RECORDS),
        covered=(1, 2),
        expected=4,
        profile=profile,
    )


def judged(runs: Sequence[tuple[float | None, ...]]) -> list[Record]:
    return [
        Record.from_runs(
            item=str(i), category=1, cluster="ab"[i % 2], metric="j", runs=each
        )
        for i, each in enumerate(runs)
    ]


def judge_scores(records: list[Record], kind: str) -> JudgeScores:
    return JudgeScores(
        name="ours",
        signature="s",
        by_category=aggregate_judge_by_category(records),
        overall=compute_overall_judge(records),
        covered=(1,),
        expected=len(records),
        full_mark=100,
        protocol=kind,
        kind=kind,  # type: ignore[arg-type] # the parameters of a test are strings
        judge="model",
    )


def test_f1_stands_beside_published_rows_of_its_own_profile() -> None:
    chart = category_chart(f1_scores("mem0"), RECORDS)

    assert list(chart.groups) == ["multi-hop (1)", "temporal (2)", "overall"]
    ours, *theirs = chart.groups["multi-hop (1)"]
    assert (ours.name, ours.value, ours.count, ours.ours) == ("ours", 75.0, 2, True)
    published = [row for row in load_baselines().f1 if row.profile == "mem0"]
    assert [(p.name, p.value) for p in theirs] == [
        (row.system, float(row.categories[1])) for row in published
    ]
    assert not any(point.ours for point in theirs)


def test_the_overall_is_over_the_scored_questions_with_the_clustered_interval() -> None:
    ours = category_chart(f1_scores("mem0"), RECORDS).groups["overall"][0]

    interval = clustered_mean(RECORDS).interval
    assert interval is not None
    assert ours.interval is not None
    assert ours.value == pytest.approx(100 * 1.75 / 3)
    assert ours.interval.low == pytest.approx(interval.low * 100)
    assert ours.count == 3


def test_a_run_of_less_than_the_whole_says_so_in_its_title() -> None:
    part = replace(f1_scores("mem0"), expected=1540)

    assert category_chart(f1_scores("mem0"), RECORDS).title == (
        "Token F1 by category, profile mem0"
    )
    assert category_chart(part, RECORDS).title == (
        "Token F1 by category, profile mem0 (subset, n = 4 of 1,540)"
    )


def test_a_profile_without_published_rows_stands_alone() -> None:
    chart = category_chart(f1_scores("standard"), RECORDS)

    assert "ublished" not in chart.caption

    assert {len(points) for points in chart.groups.values()} == {1}


def test_a_category_without_published_rows_shows_ours_alone() -> None:
    chart = category_chart(f1_scores("locomo"), RECORDS)

    assert [len(points) for points in chart.groups.values()] == [1, 1, 5]


@pytest.mark.parametrize(
    ("kind", "warned"), [("binary", False), ("graded", True), ("strict", True)]
)
def test_a_j_of_another_kind_says_so_beside_published_ones(
    kind: str, warned: bool
) -> None:
    records = judged([(100, 0), (100, 100)])

    chart = category_chart(judge_scores(records, kind), records)

    assert ("another metric" in chart.caption) is warned
    assert "generous judge" in chart.caption
    assert chart.groups["multi-hop (1)"][0].value == 75.0
    assert len(chart.groups["overall"]) > 5


def test_conversations_keep_their_order_and_leave_the_unscored_out() -> None:
    chart = conversation_chart(RECORDS, title="T")

    (points,) = chart.groups.values()
    assert [(p.name, p.value, p.count) for p in points] == [
        ("a", 62.5, 2),
        ("b", 50.0, 1),
    ]
    assert points[0].interval is not None
    assert points[1].interval is None


def test_differences_have_a_scale_around_zero_that_holds_them() -> None:
    worse = [
        record(int(r.item), r.category, r.cluster, r.value and r.value / 2)
        for r in RECORDS
    ]

    chart = difference_chart(
        {
            "overall": paired_difference(RECORDS, worse),
            "none": paired_difference(RECORDS[3:], worse[3:]),
        },
        title="T",
    )

    (points,) = chart.groups.values()
    assert points[0].value == pytest.approx(100 * (0.5 + 0.25 + 0.125) / 3)
    assert points[0].interval is not None
    assert chart.low == -chart.high
    assert chart.high >= points[0].interval.high
    assert points[1].value is None


def test_grades_are_counted_by_their_standard_deviation() -> None:
    # two runs d apart have a standard deviation of d / sqrt(2)
    gaps = [0, 1, 2, 4, 10, 20]
    runs = [(50.0, 50.0 + gap) for gap in gaps]

    chart = verdict_chart(judged([*runs, (50.0, None)]), protocol="graded", graded=True)

    assert chart.groups["graded"] == {
        "0: all runs agree": 1,
        "over 0 to 1": 1,
        "over 1 to 2": 1,
        "over 2 to 5": 1,
        "over 5 to 10": 1,
        "over 10": 1,
        "fewer than two runs": 1,
    }


def test_verdicts_are_counted_by_the_share_that_was_correct() -> None:
    runs = [(0, 0, 0), (1, 0, 0), (1, 0), (1, 1, 0), (1, 1, 1), (None, 1)]

    chart = verdict_chart(judged(runs), protocol="b", graded=False, full_mark=1)

    assert chart.groups["b"] == {
        "none": 1,
        "under half": 1,
        "half": 1,
        "over half": 1,
        "all": 1,
        "fewer than two runs": 1,
    }
    assert "correct" in chart.caption
