import math

import pytest
from eval_report import critical_correlation


@pytest.mark.parametrize(
    ("count", "level", "expected"),
    [
        # printed tables of the critical values of Pearson's r, two-sided
        (3, 0.95, 0.997),
        (4, 0.95, 0.950),
        (10, 0.95, 0.632),
        (30, 0.95, 0.361),
        (10, 0.99, 0.765),
    ],
)
def test_the_critical_correlation_is_that_of_printed_tables(
    count: int, level: float, expected: float
) -> None:
    found = critical_correlation(count, level=level)

    assert found == pytest.approx(expected, abs=0.0005)


def test_three_pairs_by_hand() -> None:
    # with one degree of freedom t is tan(0.475 pi), and so r is sin(0.475 pi)
    assert critical_correlation(3) == pytest.approx(math.sin(0.475 * math.pi))


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_than_three_pairs_have_no_critical_correlation(count: int) -> None:
    assert critical_correlation(count) is None
