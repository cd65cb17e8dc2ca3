import re
import string
import sys
import unicodedata
from collections.abc import Callable

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from qa_f1 import Profile, normalize_answer, porter_stem, profiles, tokenize
from qa_f1._normalize import _is_regex_word
from qa_f1.profiles import LOCOMO, MEM0, SQUAD, STANDARD

# The sources' pipelines as they describe them, one whole-text step after the other.
# Theirs work on the text, ours on its pieces.


def _delete_ascii_punctuation(text: str) -> str:
    return "".join(char for char in text if char not in string.punctuation)


def _standard_words(text: str) -> list[str]:
    text = re.sub(r"\b(?:a|an|the)\b", " ", text.lower())
    return "".join(char for char in text if char.isalnum() or char.isspace()).split()


def _squad_words(text: str) -> list[str]:
    text = _delete_ascii_punctuation(text.lower())
    return re.sub(r"\b(?:a|an|the)\b", " ", text).split()


def _locomo_words(text: str) -> list[str]:
    text = _delete_ascii_punctuation(text.replace(",", "").lower())
    spaced: str = regex.sub(r"\b(?:a|an|the|and)\b", " ", text)
    return spaced.split()


def _mem0_words(text: str) -> list[str]:
    return re.sub(r"[.,!?]", " ", text.lower()).split()


RECIPES: list[tuple[Profile, Callable[[str], list[str]]]] = [
    (STANDARD, _standard_words),
    (SQUAD, _squad_words),
    (LOCOMO, _locomo_words),
    (MEM0, _mem0_words),
]

# Unassigned characters are words for `regex` or not as its release says.
CHARACTERS = st.characters(exclude_categories=("Cn", "Cs"))
TRAPS = st.sampled_from(
    [
        *("a", "an", "the", "and", "A", "THE", "t.he", "a,n", "Σ", "ΑΣ,Β", "İ", "é"),
        *("-", "_", "'", "’", ".", ",", "!", "²", "ⓐ", "‿", "\u0301", "\u200d"),
        *(" ", "  ", "\n", "\x1f", "\u00a0", "\u200b", "\u3000"),
        *("cats", "running", "s", "news"),
    ]
)
TEXTS = st.lists(TRAPS | CHARACTERS, max_size=12).map("".join)


@pytest.mark.parametrize(
    ("profile", "recipe"), RECIPES, ids=lambda value: getattr(value, "name", "recipe")
)
@settings(max_examples=500, deadline=None)
@given(text=TEXTS)
def test_words_equal_the_described_recipe_on_any_text(
    profile: Profile, recipe: Callable[[str], list[str]], text: str
) -> None:
    assert normalize_answer(text, profile) == " ".join(recipe(text))


@pytest.mark.parametrize(
    ("profile", "recipe"), RECIPES, ids=lambda value: getattr(value, "name", "recipe")
)
@given(text=TEXTS)
def test_tokens_are_the_stems_of_the_words(
    profile: Profile, recipe: Callable[[str], list[str]], text: str
) -> None:
    words = recipe(text)
    if profile.stemmer != "none":
        words = [porter_stem(word, profile.stemmer) for word in words]

    assert tokenize(text, profile) == words


def test_every_assigned_character_is_a_word_just_where_regex_says_so() -> None:
    assigned = "".join(
        char
        for char in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(char) != "Cn"
    )

    assert "".join(filter(_is_regex_word, assigned)) == "".join(
        regex.findall(r"\w", assigned)
    )


@pytest.mark.parametrize("name", [n for n in profiles.names() if n != "standard"])
@given(text=TEXTS)
def test_normalising_again_changes_nothing(name: str, text: str) -> None:
    profile = profiles.get(name)
    once = normalize_answer(text, profile)

    assert normalize_answer(once, profile) == once


@given(text=TEXTS)
def test_the_standard_profile_settles_with_the_second_pass(text: str) -> None:
    once = normalize_answer(text)
    twice = normalize_answer(once)

    assert twice == " ".join(w for w in once.split() if w not in STANDARD.articles)
    assert normalize_answer(twice) == twice


def test_deleting_punctuation_may_leave_an_article_behind() -> None:
    assert normalize_answer("t.he cat") == "the cat"
    assert normalize_answer("the cat") == "cat"


@pytest.mark.parametrize(
    ("text", "profile", "normalised"),
    [
        ("", STANDARD, ""),
        ("  The   CAT\tsat. ", STANDARD, "cat sat"),
        ("snake_case", STANDARD, "snakecase"),
        ("10²", STANDARD, "10²"),
        ("\U0001f600", STANDARD, ""),
        ("«oak»", LOCOMO, "«oak»"),
        ("one\u200btwo", LOCOMO, "one\u200btwo"),
        # a decomposed à is an article and an accent for `re`, one word for `regex`
        ("a\u0300 la", SQUAD, "\u0300 la"),
        ("a\u0300 la", LOCOMO, "a\u0300 la"),
        ("the—cat", LOCOMO, "—cat"),
        # a comma after a sigma ends its word, unless it goes before lower-casing
        ("ΑΣ,Β", SQUAD, "αςβ"),
        ("ΑΣ,Β", LOCOMO, "ασβ"),
        ("Yes! 'No', v2.0?", MEM0, "yes 'no' v2 0"),
    ],
)
def test_texts_normalise_as_the_source_says(
    text: str, profile: Profile, normalised: str
) -> None:
    assert normalize_answer(text, profile) == normalised


def test_a_lone_s_stays_a_token_when_its_stem_is_empty() -> None:
    assert tokenize("oak s") == ["oak", ""]
