import pytest
from hypothesis import given
from hypothesis import strategies as st
from locomo_run.money.tokens import at_most, estimated


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("1234567", 2), ("12345678", 3)]
)
def test_three_and_a_half_characters_are_a_token(text: str, tokens: int) -> None:
    assert estimated(text) == tokens


def test_the_ceiling_counts_bytes_so_that_other_scripts_are_not_undercounted() -> None:
    assert at_most("a" * 100) == 66
    assert at_most("記" * 100) == 166


@given(st.text())
def test_the_ceiling_is_never_below_the_estimate(text: str) -> None:
    assert at_most(text) >= estimated(text)


def test_a_lone_surrogate_has_a_ceiling_too() -> None:
    assert at_most("\ud800") == 18
