from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest
from qa_f1 import Profile, Score, exact_match, profiles, score_many, token_f1
from qa_f1.profiles import (
    LOCOMO,
    LOCOMO_FIRST,
    LOCOMO_LIST,
    MEM0,
    SQUAD,
    SQUAD2,
    STANDARD,
)


@pytest.mark.parametrize(
    ("prediction", "gold", "f1"),
    [
        ("the cat sat", "the cat sat", 1.0),
        ("the big cat sat", "the cat sat", 0.8),
        ("dog", "cat", 0.0),
        ("The Cat!", "the cat", 1.0),
        ("a big dog", "big dog", 1.0),
        ("running quickly", "runs quick", 0.5),
        ("", "x", 0.0),
        ("x", "", 0.0),
        ("", "", 1.0),
        ("the the the", "the", 1.0),
        ("cat cat cat", "cat", 0.5),
    ],
)
def test_the_standard_profile_scores_the_textbook_cases(
    prediction: str, gold: str, f1: float
) -> None:
    assert token_f1(prediction, gold).f1 == f1


def test_a_score_carries_its_parts() -> None:
    assert token_f1("the big cat sat", "the cat sat", STANDARD) == Score(
        precision=2 / 3, recall=1.0, f1=0.8, overlap=2, n_prediction=3, n_gold=2
    )


def test_counting_as_a_set_counts_each_token_once() -> None:
    assert token_f1("no, no, no dog", "no", MEM0) == Score(
        precision=0.5, recall=1.0, f1=2 / 3, overlap=1, n_prediction=2, n_gold=1
    )


