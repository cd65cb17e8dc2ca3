from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locomo_dataset import Category, Conversation, Question, load_mini
from locomo_run.scoring import (
    ABSTAIN,
    F1_PROFILES,
    LOCOMO_RULES,
    is_abstention,
    profile_of,
    score,
    signature,
)

ANSWERABLE = [c for c in Category if c is not Category.ADVERSARIAL]


def question(category: Category, gold: str | None) -> Question:
    return Question(
        id="a:0", sample_id="a", index=0, text="?", category=category, gold=gold
    )


@pytest.mark.parametrize(
    ("category", "gold", "prediction", "locomo"),
    [
        # the list rule: each gold item against the best item of the prediction
        (Category.MULTI_HOP, "tea, milk", "milk", 1 / 2),
        (Category.MULTI_HOP, "tea, milk", "milk, tea", 1.0),
        (Category.MULTI_HOP, "tea, milk", "milk tea", 2 / 3),
        # the plain rule: one bag of words
        (Category.TEMPORAL, "tea, milk", "milk", 2 / 3),
        (Category.SINGLE_HOP, "tea, milk", "milk", 2 / 3),
        # the first alternative alone counts
        (Category.OPEN_DOMAIN, "tea; black milk", "tea", 1.0),
        (Category.OPEN_DOMAIN, "tea; black milk", "black milk", 0.0),
        (Category.SINGLE_HOP, "tea; black milk", "tea", 1 / 2),
    ],
)
def test_each_category_has_the_rule_of_the_official_scorer(
    category: Category, gold: str, prediction: str, locomo: float
) -> None:
    found = score(prediction, question(category, gold))

    assert found.f1["locomo"] == pytest.approx(locomo, abs=1e-12)


@pytest.mark.parametrize("category", ANSWERABLE)
def test_the_other_profiles_know_no_categories(category: Category) -> None:
    found = score("milk", question(category, "tea, beer; milk"))

    # one word of one against one of three
    others = {found.f1[name] for name in F1_PROFILES if name != "locomo"}
    assert others == {0.5}


def test_the_profiles_differ_in_stems_articles_and_empties() -> None:
    stems = score("running", question(Category.TEMPORAL, "runs")).f1
    articles = score("tea and milk", question(Category.TEMPORAL, "tea milk")).f1
    empty = score("the", question(Category.TEMPORAL, "a")).f1

    assert stems == {
        "locomo": 1.0,
        "mem0": 0.0,
        "standard": 1.0,
        "squad": 0.0,
        "squad2": 0.0,
    }
    assert (articles["locomo"], articles["standard"]) == (1.0, 0.8)
    assert (empty["locomo"], empty["standard"], empty["squad2"]) == (0.0, 1.0, 1.0)


@pytest.mark.parametrize("gold", [None, "a gold all the same"])
def test_an_adversarial_question_has_no_f1_whatever_its_gold(gold: str | None) -> None:
    found = score("unanswerable", question(Category.ADVERSARIAL, gold))

    assert found.f1 == dict.fromkeys(F1_PROFILES)
    assert (found.abstained, found.locomo_abstain) == (True, 1.0)


def test_to_fall_into_the_trap_scores_nothing(tiny: Conversation) -> None:
    trap = tiny.qa[3]
    assert trap.adversarial_answer is not None

    assert score(trap.adversarial_answer, trap).locomo_abstain == 0.0


def test_a_question_without_a_gold_has_no_f1() -> None:
    assert score("x", question(Category.TEMPORAL, None)).f1 == dict.fromkeys(
        F1_PROFILES
    )


def test_an_abstention_on_an_answerable_question_is_scored_as_an_answer() -> None:
    found = score("unanswerable", question(Category.TEMPORAL, "May 2024"))

    assert found.abstained
    assert set(found.f1.values()) == {0.0}


@pytest.mark.parametrize(
    ("prediction", "declined"),
    [
        ("unanswerable", True),
        (" Unanswerable. \n", True),
        ("UNANSWERABLE...", True),
        ("No information available", True),
        ("That is not mentioned anywhere.", True),
        ("The question is unanswerable", False),
        ("unanswerable!", False),
        ("I do not know", False),
        ("", False),
    ],
)
def test_what_counts_as_an_abstention(prediction: str, *, declined: bool) -> None:
    assert is_abstention(prediction) is declined


@given(prediction=st.text(max_size=40), index=st.integers(0, 54))
def test_every_f1_is_a_share_or_not_there(prediction: str, index: int) -> None:
    asked = load_mini().all_questions()[index]

    found = score(prediction, asked)

    assert found.f1.keys() == set(F1_PROFILES)
    if asked.category is Category.ADVERSARIAL:
        assert set(found.f1.values()) == {None}
    else:
        assert all(f1 is not None and 0 <= f1 <= 1 for f1 in found.f1.values())


@pytest.mark.parametrize("name", [n for n in F1_PROFILES if n != "locomo"])
def test_the_gold_itself_scores_1_where_nothing_is_split(name: str) -> None:
    for asked in load_mini().questions():
        assert asked.gold is not None
        assert score(asked.gold, asked).f1[name] == pytest.approx(1.0)


def test_a_signature_names_all_that_changes_a_number() -> None:
    found = {name: signature(name) for name in (*F1_PROFILES, ABSTAIN)}

    assert len(set(found.values())) == len(found)
    for name in F1_PROFILES:
        for part in ("stem:", "articles:", "count:", "empty:", "qa-f1:"):
            assert part in found[name], name
    assert found["locomo"].endswith(
        "|categories:1=locomo-list,2=locomo,3=locomo-first,4=locomo"
    )
    assert found[ABSTAIN] == "rule:locomo_abstain|also:unanswerable"


def test_the_rules_cover_every_category_that_has_an_f1() -> None:
    assert list(LOCOMO_RULES) == ANSWERABLE
    assert profile_of("mem0", Category.MULTI_HOP) is profile_of(
        "mem0", Category.TEMPORAL
    )


def test_a_category_changes_the_score_and_nothing_else_of_a_question_does() -> None:
    asked = question(Category.TEMPORAL, "tea, milk")
    other = replace(asked, id="b:7", sample_id="b", index=7, text="What?")

    assert score("milk", asked) == score("milk", other)
