from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locomo_run.answerers.pieces import read_piece, sentences, stems
from locomo_run.memory.terms import content_terms

SAID = date(2023, 5, 15)


def read(question: str, *best: str, said: date | None = SAID) -> str:
    terms = frozenset(stems(" ".join(content_terms(question))))
    return read_piece(question, terms, best, said)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("...", []),
        ("One. Two! Three? four", ["One.", "Two!", "Three?", "four"]),
        ("At 3.30 pm", ["At 3.30 pm"]),
        ("Title\nA fact", ["Title", "A fact"]),
        ("Look! [shares an image: a red tram]", ["Look!", "a red tram"]),
        ("One [aside] two", ["One", "aside", "two"]),
    ],
)
def test_a_text_is_cut_at_the_ends_of_its_sentences(
    text: str, expected: list[str]
) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("question", "best", "expected"),
    [
        ("When did they move?", ["We moved two days ago."], "13 May 2023"),
        ("When did they move?", ["We moved.", "That was last year."], "2022"),
        ("When did they move?", ["We moved."], "15 May 2023"),
        ("When did they move?", ["We moved on Friday."], "12 May 2023"),
        ("When will they move?", ["We move on Friday."], "19 May 2023"),
        ("When do they move?", ["We move on Friday."], "15 May 2023"),
        ("On what date did they move?", ["We moved yesterday"], "14 May 2023"),
        ("In which month did they move?", ["We moved yesterday"], "May 2023"),
        ("In which month did they move?", ["We moved"], "May 2023"),
        ("What year did they move?", ["We moved yesterday"], "2023"),
        (  # a week may lie in two months
            "Which month did they move?",
            ["We moved last week"],
            "the week before 15 May 2023",
        ),
    ],
)
def test_a_question_for_a_date_gets_a_date(
    question: str, best: list[str], expected: str
) -> None:
    assert read(question, *best) == expected


@pytest.mark.parametrize(
    ("question", "best", "expected"),
    [
        ("How many trams ran?", ["In 2020 we ran 12 red trams."], "12"),
        ("How many trams ran?", ["We ran three"], "three"),
        ("How many trams ran?", ["That one ran", "Maybe 1,200"], "1,200"),
        ("How many trams ran?", ["One tram ran"], "One"),
        ("How many times did it run?", ["It ran twice."], "twice"),
        ("How many trams ran?", ["They all ran slowly"], "slowly"),
        ("How much did they pay?", ["I paid 40 euros for it"], "40 euros"),
        ("How much did they pay?", ["I pay $2.50 and run"], "$2.50"),
        ("How much did they pay?", ["I pay nothing"], "nothing"),
        ("How old is the tram?", ["The tram turned 34."], "34"),
        ("How long did it run?", ["It ran for three weeks."], "three weeks"),
        ("How long did it run?", ["It ran for a couple of years"], "a couple of years"),
        ("How long did it run?", ["It runs forever"], "forever"),
    ],
)
def test_a_question_for_a_number_gets_a_number(
    question: str, best: list[str], expected: str
) -> None:
    assert read(question, *best) == expected


@pytest.mark.parametrize(
    ("question", "best", "expected"),
    [
        ("Who repaired it?", ["Then I saw Carla Diaz repair it"], "Carla Diaz"),
        ("Who helped Carla?", ["Then Carla was helped by Dan"], "Dan"),
        ("Whose tram is it?", ["The tram is my sister's"], "sister's"),
        ("Where is the tram?", ["The tram is at the Old Depot."], "the Old Depot"),
        ("Where in Lisbon is it?", ["In Lisbon I look from Alfama"], "Alfama"),
        ("Where is the tram?", ["The tram is behind the shed"], "behind the shed"),
        ("Why do they walk?", ["I walk because of the rain."], "the rain"),
        ("Why do they walk?", ["I walk.", "Since it rains!"], "it rains"),
        ("Why do they walk?", ["I walk to think"], "think"),
    ],
)
def test_a_question_for_a_name_a_place_or_a_reason_gets_one(
    question: str, best: list[str], expected: str
) -> None:
    assert read(question, *best) == expected


@pytest.mark.parametrize(
    ("question", "best", "expected"),
    [
        ("Do they like trams?", ["We like those trams."], "Yes"),
        ("Do they like trams?", ["We don't like trams."], "No"),
        ("Do they like trams?", ["We never liked a tram."], "No"),
        ("Do they like red trams?", ["Oh, we like trams."], "we like trams"),
    ],
)
def test_yes_and_no_need_every_term_of_the_question(
    question: str, best: list[str], expected: str
) -> None:
    assert read(question, *best) == expected


@pytest.mark.parametrize(
    ("question", "best", "expected"),
    [
        ("What did they paint?", ["Yeah, I painted a harbour, at last."], "harbour"),
        ("What is their favourite book?", ["My favourite book is Dune"], "Dune"),
        ("Which group did they join?", ["A choir is the group"], "choir"),
        ("Which book?", ["That, my friend, was the book!"], "friend"),
        ("What did they paint?", ["I painted!"], "I painted"),
        ("What did they paint?", ["Well, it rained."], "it rained"),
        ("Name the painted thing", ["I painted a tram"], "tram"),
    ],
)
def test_any_other_question_gets_what_the_sentence_adds(
    question: str, best: list[str], expected: str
) -> None:
    assert read(question, *best) == expected


def test_without_a_day_of_the_session_a_date_is_what_the_sentence_adds() -> None:
    assert read("When did they move?", "We moved on a Sunday.", said=None) == "Sunday"


@given(question=st.text(), best=st.text(min_size=1))
def test_a_piece_is_never_empty(question: str, best: str) -> None:
    for sentence in sentences(best):
        assert read(question, sentence)
