import math

import pytest
from eval_report import LatencySummary, latency_stats


@pytest.mark.parametrize(
    ("values", "p50", "p95"),
    [
        ([7], 7, 7),
        ([1, 2], 1.5, 1.95),
        ([4, 1, 3, 2], 2.5, 3.85),  # position 0.95 * 3 = 2.85 between 3 and 4
        (list(range(101)), 50, 95),
    ],
)
def test_percentiles_interpolate_between_the_nearest_values(
    values: list[float], p50: float, p95: float
) -> None:
    stats = latency_stats(values)

    assert stats.p50 == pytest.approx(p50)
    assert stats.p95 == pytest.approx(p95)


def test_a_time_that_was_not_measured_is_counted_and_left_out() -> None:
    assert latency_stats([10, None, 30]) == LatencySummary(
        count=2, missing=1, p50=20, p95=29, mean=20
    )


def test_no_time_has_no_percentile() -> None:
    assert latency_stats([None]) == LatencySummary(
        count=0, missing=1, p50=None, p95=None, mean=None
    )


@pytest.mark.parametrize("value", [-1, math.nan, math.inf])
def test_what_is_no_time_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="is not a time"):
        latency_stats([1, value])
