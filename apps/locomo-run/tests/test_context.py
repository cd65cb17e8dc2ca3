from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locomo_run.context import fit, size
from locomo_run.memory import Hit


def hits(*sizes: int) -> tuple[Hit, ...]:
    return tuple(Hit(id=str(i), text="x" * n) for i, n in enumerate(sizes))


@pytest.mark.parametrize(
    ("sizes", "budget", "kept"),
    [
        ((5, 5, 5), 15, 3),
        ((5, 5, 5), 14, 2),
        ((5, 5, 5), 4, 0),
        ((5, 50, 5), 20, 1),
        ((50, 5), 20, 0),
        ((0, 0), 0, 2),
        ((), 10, 0),
        ((5, 50, 5), None, 3),
    ],
)
def test_the_best_hits_that_fit_are_kept(
    sizes: Sequence[int], budget: int | None, kept: int
) -> None:
    assert fit(hits(*sizes), budget) == hits(*sizes)[:kept]


def test_a_date_takes_its_place_in_the_budget() -> None:
    dated = Hit(id="a", text="12345", date="123")

    assert size(dated) == 8
    assert fit([dated], 8) == (dated,)
    assert fit([dated], 7) == ()


@given(st.lists(st.integers(0, 40), max_size=12), st.integers(0, 200))
def test_what_is_kept_fits_and_the_next_would_not(
    sizes: list[int], budget: int
) -> None:
    kept = fit(hits(*sizes), budget)

    assert sum(map(size, kept)) <= budget
    assert kept == hits(*sizes)[: len(kept)]
    if len(kept) < len(sizes):
        assert sum(sizes[: len(kept) + 1]) > budget
