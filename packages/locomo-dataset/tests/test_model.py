import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from locomo_dataset import Category, Dataset, DatasetError, TurnRef, load_mini

DATASET = load_mini()


def test_adversarial_questions_are_left_out_by_default() -> None:
    conversation = DATASET.conversation("mini-1")

    default = conversation.questions()

    assert {q.category for q in default} == set(Category) - {Category.ADVERSARIAL}
    assert len(default) + 4 == len(conversation.all_questions()) == 27
    assert conversation.questions(exclude=frozenset()) == conversation.all_questions()


def test_any_category_can_be_left_out() -> None:
    kept = DATASET.questions(exclude=frozenset(Category) - {Category.TEMPORAL})

    assert {q.category for q in kept} == {Category.TEMPORAL}
    assert len(kept) == 15


def test_a_question_is_found_by_its_id() -> None:
    question = DATASET.question("mini-2:3")

    assert question == DATASET.conversation("mini-2").qa[3]
    assert (question.sample_id, question.index) == ("mini-2", 3)


def test_a_turn_is_found_by_the_reference_that_evidence_holds() -> None:
    conversation = DATASET.conversation("mini-1")

    turn = conversation.turn(*TurnRef(2, 4))

    assert (turn.id, turn.ref) == ("D2:4", TurnRef(2, 4))
    assert conversation.session(2).turns[3] is turn


@pytest.mark.parametrize(
    ("look_up", "message"),
    [
        (
            lambda d: d.conversation("mini-3"),
            "no conversation 'mini-3'; there are: mini-1, mini-2",
        ),
        (
            lambda d: d.question("mini-1:99"),
            "no question 'mini-1:99'; an id is <conversation>:<index from 0>",
        ),
        (
            lambda d: d.question("mini-1:07"),
            "no question 'mini-1:07'; an id is <conversation>:<index from 0>",
        ),
        (
            lambda d: d.question("mini-1"),
            "no question 'mini-1'; an id is <conversation>:<index from 0>",
        ),
        (
            lambda d: d.question("12\n"),
            r"no conversation '12\n'; there are: mini-1, mini-2",
        ),
        (lambda d: d.conversations[0].session(6), "mini-1 has no session 6"),
        (lambda d: d.conversations[0].turn(1, 40), "mini-1 has no turn D1:40"),
    ],
)
def test_what_is_not_there_is_named_in_one_line(
    look_up: Callable[[Dataset], object], message: str
) -> None:
    with pytest.raises(DatasetError) as caught:
        look_up(DATASET)

    assert str(caught.value) == message


def test_an_image_is_a_caption_or_an_address() -> None:
    turn = DATASET.conversations[0].turn(1, 1)

    assert not turn.has_image
    assert dataclasses.replace(turn, caption="a kettle").has_image
    assert dataclasses.replace(turn, image_urls=("https://example.org/",)).has_image


@pytest.mark.parametrize(
    "value",
    [
        DATASET,
        DATASET.conversations[0],
        DATASET.conversations[0].sessions[0],
        DATASET.conversations[0].sessions[0].turns[0],
        DATASET.conversations[0].qa[0],
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_are_frozen_and_hashable(value: Any) -> None:
    field = dataclasses.fields(value)[0].name

    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, field, None)

    assert hash(value) == hash(dataclasses.replace(value))
