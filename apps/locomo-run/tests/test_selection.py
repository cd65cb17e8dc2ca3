from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locomo_dataset import Category, load_mini
from locomo_run.errors import UsageError
from locomo_run.selection import Selection, parse_category, union

MINI = load_mini()
IDS = [question.id for question in MINI.all_questions()]


def ids(selection: Selection) -> list[str]:
    return [question.id for question in selection.resolve(MINI)]


def test_the_empty_selection_is_every_question_in_order() -> None:
    assert ids(Selection()) == IDS


def test_adversarial_questions_can_be_left_out() -> None:
    asked = Selection(adversarial=False).resolve(MINI)

    assert asked == MINI.questions()


def test_conversation_category_and_question_narrow_each_other() -> None:
    narrowed = Selection(
        conversations=("mini-1",), categories=(2, 4), questions=("mini-1:0", "mini-2:0")
    ).resolve(MINI)

    assert {q.sample_id for q in narrowed} <= {"mini-1"}
    assert {int(q.category) for q in narrowed} <= {2, 4}


def test_a_limit_takes_the_first_questions() -> None:
    assert ids(Selection(limit=3)) == IDS[:3]


def test_per_category_draws_as_many_of_each() -> None:
    drawn = Selection(per_category=2).resolve(MINI)

    assert Counter(q.category for q in drawn) == dict.fromkeys(Category, 2)


@given(seed=st.integers(0, 1000), few=st.integers(1, 5), more=st.integers(0, 5))
def test_a_larger_draw_contains_the_smaller_one(seed: int, few: int, more: int) -> None:
    small = set(ids(Selection(per_category=few, seed=seed)))
    large = ids(Selection(per_category=few + more, seed=seed))

    assert small <= set(large)
    assert large == sorted(large, key=IDS.index)


def test_another_seed_draws_others() -> None:
    drawn = {tuple(ids(Selection(per_category=2, seed=seed))) for seed in range(5)}

    assert len(drawn) > 1


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (Selection(conversations=("conv-1",)), "no conversation 'conv-1'.*mini-1"),
        (Selection(questions=("mini-1:999",)), "no question 'mini-1:999'.*mini-1:0"),
        (Selection(categories=(5,), adversarial=False), "no question is left"),
    ],
)
def test_a_selection_that_cannot_be_says_why(
    selection: Selection, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        selection.resolve(MINI)


def test_a_union_has_each_question_once_in_order() -> None:
    joined = union(
        [Selection(conversations=("mini-2",)), Selection(limit=2), Selection(limit=1)],
        MINI,
    )

    assert [q.id for q in joined] == IDS[:2] + [
        i for i in IDS if i.startswith("mini-2")
    ]


def test_a_selection_survives_being_stored() -> None:
    selection = Selection(conversations=("mini-1",), categories=(1,), per_category=3)

    assert Selection.from_spec(selection.spec()) == selection


@pytest.mark.parametrize("category", list(Category))
def test_a_category_has_a_number_and_a_name(category: Category) -> None:
    assert parse_category(str(int(category))) is category
    assert parse_category(f" {category.label.upper()} ") is category


def test_an_unknown_category_lists_those_there_are() -> None:
    with pytest.raises(UsageError, match="'multihop'; there are 1 multi-hop, 2 temp"):
        parse_category("multihop")
