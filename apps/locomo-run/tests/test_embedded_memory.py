from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from locomo_dataset import Conversation, Session, Turn, load, load_mini
from locomo_run.errors import CallError, RunError
from locomo_run.memory import Hit, Query
from locomo_run.memory.embedded import EmbeddedMemory

DATES = (
    "9:15 am on 15 May, 2023",
    "9:00 am on 2 June, 2023",
    "7:10 pm on 4 July, 2023",
)


def conversation(*sessions: list[str], sample_id: str = "talk") -> Conversation:
    """Build a talk of Ana and Ben, who speak in turn; "text|caption" has an image."""
    return Conversation(
        sample_id=sample_id,
        speaker_a="Ana",
        speaker_b="Ben",
        sessions=tuple(
            Session(
                number=number,
                date_text=DATES[number - 1],
                date=datetime(2023, number, 1),  # noqa: DTZ001  # sessions have no zone
                turns=tuple(
                    Turn(
                        id=f"D{number}:{place}",
                        session=number,
                        number=place,
                        speaker="Ana" if place % 2 else "Ben",
                        text=text.partition("|")[0],
                        caption=text.partition("|")[2] or None,
                    )
                    for place, text in enumerate(texts, 1)
                ),
            )
            for number, texts in enumerate(sessions, 1)
        ),
    )


def ask(text: str, sample_id: str = "talk") -> Query:
    return Query(question_id=f"{sample_id}:0", sample_id=sample_id, text=text)


def ids(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.id for hit in hits]


@pytest.fixture
def memory() -> Iterator[EmbeddedMemory]:
    memory = EmbeddedMemory()
    yield memory
    memory.close()


def test_a_hit_is_one_turn_as_it_was_said(memory: EmbeddedMemory) -> None:
    memory.ingest(conversation(["Hello!", "I rode here.|a yellow tram", "Good."]))

    (hit,) = memory.search(ask("Which colour had the tram?"), 10)

    assert hit.id == "D1:2"
    assert hit.text == "Ben: I rode here. [shares an image: a yellow tram]"
    assert hit.date == "9:15 am on 15 May, 2023"
    assert hit.turns == ("D1:2",)
    assert hit.score is not None


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where were they painting?", ["D1:1", "D1:2"]),  # stemmed, and the turn after
        ("What was the zebra?", ["D1:3"]),  # a caption
        ("What happened on 2 June?", ["D2:1", "D2:2"]),  # the day of a session
        ("PAINTED", ["D1:1", "D1:2"]),
        ("pâinted", ["D1:1", "D1:2"]),
        ("What did they do there?", []),  # stop words only
        ("What about xylophones?", []),
        ("", []),
    ],
)
def test_a_question_finds_the_turns_that_share_a_content_word(
    memory: EmbeddedMemory, question: str, expected: list[str]
) -> None:
    memory.ingest(
        conversation(
            ["We painted all day.", "Lovely.", "Look!|a zebra"], ["Rain again.", "Yes."]
        )
    )

    assert ids(memory.search(ask(question), 10)) == expected


def test_a_turn_ranks_above_the_turn_that_answers_it(memory: EmbeddedMemory) -> None:
    filler = ["One thing.", "Another thing."] * 5
    memory.ingest(conversation([*filler, "Which instrument?", "Cello.", "Nice."]))

    assert ids(memory.search(ask("instrument"), 10)) == ["D1:11", "D1:12"]


def test_the_last_turn_of_a_session_is_no_context_of_the_next_session(
    memory: EmbeddedMemory,
) -> None:
    memory.ingest(conversation(["Fine.", "An instrument."], ["Good morning.", "Hi."]))

    assert ids(memory.search(ask("instrument"), 10)) == ["D1:2"]


def test_a_speaker_whom_the_question_names_comes_first(memory: EmbeddedMemory) -> None:
    memory.ingest(conversation(["A cello.", "Rain.", "Rain.", "A cello."]))

    assert ids(memory.search(ask("What does Ana's cello do?"), 2)) == ["D1:1", "D1:3"]
    assert ids(memory.search(ask("What does Ben's cello do?"), 1)) == ["D1:4"]


def test_equal_scores_keep_the_order_of_the_turns(memory: EmbeddedMemory) -> None:
    memory.ingest(conversation(["tram"], ["tram"], ["tram"]))

    hits = memory.search(ask("tram"), 2)

    assert hits[0].score == hits[1].score
    assert ids(hits) == ["D1:1", "D2:1"]


