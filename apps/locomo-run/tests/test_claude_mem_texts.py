from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from cmem_client import Observation
from locomo_dataset import Conversation, Session, Turn, TurnRef
from locomo_run.claude_mem import naming
from locomo_run.claude_mem.bulk import records, turn_of
from locomo_run.claude_mem.finding import shown
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.claude_mem.place import place_of, request_of
from locomo_run.claude_mem.recall import session_recall
from locomo_run.claude_mem.transcript import prompt, transcript
from locomo_run.errors import UsageError

SESSION = Session(
    number=12,
    date_text="9:00 am on 3 May, 2024",
    date=datetime(2024, 5, 3, 9),  # noqa: DTZ001  # the data set has no zones
    turns=(
        Turn(id="D12:1", session=12, number=1, speaker="Ana", text="Lisbon & rain!"),
        Turn(
            id="D12:2",
            session=12,
            number=2,
            speaker="Ben",
            text="Look.",
            caption="a photo of miso",
        ),
    ),
)
TALK = Conversation(
    sample_id="conv-1", speaker_a="Ana", speaker_b="Ben", sessions=(SESSION,)
)


def test_a_transcript_has_number_date_and_speakers_before_the_turns() -> None:
    assert transcript(TALK, SESSION, captions=True) == (
        "[Session 12 — 9:00 am on 3 May, 2024]\n"
        "[Conversation between Ana and Ben]\n"
        "\n"
        "Ana: Lisbon & rain!\n"
        "Ben: Look. [shares an image: a photo of miso]"
    )


def test_without_captions_an_image_leaves_no_trace() -> None:
    assert transcript(TALK, SESSION, captions=False).endswith("\nBen: Look.")


def test_the_prompt_names_speakers_and_date() -> None:
    assert prompt(TALK, SESSION) == (
        "Conversation between Ana and Ben on 9:00 am on 3 May, 2024"
    )


def test_the_namespace_changes_both_prefixes() -> None:
    place = place_of(TALK, SESSION, ClaudeMemOptions(namespace="mine"))

    assert place.project == "mine-eval-conv-1"
    assert place.session == "mine-conv-1-s12"


@pytest.mark.parametrize(
    "namespace", ["", " ", "a b", "-a", "a/b", "../x", "é", "a" * 65, "a\n"]
)
def test_a_namespace_that_no_name_can_begin_with_is_refused(namespace: str) -> None:
    with pytest.raises(UsageError, match="--namespace"):
        ClaudeMemOptions(namespace=namespace)


def test_the_key_of_a_session_follows_what_is_posted_and_not_how_it_is_waited_for() -> (
    None
):
    def key(options: ClaudeMemOptions) -> str:
        return request_of(place_of(TALK, SESSION, options), options).key

    base = ClaudeMemOptions()
    assert key(base) == key(replace(base, poll=9.0, ingest_workers=7, stall=1.0))
    others = [
        replace(base, namespace="mine"),
        replace(base, captions=False),
        replace(base, via="import"),
    ]
    assert len({key(base), *map(key, others)}) == 4


def test_imported_turns_carry_their_date_in_the_text_and_the_runs_in_the_row() -> None:
    date = datetime(2026, 1, 2, tzinfo=UTC)

    (session,), (first, second) = records(TALK, [SESSION], ClaudeMemOptions(), date)

    assert session.content_session_id == "locomo-conv-1-s12"
    assert session.memory_session_id == first.memory_session_id
    assert (first.title, second.title) == ("D12:1 Ana", "D12:2 Ben")
    assert first.narrative == "[9:00 am on 3 May, 2024] Ana: Lisbon & rain!"
    assert second.narrative == (
        "[9:00 am on 3 May, 2024] Ben: Look. [shares an image: a photo of miso]"
    )
    assert (first.created_at, second.created_at) == (
        date,
        date + timedelta(milliseconds=1),
    )
    assert first.files_read == ("conversation-transcript/session-12.txt",)


@pytest.mark.parametrize(
    ("title", "turn"),
    [("D12:1 Ana", "D12:1"), ("A walk", None), ("Dinner at 8", None), (None, None)],
)
def test_only_the_title_of_an_imported_turn_names_a_turn(
    title: str | None, turn: str | None
) -> None:
    assert turn_of(title) == turn


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({}, ""),
        ({"title": " A trip ", "narrative": "By train."}, "A trip\nBy train."),
        ({"title": "A trip", "text": "Old rows."}, "A trip\nOld rows."),
        (
            {"title": "A trip", "facts": '["one", "two"]', "narrative": "Long."},
            "A trip\n- one\n- two\nLong.",
        ),
    ],
)
def test_an_observation_is_shown_whole(row: dict[str, str], text: str) -> None:
    assert shown(Observation(id=1, project="p", **row)) == text  # type: ignore[arg-type]  # facts are decoded


@pytest.mark.parametrize(
    ("hits", "recall"),
    [
        ([], 0.0),
        (["s1/10"], 0.5),
        (["s1/10", "s1/11", "s9/3"], 0.5),
        (["s2/10", "s1/11"], 1.0),
        (["s2/10", "11"], None),
    ],
)
def test_session_recall_is_the_share_of_evidence_sessions(
    hits: list[str], recall: float | None
) -> None:
    evidence = [TurnRef(1, 3), TurnRef(1, 9), TurnRef(2, 1)]

    assert session_recall(hits, evidence) == recall
    assert session_recall(hits, []) is None


@pytest.mark.parametrize("name", ["s/1", "s1/", "x1/2", "s1/2/3", "D1:3", ""])
def test_what_is_no_name_of_a_hit_names_no_session(name: str) -> None:
    assert naming.session_of(name) is None
