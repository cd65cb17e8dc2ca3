import math

import pytest
from eval_report import Record, aggregate_f1_by_category, clustered_mean, run_noise


def record(value: float | None, runs: tuple[float | None, ...] = ()) -> Record:
    return Record(item="q", category=1, cluster="c", metric="j", value=value, runs=runs)


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_is_refused(score: float) -> None:
    with pytest.raises(
        ValueError, match=r"q: .* is not a score; a missing score is None"
    ):
        record(score)
    with pytest.raises(ValueError, match="is not a score"):
        record(1.0, runs=(score,))


@pytest.mark.parametrize(
    ("value", "runs"),
    [(0.5, (1, 1)), (None, (1, 0)), (0.0, (None, None))],
)
def test_a_value_that_contradicts_its_runs_is_refused(
    value: float | None, runs: tuple[float | None, ...]
) -> None:
    with pytest.raises(ValueError, match="is not the mean of its good runs"):
        record(value, runs)


@pytest.mark.parametrize(
    ("runs", "value"),
    [((70, 74), 72), ((1, None, 0), 0.5), ((None,), None), ((), None)],
)
def test_the_value_is_the_mean_of_the_good_runs(
    runs: tuple[float | None, ...], value: float | None
) -> None:
    made = Record.from_runs(item="q", category=1, cluster="c", metric="j", runs=runs)

    assert made == record(value, runs)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ((70.0, 74.0), 8**0.5),
        ((70.0, None, 74.0), 8**0.5),
        ((1.0, 1.0, 1.0), 0.0),
        ((70.0,), None),
        ((None, 70.0), None),
        ((), None),
    ],
)
def test_the_deviation_of_the_runs_is_that_of_the_good_ones(
    runs: tuple[float | None, ...], expected: float | None
) -> None:
    good = [score for score in runs if score is not None]
    value = sum(good) / len(good) if good else None

    assert record(value, runs).std_dev == pytest.approx(expected)


def test_good_runs_leave_out_what_failed() -> None:
    assert record(0.5, (1, None, 0)).good_runs == (1, 0)


def test_an_item_cannot_be_counted_twice() -> None:
    with pytest.raises(ValueError, match="q occurs twice"):
        aggregate_f1_by_category([record(1), record(0)])


def test_two_metrics_are_never_averaged_together() -> None:
    other = Record(item="r", category=1, cluster="c", metric="f1", value=1)

    for average in (aggregate_f1_by_category, clustered_mean, run_noise):
        with pytest.raises(
            ValueError, match="several metrics cannot be averaged: f1, j"
        ):
            average([record(1), other])