@pytest.mark.parametrize("limit", [0, -1])
def test_no_hit_is_returned_for_no_room(memory: EmbeddedMemory, limit: int) -> None:
    memory.ingest(conversation(["tram"]))

    assert memory.search(ask("tram"), limit) == ()


def test_neighbours_follow_their_hit_and_count_within_the_limit() -> None:
    memory = EmbeddedMemory(neighbours=1)
    memory.ingest(
        conversation(["a1", "cello", "a3", "a4"], ["cello cello", "b2", "b3"])
    )

    every = memory.search(ask("cello"), 10)
    some = memory.search(ask("cello"), 2)
    memory.close()

    assert ids(every)[:2] == ["D2:1", "D2:2"]
    assert sorted(ids(every)) == [
        "D1:1",
        "D1:2",
        "D1:3",
        "D1:4",
        "D2:1",
        "D2:2",
        "D2:3",
    ]
    assert some == every[:2]
    assert every[1].score is None


def test_a_neighbour_is_of_the_same_session() -> None:
    memory = EmbeddedMemory(neighbours=5)
    memory.ingest(conversation(["a1", "a2"], ["b1", "cello"], ["c1", "c2"]))

    hits = memory.search(ask("cello"), 10)
    memory.close()

    assert ids(hits) == ["D2:2", "D2:1"]


def test_a_negative_number_of_neighbours_is_refused() -> None:
    with pytest.raises(ValueError, match="neighbours must be 0 or more, not -1"):
        EmbeddedMemory(neighbours=-1)


def test_conversations_do_not_see_each_other(memory: EmbeddedMemory) -> None:
    memory.ingest(conversation(["a red tram"], sample_id="one"))
    alone = memory.search(ask("red tram", "one"), 10)

    memory.ingest(conversation(["a red tram", "red", "a tram"], sample_id="two"))

    assert memory.search(ask("red tram", "one"), 10) == alone
    assert len(memory.search(ask("red tram", "two"), 10)) == 3


@pytest.mark.parametrize(
    "sample_id", ["", "a b", "x'; DROP TABLE speaker; --", '"turn_1"', "é\n🚋", "%"]
)
def test_any_text_names_a_conversation(memory: EmbeddedMemory, sample_id: str) -> None:
    memory.ingest(conversation(["rain"], sample_id="other"))
    memory.ingest(conversation(["tram"], sample_id=sample_id))

    assert ids(memory.search(ask("tram", sample_id), 10)) == ["D1:1"]
    assert memory.search(ask("tram", "other"), 10) == ()


def test_a_conversation_without_turns_has_no_hits(memory: EmbeddedMemory) -> None:
    memory.ingest(conversation())

    assert memory.search(ask("Ana's tram"), 10) == ()


def test_a_conversation_that_was_not_ingested_is_an_error(
    memory: EmbeddedMemory,
) -> None:
    with pytest.raises(CallError, match="'talk' is not stored; ingest it before"):
        memory.search(ask("tram"), 10)


def test_ingesting_again_changes_nothing(memory: EmbeddedMemory) -> None:
    memory.ingest(conversation(["a tram", "rain"]))
    before = memory.search(ask("Ana's tram"), 10)

    memory.ingest(conversation(["a tram", "rain"]))

    assert memory.search(ask("Ana's tram"), 10) == before


def test_ingesting_replaces_what_was_stored_under_the_id(
    memory: EmbeddedMemory,
) -> None:
    memory.ingest(conversation(["a tram"]))
    memory.ingest(conversation(["a boat"]))

    assert memory.search(ask("tram"), 10) == ()
    assert ids(memory.search(ask("boat"), 10)) == ["D1:1"]


