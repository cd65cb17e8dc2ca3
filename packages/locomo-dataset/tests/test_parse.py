"""One row per way in which a file can have the wrong shape."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from locomo_dataset import Category, DatasetError, TurnRef, load

Write = Callable[[Any], Path]
MISSING = object()


def change(root: Any, place: list[str | int], value: object) -> None:
    """Set or delete one place of a decoded file."""
    *way, last = place
    for step in way:
        root = root[step]
    if value is MISSING:
        del root[last]
    else:
        root[last] = value


TURN: list[str | int] = [1, "conversation", "session_2", 4]
QUESTION: list[str | int] = [0, "qa", 3]

# where to put which value, and the path, expectation and find of the complaint
WRONG: list[tuple[list[str | int], object, str, str, str]] = [
    ([0], 7, "$[0]", "an object", "the number 7"),
    (
        [1, "sample_id"],
        "mini-1",
        "$[1].sample_id",
        "a sample_id that no other conversation has",
        "the string 'mini-1'",
    ),
    (
        [0, "sample_id"],
        "two\nlines",
        "$[0].sample_id",
        "a name of printable characters",
        r"the string 'two\nlines'",
    ),
    (
        [0, "sample_id"],
        " ",
        "$[0].sample_id",
        "a name of printable characters",
        "the string ' '",
    ),
    (
        [0, "sample_id"],
        MISSING,
        "$[0]",
        "an object with the key 'sample_id'",
        "no such key",
    ),
    ([0, "qa"], {}, "$[0].qa", "an array of questions", "an object of 0 keys"),
    ([0, "qa", 2], None, "$[0].qa[2]", "an object", "null"),
    (
        [1, "conversation", "speaker_b"],
        MISSING,
        "$[1].conversation",
        "an object with the key 'speaker_b'",
        "no such key",
    ),
    (
        [1, "conversation", "session_3"],
        "hello",
        "$[1].conversation.session_3",
        "an array of turns",
        "the string 'hello'",
    ),
    (
        [1, "conversation", "session_3_date_time"],
        MISSING,
        "$[1].conversation",
        "an object with the key 'session_3_date_time'",
        "no such key",
    ),
    (
        [1, "conversation", "session_3_date_time"],
        "30 March, 2025",
        "$[1].conversation.session_3_date_time",
        "a date like '6:40 pm on 4 March, 2024'",
        "the string '30 March, 2025'",
    ),
    (
        [1, "conversation", "session_03"],
        [],
        "$[1].conversation",
        "keys like session_1 and session_1_date_time",
        "the key 'session_03'",
    ),
    (
        [*TURN, "dia_id"],
        "D3:5",
        "$[1].conversation.session_2[4].dia_id",
        "a turn id of session 2, such as 'D2:1'",
        "the string 'D3:5'",
    ),
    (
        [*TURN, "dia_id"],
        "D2:1",
        "$[1].conversation.session_2[4].dia_id",
        "a turn id that no other turn has",
        "the string 'D2:1'",
    ),
    ([*TURN, "text"], None, "$[1].conversation.session_2[4].text", "a string", "null"),
    (
        [*TURN, "text"],
        "half \ud83d",
        "$[1].conversation.session_2[4].text",
        "text",
        r"a lone surrogate in 'half \ud83d'",
    ),
    (
        [*TURN, "img_url"],
        "https://example.org/a.jpg",
        "$[1].conversation.session_2[4].img_url",
        "an array of strings",
        "the string 'https://example.org/a.jpg'",
    ),
    (
        [*QUESTION, "category"],
        6,
        "$[0].qa[3].category",
        "a category, 1 to 5",
        "the number 6",
    ),
    (
        [*QUESTION, "category"],
        True,
        "$[0].qa[3].category",
        "a category, 1 to 5",
        "true",
    ),
    (
        [*QUESTION, "category"],
        "4",
        "$[0].qa[3].category",
        "a category, 1 to 5",
        "the string '4'",
    ),
    (
        [*QUESTION, "answer"],
        3.5,
        "$[0].qa[3].answer",
        "a string or an integer",
        "the number 3.5",
    ),
    (
        [*QUESTION, "answer"],
        False,
        "$[0].qa[3].answer",
        "a string or an integer",
        "false",
    ),
    (
        [*QUESTION, "answer"],
        10**30,
        "$[0].qa[3].answer",
        "a string or an integer",
        "an integer of 31 digits",
    ),
    (
        [*QUESTION, "answer"],
        float("nan"),
        "$[0].qa[3].answer",
        "a string or an integer",
        "the constant NaN",
    ),
    (
        [*QUESTION, "evidence"],
        "D1:3",
        "$[0].qa[3].evidence",
        "an array of strings",
        "the string 'D1:3'",
    ),
    (
        [*QUESTION, "evidence", 0],
        [],
        "$[0].qa[3].evidence[0]",
        "a string",
        "an array of 0 items",
    ),
    ([0, "observation"], None, "$[0].observation", "an object", "null"),
    (
        [0, "observation", "session_1_observation"],
        [],
        "$[0].observation.session_1_observation",
        "an object by speaker",
        "an array of 0 items",
    ),
    (
        [0, "observation", "session_1_observation", "Ines", 0],
        ["no id"],
        "$[0].observation.session_1_observation.Ines[0]",
        "an array of a text and its turn ids",
        "an array of 1 items",
    ),
    (
        [0, "session_summary", "session_1_summary"],
        {},
        "$[0].session_summary.session_1_summary",
        "a string",
        "an object of 0 keys",
    ),
    (
        [0, "event_summary", "events_session_1", "Rohan"],
        "none",
        "$[0].event_summary.events_session_1.Rohan",
        "an array of strings",
        "the string 'none'",
    ),
]


@pytest.mark.parametrize(("place", "value", "path", "expected", "found"), WRONG)
def test_a_wrong_shape_is_told_with_path_expectation_and_find(
    mini: Any,
    write: Write,
    place: list[str | int],
    value: object,
    path: str,
    expected: str,
    found: str,
) -> None:
    change(mini, place, value)
    file = write(mini)

    with pytest.raises(DatasetError) as caught:
        load(file)

    error = caught.value
    assert (error.json_path, error.expected, error.found) == (path, expected, found)
    assert str(error) == f"{file}: {path}: expected {expected}, found {found}"


def test_a_key_that_stands_twice_is_no_object(write: Write) -> None:
    with pytest.raises(DatasetError, match=r"\$\[0\]: expected an object, found an ob"):
        load(write(b'[{"qa": [], "sample_id": "a", "qa": []}]'))


@pytest.mark.parametrize("empty", [[], [{"sample_id": "a", "conversation": {}}]])
def test_a_file_without_dialogue_is_refused(empty: Any, write: Write) -> None:
    with pytest.raises(DatasetError, match="expected at least one"):
        load(write(empty))


def test_long_finds_are_cut(mini: Any, write: Write) -> None:
    mini[0]["qa"] = "x" * 100_000

    with pytest.raises(DatasetError) as caught:
        load(write(mini))

    assert len(caught.value.message) < 150


def test_sessions_come_in_the_order_of_their_numbers(mini: Any, write: Write) -> None:
    body = mini[0]["conversation"]
    body["session_10_date_time"] = "1:00 pm on 1 October, 2024"
    body["session_10"] = [{"dia_id": "D10:1", "speaker": "Ines", "text": "Ten."}]
    mini[0]["conversation"] = dict(reversed(body.items()))

    conversation = load(write(mini)).conversation("mini-1")

    assert [s.number for s in conversation.sessions] == [1, 2, 3, 4, 5, 10]
    assert [g.number for g in conversation.ghost_dates] == [6]


def test_a_session_with_an_empty_list_of_turns_is_a_ghost_date(
    mini: Any, write: Write
) -> None:
    mini[0]["conversation"]["session_6"] = []

    conversation = load(write(mini)).conversation("mini-1")

    assert [s.number for s in conversation.sessions] == [1, 2, 3, 4, 5]
    assert [g.number for g in conversation.ghost_dates] == [6]


def test_an_integer_gold_becomes_text_and_is_remembered(
    mini: Any, write: Write
) -> None:
    mini[0]["qa"][0]["answer"] = -7

    question = load(write(mini)).question("mini-1:0")

    assert (question.gold, question.gold_was_integer) == ("-7", True)


def test_gold_and_adversarial_answer_stay_apart(mini: Any, write: Write) -> None:
    mini[0]["qa"][0] = {
        "question": "Which?",
        "answer": "This.",
        "adversarial_answer": "That.",
        "evidence": ["D1:2 D1:1", "D1:02"],
        "category": 5,
    }

    question = load(write(mini)).question("mini-1:0")

    assert question.category is Category.ADVERSARIAL
    assert (question.gold, question.adversarial_answer) == ("This.", "That.")
    assert question.evidence_raw == ("D1:2 D1:1", "D1:02")
    assert question.evidence == (TurnRef(1, 2), TurnRef(1, 1))


def test_what_surrounds_the_dialogue_may_be_absent(mini: Any, write: Write) -> None:
    for key in ("observation", "session_summary", "event_summary"):
        del mini[0][key]

    session = load(write(mini)).conversations[0].session(1)

    assert (session.observations, session.summary, session.events) == ((), None, ())


def test_keys_nobody_knows_are_remembered_by_their_path(
    mini: Any, write: Write
) -> None:
    mini[0]["licence"] = "none"
    mini[0]["conversation"]["mood"] = "fine"
    mini[0]["conversation"]["session_1"][0]["blip captions"] = "a misspelt key"
    mini[0]["qa"][1]["source\n"] = "x"
    mini[0]["observation"]["session_9_observation"] = {}

    assert set(load(write(mini)).unread) == {
        "$[0].licence",
        "$[0].conversation.mood",
        "$[0].conversation.session_1[0]['blip captions']",
        r"$[0].qa[1]['source\n']",
        "$[0].observation.session_9_observation",
    }


def test_observations_and_events_belong_to_their_speaker(
    mini: Any, write: Write
) -> None:
    session = load(write(mini)).conversation("mini-1").session(4)

    assert [(o.speaker, o.evidence) for o in session.observations] == [
        ("Rohan", (TurnRef(4, 1), TurnRef(4, 3))),
        ("Ines", (TurnRef(4, 6), TurnRef(4, 10))),
        ("Ines", (TurnRef(4, 10), TurnRef(4, 12))),
    ]
    assert [e.speaker for e in session.events] == ["Ines", "Ines", "Rohan"]
