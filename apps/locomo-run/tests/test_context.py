from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locomo_run.context import block, fit
from locomo_run.memory import Hit

# an item is its number in brackets, a new line and the text: 4 characters more than
# the text; items stand 2 characters apart


def hits(*sizes: int) -> tuple[Hit, ...]:
    return tuple(Hit(id=str(i), text="x" * n) for i, n in enumerate(sizes))


@pytest.mark.parametrize(
    ("sizes", "budget", "kept"),
    [
        ((5, 5, 5), 31, 3),
        ((5, 5, 5), 30, 2),
        ((5, 5, 5), 9, 1),
        ((5, 5, 5), 8, 0),
        ((5, 50, 5), 40, 1),
        ((50, 5), 20, 0),
        ((0, 0), 10, 2),
        ((), 10, 0),
        ((5, 50, 5), None, 3),
    ],
)
def test_the_best_hits_that_fit_are_kept(
    sizes: Sequence[int], budget: int | None, kept: int
) -> None:
    assert fit(hits(*sizes), budget) == hits(*sizes)[:kept]


def test_numbers_of_two_digits_and_dates_take_their_place_in_the_budget() -> None:
    dated = Hit(id="a", text="12345", date="123")
    ten = hits(*[1] * 10)

    assert block([dated]) == "[1 — 123]\n12345"
    assert fit([dated], 15) == (dated,)
    assert fit([dated], 14) == ()
    assert fit(ten, 9 * 5 + 6 + 9 * 2) == ten
    assert fit(ten, 9 * 5 + 6 + 9 * 2 - 1) == ten[:9]


@given(
    st.lists(st.tuples(st.text(max_size=30), st.text(max_size=9)), max_size=12),
    st.integers(0, 300),
)
def test_the_block_never_exceeds_the_budget_and_one_hit_more_would(
    found: list[tuple[str, str]], budget: int
) -> None:
    every = tuple(Hit(id="a", text=text, date=date) for text, date in found)

    kept = fit(every, budget)

    assert len(block(kept)) <= budget
    assert kept == every[: len(kept)]
    if len(kept) < len(every):
        assert len(block(every[: len(kept) + 1])) > budget