def test_a_file_keeps_its_conversations(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    first = EmbeddedMemory(path)
    first.ingest(conversation(["a tram", "rain"]))
    hits = first.search(ask("Ana's tram"), 10)
    first.close()
    first.close()

    again = EmbeddedMemory(path)
    assert again.search(ask("Ana's tram"), 10) == hits
    again.close()


def test_a_failed_ingest_leaves_what_was_stored(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    memory = EmbeddedMemory(path)
    memory.ingest(conversation(["a tram"]))
    broken = conversation(["a boat"])
    turn = broken.sessions[0].turns[0]
    object.__setattr__(turn, "text", object())  # no column takes it

    with pytest.raises(RunError, match="cannot store conversation 'talk'"):
        memory.ingest(broken)

    assert ids(memory.search(ask("tram"), 10)) == ["D1:1"]
    memory.close()


def test_a_file_of_another_layout_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    other = sqlite3.connect(path)
    other.execute("PRAGMA user_version = 99")
    other.close()
    before = path.read_bytes()

    with pytest.raises(RunError, match=r"layout 99.*name another file or delete it"):
        EmbeddedMemory(path)

    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no database, just a page of notes\n" * 40, encoding="utf-8")

    with pytest.raises(RunError, match=r"cannot open .*notes\.txt: file is not a data"):
        EmbeddedMemory(path)


def test_a_path_that_cannot_be_opened_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"cannot open .*missing"):
        EmbeddedMemory(tmp_path / "missing" / "memory.sqlite")


def test_a_closed_memory_fails_as_a_call() -> None:
    memory = EmbeddedMemory()
    memory.close()

    with pytest.raises(CallError, match="search failed"):
        memory.search(ask("tram"), 10)


def test_threads_share_one_memory(memory: EmbeddedMemory) -> None:
    talk = load_mini().conversations[0]
    memory.ingest(talk)
    queries = [ask(q.text, talk.sample_id) for q in talk.all_questions()]
    alone = [memory.search(query, 10) for query in queries]
    together: list[list[tuple[Hit, ...]]] = []

    def work() -> None:
        together.append([memory.search(query, 10) for query in queries])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert together == [alone] * 4


@pytest.mark.parametrize(
    "question",
    [
        'tram" OR "',
        "NEAR(tram boat, 2)",
        "text : tram",
        "^tram*",
        "-tram AND NOT (boat",
        "tram'; DROP TABLE turn_1; --",
        "tram\x00boat",
        "🚋 tram \ud800",
        "tram " * 20_000,
    ],
)
def test_syntax_in_a_question_is_only_words(
    memory: EmbeddedMemory, question: str
) -> None:
    memory.ingest(conversation(["a tram", "rain", "rain"]))

    assert ids(memory.search(ask(question), 1)) == ["D1:1"]


def test_a_question_of_100_kb_of_different_words_is_searched(
    memory: EmbeddedMemory,
) -> None:
    memory.ingest(conversation(["a tram"]))
    question = "tram " + " ".join(f"word{n}" for n in range(12_000))

    assert len(question) > 100_000
    assert ids(memory.search(ask(question), 10)) == ["D1:1"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    question=st.text()
    | st.lists(
        st.sampled_from(['"', "tram", "AND", "OR", "NOT", "NEAR(", ")", "*", "^", ":"])
    ).map(" ".join)
    | st.text(st.characters(categories=["Cs", "Cn", "Co", "Nl", "No", "Mn", "So"]))
)
def test_no_question_is_an_error(memory: EmbeddedMemory, question: str) -> None:
    memory.ingest(conversation(["a tram", "rain ½ ² Ⅳ", "or near and not"]))

    assert len(memory.search(ask(question), 2)) <= 2


def test_the_fingerprint_names_all_that_changes_a_search() -> None:
    memory = EmbeddedMemory(neighbours=2)
    fingerprint = memory.describe()
    memory.close()

    # A row that changes here is another memory: runs with the old one are not resumed.
    assert fingerprint == {
        "name": "embedded",
        "version": 1,
        "tokenizer": "porter unicode61 remove_diacritics 2",
        "ranking": "bm25 text:1 caption:1 speaker:1 day:1 previous:0.5 "
        "named-speaker:ln2",
        "stop_words": "42cf469934d6",
        "neighbours": 2,
    }


@pytest.mark.locomo
def test_evidence_recall_at_10_is_at_least_0_62(
    memory: EmbeddedMemory, dataset_path: Path
) -> None:
    shares = []
    for talk in load(dataset_path).conversations:
        memory.ingest(talk)
        for question in talk.questions():
            if question.evidence_raw:
                hits = memory.search(ask(question.text, talk.sample_id), 10)
                wanted = {str(turn) for turn in question.evidence}
                shares.append(len(wanted & set(ids(hits))) / max(len(wanted), 1))

    assert len(shares) == 1536
    assert sum(shares) / len(shares) >= 0.62