@pytest.mark.parametrize(
    ("profile", "neither", "only_gold", "only_prediction"),
    [
        (STANDARD, 1.0, 0.0, 0.0),
        (SQUAD2, 1.0, 0.0, 0.0),
        (SQUAD, 0.0, 0.0, 0.0),
        (LOCOMO, 0.0, 0.0, 0.0),
        (LOCOMO_LIST, 0.0, 0.0, 0.0),
        (LOCOMO_FIRST, 0.0, 0.0, 0.0),
        (MEM0, 0.0, 0.0, 0.0),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_empty_texts_score_as_the_profile_says(
    profile: Profile, neither: float, only_gold: float, only_prediction: float
) -> None:
    nothing = "?!"
    scores = [
        token_f1(prediction, gold, profile)
        for prediction, gold in [(nothing, "."), (nothing, "dog"), ("dog", nothing)]
    ]
    expected = [neither, only_gold, only_prediction]

    assert [score.f1 for score in scores] == expected
    assert [score.precision for score in scores] == expected
    assert [score.recall for score in scores] == expected


@pytest.mark.parametrize(
    ("prediction", "gold", "standard", "locomo", "mem0", "squad"),
    [
        # punctuation is deleted, not replaced by a space
        ("well known", "well-known", 0.0, 0.0, 0.0, 0.0),
        ("email", "e-mail", 1.0, 1.0, 0.0, 1.0),
        ("2000", "2,000", 1.0, 1.0, 0.0, 1.0),
        ("25", "2.5", 1.0, 1.0, 0.0, 1.0),
        ("3", "-3", 1.0, 1.0, 0.0, 1.0),
        # an article at a hyphen goes only where articles go first
        ("team", "a-team", 1.0, 0.0, 0.0, 0.0),
        # and is a token but for LoCoMo
        ("oak elm", "oak and elm", 0.8, 1.0, 0.8, 0.8),
        # beyond ASCII, only the standard profile deletes
        ("\u201coak\u201d", "oak", 1.0, 0.0, 0.0, 0.0),
        ("oak \U0001f600", "oak", 1.0, 2 / 3, 2 / 3, 2 / 3),
        ("Anns", "Ann's", 1.0, 1.0, 0.0, 1.0),
        ("Anns", "Ann\u2019s", 1.0, 0.0, 0.0, 0.0),
        # stems
        ("news", "new", 1.0, 0.0, 0.0, 0.0),
        ("fly", "flies", 0.0, 1.0, 0.0, 0.0),
        ("days", "day", 1.0, 1.0, 0.0, 0.0),
    ],
)
def test_profiles_differ_where_their_sources_do(
    prediction: str,
    gold: str,
    standard: float,
    locomo: float,
    mem0: float,
    squad: float,
) -> None:
    scores = [
        token_f1(prediction, gold, profile).f1
        for profile in (STANDARD, LOCOMO, MEM0, SQUAD)
    ]

    assert scores == pytest.approx([standard, locomo, mem0, squad])


@pytest.mark.parametrize(
    ("prediction", "gold", "f1"),
    [
        ("elm, oak", "oak, elm", 1.0),
        ("oak, elm, fir, yew", "oak", 1.0),
        ("oak", "oak, elm", 0.5),
        ("oak, elm", "oak,,elm", 2 / 3),
        ("oak elm", "oak; elm", 1.0),
        ("oak, elm", "oak; elm", 2 / 3),
        ("a tall oak, an elm", "oak, elm", (2 / 3 + 1) / 2),
        ("2 000", "2,000", 2 / 3),
        ("a tall old oak tree, oak", "oak", 1.0),
        (",", "oak", 0.0),
    ],
)
def test_a_list_takes_the_best_part_for_each_part_of_the_gold(
    prediction: str, gold: str, f1: float
) -> None:
    assert token_f1(prediction, gold, LOCOMO_LIST).f1 == pytest.approx(f1)


def test_counts_of_a_list_are_sums_over_the_pairs() -> None:
    score = token_f1("tall oak, oak tree house", "oak, elm", LOCOMO_LIST)

    # "oak" is paired with "tall oak" (2/3), "elm" with the first of equals, again it
    assert score == Score(
        precision=0.25, recall=0.5, f1=1 / 3, overlap=1, n_prediction=4, n_gold=2
    )


def test_only_the_gold_is_cut_at_a_semicolon() -> None:
    assert token_f1("likely", "likely; oaks grow", LOCOMO_FIRST).f1 == 1.0
    assert token_f1("likely; oaks grow", "likely; oaks grow", LOCOMO_FIRST).f1 == 0.5


def test_a_variant_of_a_profile_scores_by_its_own_rules() -> None:
    french = replace(SQUAD, name="french", articles=frozenset({"le", "la"}))

    assert token_f1("le chat", "chat", french).f1 == 1.0
    assert token_f1("the chat", "chat", french).f1 == pytest.approx(2 / 3)


@pytest.mark.parametrize("score", [token_f1, exact_match])
@pytest.mark.parametrize(
    ("prediction", "gold", "message"),
    [
        ("2022", 2022, r"gold must be a str, got int: convert it first"),
        (None, "2022", r"prediction must be a str, got NoneType"),
        (b"x", 3, r"prediction must be a str, got bytes"),
    ],
)
def test_what_is_not_text_is_refused_by_name(
    score: object, prediction: object, gold: object, message: str
) -> None:
    assert callable(score)
    with pytest.raises(TypeError, match=message):
        score(prediction, gold)


def test_many_pairs_are_scored_as_they_come() -> None:
    def endless() -> Iterator[tuple[str, str]]:
        while True:
            yield "a cat", "cat"
            yield "cat", "dog"

    scores = score_many(endless(), profiles.LOCOMO)

    assert [score.f1 for score in islice(scores, 3)] == [1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("prediction", "gold", "profile", "equal"),
    [
        ("The Cat!", "cat", SQUAD, True),
        ("cats", "cat", STANDARD, False),
        ("cat sat", "sat cat", SQUAD, False),
        ("", "the", SQUAD, True),
        ("oak and elm", "oak, elm", LOCOMO, True),
        ("oak and elm", "oak, elm", STANDARD, False),
        ("oak", "oak; elm", LOCOMO_FIRST, False),
    ],
)
def test_exact_match_compares_normalised_texts(
    prediction: str, gold: str, profile: Profile, equal: bool
) -> None:
    assert exact_match(prediction, gold, profile) is equal
