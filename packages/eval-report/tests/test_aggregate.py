import math
import random
from dataclasses import asdict

import pytest
from eval_report import (
    Record,
    Summary,
    aggregate_f1_by_category,
    aggregate_judge_by_category,
    compute_overall_f1,
    compute_overall_judge,
)
from hypothesis import given
from hypothesis import strategies as st

SINGLE_HOP, MULTI_HOP = 4, 1

scores = st.lists(
    st.tuples(st.integers(1, 5), st.none() | st.floats(0, 100)), max_size=30
)


def f1_records(rows: list[tuple[int, float | None]]) -> list[Record]:
    return [
        Record(item=f"q{i}", category=category, cluster="c", metric="f1", value=value)
        for i, (category, value) in enumerate(rows)
    ]


def test_the_overall_is_the_mean_over_questions_not_over_categories() -> None:
    records = f1_records(
        [
            (SINGLE_HOP, 0.8),
            (SINGLE_HOP, 0.6),
            (SINGLE_HOP, 1.0),
            (MULTI_HOP, 0.5),
            (MULTI_HOP, 0.7),
        ]
    )

    by_category = aggregate_f1_by_category(records)
    overall = compute_overall_f1(records)

    assert by_category[SINGLE_HOP].mean == pytest.approx(0.8)
    assert by_category[MULTI_HOP].mean == pytest.approx(0.6)
    assert overall.mean == pytest.approx(0.72)
    assert (overall.count, overall.minimum, overall.maximum) == (5, 0.5, 1.0)


def test_what_has_no_score_is_left_out_counted_and_shown_as_zero_beside() -> None:
    records = f1_records([(1, 0.75), (1, None), (1, 0.25), (1, None)])

    assert compute_overall_f1(records) == Summary(
        count=2,
        missing=2,
        mean=0.5,
        std_dev=0.125**0.5,
        minimum=0.25,
        maximum=0.75,
        pessimistic_mean=0.25,
    )


def test_a_category_without_a_score_has_no_mean() -> None:
    assert aggregate_f1_by_category(f1_records([(2, None)])) == {
        2: Summary(
            count=0,
            missing=1,
            mean=None,
            std_dev=None,
            minimum=None,
            maximum=None,
            pessimistic_mean=0.0,
        )
    }


def test_no_record_gives_no_number_at_all() -> None:
    assert aggregate_f1_by_category([]) == {}
    assert compute_overall_f1([]) == Summary(
        count=0,
        missing=0,
        mean=None,
        std_dev=None,
        minimum=None,
        maximum=None,
        pessimistic_mean=None,
    )


def test_categories_come_in_the_order_of_their_numbers() -> None:
    assert list(aggregate_f1_by_category(f1_records([(4, 1), (1, 1), (2, 1)]))) == [
        1,
        2,
        4,
    ]


def test_judge_aggregates_leave_out_runs_without_a_score_and_say_so(
    holed: list[Record],
) -> None:
    overall = compute_overall_judge(holed)

    assert asdict(overall) == pytest.approx(
        {
            "count": 3,
            "missing": 1,
            "mean": 7 / 9,
            "std_dev": math.sqrt(1 / 27),
            "minimum": 2 / 3,
            "maximum": 1,
            "pessimistic_mean": 7 / 12,
            "pooled_std_dev": math.sqrt(4 / 15),
            "run_std_dev": math.sqrt(1 / 12),
            "runs": 3,
            "unscored_runs": 4,
        }
    )
    assert overall.mean_j == overall.mean


def test_judge_categories_count_their_own_missing_questions(
    holed: list[Record],
) -> None:
    by_category = aggregate_judge_by_category(holed)

    assert {c: (s.count, s.missing) for c, s in by_category.items()} == {
        1: (2, 0),
        2: (1, 1),
    }
    assert by_category[1].mean_j == pytest.approx(5 / 6)
    assert by_category[2].pessimistic_mean == pytest.approx(1 / 3)


def test_one_run_has_no_spread() -> None:
    single = Record.from_runs(item="q", category=1, cluster="c", metric="j", runs=(1,))

    summary = compute_overall_judge([single])

    assert (summary.pooled_std_dev, summary.run_std_dev) == (None, None)


@given(scores, st.randoms(use_true_random=False))
def test_the_order_of_the_records_does_not_matter(
    rows: list[tuple[int, float | None]], shuffler: random.Random
) -> None:
    records = f1_records(rows)
    shuffled = records.copy()
    shuffler.shuffle(shuffled)

    assert aggregate_f1_by_category(records) == aggregate_f1_by_category(shuffled)
    assert compute_overall_f1(records) == compute_overall_f1(shuffled)


@given(scores)
def test_a_mean_lies_between_the_extremes(rows: list[tuple[int, float | None]]) -> None:
    summary = compute_overall_f1(f1_records(rows))

    assert summary.count + summary.missing == len(rows)
    if summary.mean is not None:
        assert summary.minimum is not None
        assert summary.maximum is not None
        assert summary.pessimistic_mean is not None
        assert summary.minimum <= summary.mean <= summary.maximum
        assert summary.pessimistic_mean <= summary.mean * (1 + 1e-12)
