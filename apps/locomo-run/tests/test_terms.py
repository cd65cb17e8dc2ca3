from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locomo_run.memory.terms import STOP_WORDS, content_terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("Who is it?", ()),
        ("What did Ana paint in 2022?", ("ana", "paint", "2022")),
        ("Ana's tram, ana's TRAM", ("ana", "tram")),
        ("They won't, can't, didn't", ("won",)),
        ('NEAR("tram", 2) OR text:tram*', ("near", "tram", "2", "text")),
        ("\x00tram\x00🚋\ud800 café", ("tram", "café")),
    ],
)
def test_content_terms_are_the_distinct_words_that_are_no_stop_words(
    text: str, expected: tuple[str, ...]
) -> None:
    assert content_terms(text) == expected


def test_the_stop_list_holds_whole_words_as_the_cut_makes_them() -> None:
    assert [word for word in STOP_WORDS if words(word) != [word]] == []


@given(st.text())
def test_a_word_holds_letters_and_digits_only(text: str) -> None:
    assert all(word.isalnum() for word in words(text))
