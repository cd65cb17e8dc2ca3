from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from locomo_dataset import Conversation, Turn, load_mini
from locomo_run.errors import UsageError
from locomo_run.memory import Hit, Memory, Query
from locomo_run.memory.full_context import FullContextMemory
from locomo_run.memory.nothing import NoMemory
from locomo_run.memory.oracle import OracleMemory
from locomo_run.memory.registry import BUILT_IN, names, open_memory
from locomo_run.memory.turns import turn_hits, turn_text

MINI = load_mini()
FIRST, SECOND = MINI.conversations

IN_PROCESS = ("embedded", "full-context", "oracle", "none")
"""The memories that need nothing but this process."""


def query(conversation: Conversation, index: int) -> Query:
    question = conversation.qa[index]
    return Query(
        question_id=question.id, sample_id=question.sample_id, text=question.text
    )


# turns


@pytest.mark.parametrize(
    ("caption", "shown"),
    [
        (None, "Ana: Look!"),
        ("", "Ana: Look!"),
        ("a cat", "Ana: Look! [shares an image: a cat]"),
    ],
)
def test_a_turn_says_who_spoke_and_what_image_was_shared(
    caption: str | None, shown: str
) -> None:
    turn = Turn(id="D1:1", session=1, number=1, speaker="Ana", text="Look!")

    assert turn_text(replace(turn, caption=caption)) == shown


def test_every_turn_becomes_a_hit_with_its_date_and_place() -> None:
    hits = turn_hits(FIRST)

    turns = [turn for session in FIRST.sessions for turn in session.turns]
    assert [hit.id for hit in hits] == [turn.id for turn in turns]
    assert all(hit.turns == (hit.id,) for hit in hits)
    assert hits[0].date == FIRST.sessions[0].date_text
    assert {hit.score for hit in hits} == {None}


# the memories


def test_full_context_returns_the_conversation_whatever_the_limit() -> None:
    memory = FullContextMemory()
    memory.ingest(FIRST)
    memory.ingest(SECOND)

    assert memory.search(query(FIRST, 0), 1) == turn_hits(FIRST)
    assert memory.search(query(SECOND, 3), 1) == turn_hits(SECOND)


def test_the_oracle_returns_the_evidence_and_nothing_else() -> None:
    memory = OracleMemory()
    memory.ingest(FIRST)

    for index, question in enumerate(FIRST.qa):
        hits = memory.search(query(FIRST, index), 1)
        assert [hit.id for hit in hits] == [str(turn) for turn in question.evidence]


def test_the_oracle_has_nothing_where_no_evidence_is_named(tiny: Conversation) -> None:
    memory = OracleMemory()
    memory.ingest(tiny)

    assert memory.search(query(tiny, 2), 10) == ()


def test_no_memory_finds_nothing() -> None:
    memory = NoMemory()
    memory.ingest(FIRST)

    assert memory.search(query(FIRST, 0), 10) == ()


@pytest.mark.parametrize("name", IN_PROCESS)
def test_a_second_ingest_of_the_same_conversation_changes_nothing(name: str) -> None:
    memory = open_memory(name)
    memory.ingest(FIRST)
    once = memory.search(query(FIRST, 0), 10)

    memory.ingest(FIRST)

    assert memory.search(query(FIRST, 0), 10) == once
    memory.close()


@pytest.mark.parametrize("name", IN_PROCESS)
def test_a_memory_never_returns_another_conversation(name: str) -> None:
    memory = open_memory(name)
    memory.ingest(FIRST)
    memory.ingest(SECOND)
    texts = {hit.text for hit in turn_hits(SECOND)}

    for index in range(len(SECOND.qa)):
        hits = memory.search(query(SECOND, index), 10)
        assert {hit.text for hit in hits} <= texts
    memory.close()


@pytest.mark.parametrize("kind", [FullContextMemory, OracleMemory])
def test_a_closed_memory_has_forgotten(kind: Callable[[], Memory]) -> None:
    memory = kind()
    memory.ingest(FIRST)
    memory.close()

    with pytest.raises(KeyError):
        memory.search(query(FIRST, 0), 10)


# the registry


@pytest.mark.parametrize("name", IN_PROCESS)
def test_a_built_in_memory_describes_itself_by_the_name_it_is_opened_by(
    name: str,
) -> None:
    memory = open_memory(name)

    assert memory.describe()["name"] == name
    memory.close()


def test_neighbours_are_part_of_what_the_embedded_memory_is() -> None:
    memory = open_memory("embedded", neighbours=2)

    assert memory.describe()["neighbours"] == 2
    memory.close()


def test_an_unknown_memory_lists_those_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        open_memory("mem\n0")

    assert str(caught.value).startswith("no memory 'mem\\n0'; there are embedded, ")
    assert "\n" not in str(caught.value)


PLUGGED = """
    from locomo_run.memory.nothing import NoMemory

    class Plugged(NoMemory):
        def describe(self):
            return {"name": "plugged", "version": 3}
"""


def test_a_memory_of_another_distribution_is_found_by_its_entry_point(
    plug: Callable[[str], Path],
) -> None:
    plug(PLUGGED)

    memory = open_memory("plugged")

    assert names() == (*BUILT_IN, "plugged")
    assert memory.describe() == {"name": "plugged", "version": 3}
    with pytest.raises(UsageError, match=r"there are embedded, .*, none, plugged$"):
        open_memory("other")


def test_a_built_in_name_cannot_be_taken(plug: Callable[[str], Path]) -> None:
    site = plug(PLUGGED)
    (site / "plugged-1.dist-info/entry_points.txt").write_text(
        "[locomo_run.memories]\nnone = plugged:Plugged\n", encoding="utf-8"
    )

    memory = open_memory("none")

    assert memory.describe() == {"name": "none"}
    assert names() == BUILT_IN


def test_a_hit_with_nothing_but_a_text_is_complete() -> None:
    hit = Hit(id="a", text="b")

    assert (hit.date, hit.score, hit.turns) == ("", None, None)
