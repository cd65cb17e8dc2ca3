from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locomo_run.answerers.extractive import ExtractiveAnswerer
from locomo_run.memory import Hit

ANSWERER = ExtractiveAnswerer()


def turn(text: str, number: int = 1, date: str = "9:15 am on 15 May, 2023") -> Hit:
    return Hit(id=f"D1:{number}", text=text, date=date, turns=(f"D1:{number}",))


def answer(question: str, *texts: str) -> str:
    hits = [turn(text, number) for number, text in enumerate(texts, 1)]
    return ANSWERER.answer(question, hits)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Where did Ana move?", []),
        ("Where did Ana move?", ["Ben: It rains."]),
        ("Where did Ana move?", ["Ana: It rains."]),  # her name alone is no match
        ("What is it?", ["Ana: It is what it is."]),  # no content word
        ("Where did Ana move?", ["Ana: Did I move to Lisbon?"]),  # she only asks
    ],
)
def test_nothing_shared_with_the_question_is_unanswerable(
    question: str, texts: list[str]
) -> None:
    assert answer(question, *texts) == "unanswerable"


@pytest.mark.parametrize(
    ("question", "texts", "expected"),
    [
        (  # the question takes Ana for Ben
            "Where did Ana move?",
            ["Ben: I moved to Lisbon.", "Ana: I stay."],
            "unanswerable",
        ),
        ("Where did Ben move?", ["Ben: I moved to Lisbon.", "Ana: Hm."], "Lisbon"),
        (  # equal sentences: hers is the better one
            "Where did Ana move?",
            ["Ben: I moved to Oslo.", "Ana: I moved to Lisbon."],
            "Lisbon",
        ),
        (  # a question that names both takes either
            "Did Ana or Ben move to Oslo?",
            ["Ben: I moved to Oslo.", "Ana: I stay."],
            "Yes",
        ),
        (  # a question that names nobody takes anybody
            "Who repaired the tram?",
            ["Ana: The tram was repaired by Carla."],
            "Carla",
        ),
        (  # a name that speaks nowhere is a word like any other
            "What did Carla paint?",
            ["Ana: Then Carla painted a zebra."],
            "zebra",
        ),
        (  # where her name is all there is, it is what is looked for
            "Who is Ana?",
            ["Ben: Rain again.", "Ana: They call me Ana, the painter."],
            "painter",
        ),
    ],
)
def test_the_best_sentence_must_be_of_the_one_speaker_whom_the_question_names(
    question: str, texts: list[str], expected: str
) -> None:
    assert answer(question, *texts) == expected


def test_a_rare_word_tells_more_than_a_frequent_one() -> None:
    assert (
        answer(
            "Which tram carried the zebra?",
            "Ana: The tram was red.",
            "Ana: The tram was blue.",
            "Ana: The zebra was late.",
        )
        == "late"
    )


def test_the_hit_around_a_sentence_counts() -> None:
    assert (
        answer(
            "What did the zebra eat?",
            "Ana: We eat bread.",
            "Ana: The zebra came. We eat apples.",
            "Ana: A zebra.",
            "Ana: Some zebra.",
            "Ana: No zebra.",
        )
        == "apples"
    )


def test_equal_sentences_give_the_earlier_hit() -> None:
    texts = ["Ana: I painted cats.", "Ana: I painted dogs."]

    assert answer("What did Ana paint?", *texts) == "cats"


def test_the_order_of_hits_matters_for_ties_only() -> None:
    texts = ["Ana: I painted a red tram.", "Ana: I sold the tram."]

    assert answer("When did Ana paint the tram?", *texts) == answer(
        "When did Ana paint the tram?", *reversed(texts)
    )


def test_a_caption_is_read_as_a_sentence_of_its_own() -> None:
    text = "Ana: Look at this! [shares an image: a zebra in a tram]"

    assert answer("What animal is in the tram?", text) == "zebra"


def test_an_observation_may_speak_of_anybody() -> None:
    hits = [
        turn("Ana: It rains."),
        Hit(id="7", text="Career: Ana moved to Lisbon.", turns=None),
        Hit(id="8", text="Ben: Ana stays.", turns=("D1:3", "D1:4")),
    ]

    assert ANSWERER.answer("Where did Ana move?", hits) == "Lisbon"


def test_a_turn_without_a_speaker_is_read() -> None:
    assert answer("Where did Ana move?", "She moved to Lisbon.", "Ana: Hi.") == "Lisbon"


@pytest.mark.parametrize(
    ("date", "expected"),
    [("9:15 am on 15 May, 2023", "14 May 2023"), ("", "yesterday")],
)
def test_a_date_needs_the_day_of_the_session(date: str, expected: str) -> None:
    hits = [turn("Ana: I moved yesterday.", date=date)]

    assert ANSWERER.answer("When did Ana move?", hits) == expected


def test_the_fingerprint_is_the_name_and_the_version() -> None:
    assert ANSWERER.describe() == {"name": "extractive", "version": 1}


@given(
    question=st.text(),
    texts=st.lists(st.text() | st.just("Ana: I painted it. What?"), max_size=4),
)
def test_any_question_and_any_hits_have_an_answer(
    question: str, texts: list[str]
) -> None:
    assert answer(question, *texts)


def test_100_kb_of_question_have_an_answer() -> None:
    assert answer("tram? " * 17_000, "Ana: The tram was red.") == "red"
