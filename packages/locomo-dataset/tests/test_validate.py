import dataclasses
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from locomo_dataset import (
    Dataset,
    Issue,
    IssueCode,
    TurnRef,
    load,
    load_mini,
    validate,
)
from locomo_dataset._pinned import SHA256

Write = Callable[[Any], Path]


def of(issues: tuple[Issue, ...], code: str) -> list[tuple[str, str, str]]:
    return [(i.path, i.subject, i.message) for i in issues if i.code == code]


def test_the_synthetic_data_set_holds_these_oddities_and_no_other() -> None:
    issues = validate(load_mini())

    assert Counter(issue.code.value for issue in issues) == {
        "adversarial-without-gold": 8,
        "evidence-repaired": 1,
        "ghost-date": 1,
        "gold-integer": 1,
        "image-without-address": 1,
    }
    assert all(issue.harmless for issue in issues)


@pytest.mark.parametrize("code", IssueCode)
def test_every_kind_of_issue_says_why_it_is_harmless_or_not(code: IssueCode) -> None:
    assert code.reason
    assert "\n" not in code.reason


# where to put which value, and the issue that must follow from it
CASES: list[tuple[list[str | int], Any, str, str, str, str, bool]] = [
    (
        ["conversation", "mood"],
        "fine",
        "key-unknown",
        "$[0].conversation.mood",
        "changed.json",
        "a key that is not part of the format",
        False,
    ),
    (
        ["conversation", "speaker_b"],
        "Ines",
        "speakers-alike",
        "$[0].conversation.speaker_b",
        "mini-1",
        "both speakers are called 'Ines'",
        False,
    ),
    (
        ["conversation", "session_2", 0, "speaker"],
        "Nobody\n",
        "speaker-unknown",
        "$[0].conversation.session_2[0].speaker",
        "mini-1 D2:1",
        r"the speaker 'Nobody\n' is not one of the two",
        False,
    ),
    (
        ["conversation", "session_2_date_time"],
        "6:40 pm on 4 March, 2024",
        "session-order",
        "$[0].conversation.session_2_date_time",
        "mini-1 session 2",
        "not later than session 1",
        False,
    ),
    (
        ["conversation", "session_2", 9, "dia_id"],
        "D2:12",
        "turn-numbers",
        "$[0].conversation.session_2",
        "mini-1 session 2",
        "turns are not numbered 1, 2, 3 and so on",
        True,
    ),
    (
        ["conversation", "session_2", 0, "text"],
        " ",
        "turn-empty",
        "$[0].conversation.session_2[0].text",
        "mini-1 D2:1",
        "a turn without words",
        True,
    ),
    (
        ["event_summary", "events_session_4", "Ines", 1],
        "",
        "event-empty",
        "$[0].event_summary.events_session_4.Ines[1]",
        "mini-1 session 4",
        "an event without words",
        True,
    ),
    (
        ["observation", "session_4_observation", "Ines", 1, 1],
        "D4:10, D4:12",
        "observation-ids-repaired",
        "$[0].observation.session_4_observation.Ines[1][1]",
        "mini-1 session 4",
        "'D4:10, D4:12' is read as D4:10, D4:12",
        True,
    ),
    (
        ["observation", "session_4_observation", "Ines", 1, 1],
        ["D4:99"],
        "observation-ids-unresolved",
        "$[0].observation.session_4_observation.Ines[1][1]",
        "mini-1 session 4",
        "'D4:99' names no turn and is left out",
        True,
    ),
    (
        ["session_summary", "session_2_summary"],
        "one\ntwo",
        "control-character",
        "$[0].session_summary.session_2_summary",
        "mini-1 session 2",
        "the text holds U+000A",
        True,
    ),
    (
        ["conversation", "session_2", 4, "blip_caption"],
        "a\u200bb\u200bc\ufeff",
        "invisible-character",
        "$[0].conversation.session_2[4].blip_caption",
        "mini-1 D2:5",
        "the text holds U+200B 2 times, U+FEFF",
        True,
    ),
    (
        ["qa", 2, "question"],
        "Which? ",
        "edge-whitespace",
        "$[0].qa[2].question",
        "mini-1:2",
        "white space before or after the text",
        True,
    ),
    (
        ["qa", 2, "question"],
        "",
        "question-empty",
        "$[0].qa[2].question",
        "mini-1:2",
        "a question without words",
        False,
    ),
    (
        ["qa", 2, "question"],
        "Which town did Ines move to?",
        "question-repeated",
        "$[0].qa[2]",
        "mini-1:2",
        "the same text and category as mini-1:0",
        True,
    ),
    (
        ["qa", 4, "question"],
        "Which town did Ines move to?",
        "question-in-two-categories",
        "$[0].qa[4]",
        "mini-1:4",
        "the same text as mini-1:0, which is single-hop",
        True,
    ),
    (
        ["qa", 2],
        {"question": "Which?", "evidence": ["D1:1"], "category": 2},
        "gold-missing",
        "$[0].qa[2]",
        "mini-1:2",
        "a temporal question without gold",
        False,
    ),
    (
        ["qa", 2, "answer"],
        "  ",
        "gold-empty",
        "$[0].qa[2].answer",
        "mini-1:2",
        "a gold without words",
        False,
    ),
    (
        ["qa", 2, "answer"],
        12,
        "gold-integer",
        "$[0].qa[2].answer",
        "mini-1:2",
        "the integer 12 instead of text",
        True,
    ),
    (
        ["qa", 23, "answer"],
        "No\n",
        "adversarial-with-gold",
        "$[0].qa[23].answer",
        "mini-1:23",
        r"an adversarial question with the gold 'No\n'",
        True,
    ),
    (
        ["qa", 2, "category"],
        5,
        "adversarial-answer-missing",
        "$[0].qa[2]",
        "mini-1:2",
        "an adversarial question without an adversarial answer",
        True,
    ),
    (
        ["qa", 2, "adversarial_answer"],
        "Rye",
        "adversarial-answer-misplaced",
        "$[0].qa[2].adversarial_answer",
        "mini-1:2",
        "an adversarial answer on a single-hop question",
        True,
    ),
    (
        ["qa", 2, "evidence"],
        [],
        "evidence-none",
        "$[0].qa[2].evidence",
        "mini-1:2",
        "no evidence at all",
        True,
    ),
    (
        ["qa", 2, "evidence"],
        ["D1:8", "D1:8"],
        "evidence-repeated",
        "$[0].qa[2].evidence[1]",
        "mini-1:2",
        "D1:8 is named more than once",
        True,
    ),
    (
        ["qa", 2, "evidence"],
        ["D1:8", "D:1:9"],
        "evidence-repaired",
        "$[0].qa[2].evidence[1]",
        "mini-1:2",
        "'D:1:9' is read as D1:9",
        True,
    ),
    (
        ["qa", 2, "evidence"],
        ["D1:8", "D1:99"],
        "evidence-unresolved",
        "$[0].qa[2].evidence[1]",
        "mini-1:2",
        "'D1:99' names no turn and is left out",
        True,
    ),
    (
        ["qa", 2, "evidence"],
        ["D1:99"],
        "evidence-lost",
        "$[0].qa[2].evidence[0]",
        "mini-1:2",
        "'D1:99' names no turn and is left out",
        False,
    ),
]


@pytest.mark.parametrize(
    ("place", "value", "code", "path", "subject", "message", "harmless"),
    CASES,
    ids=[f"{case[2]}-{case[3][5:30]}" for case in CASES],
)
def test_an_oddity_is_listed_with_its_place(
    mini: Any,
    write: Write,
    place: list[str | int],
    value: Any,
    code: str,
    path: str,
    subject: str,
    message: str,
    harmless: bool,
) -> None:
    *way, last = place
    parent = mini[0]
    for step in way:
        parent = parent[step]
    parent[last] = value

    issues = validate(load(write(mini)))

    assert (path, subject, message) in of(issues, code)
    assert IssueCode(code).harmless is harmless


def test_every_kind_of_issue_has_a_test() -> None:
    others = {
        IssueCode.COUNTS_DIFFER,
        IssueCode.GHOST_DATE,
        IssueCode.IMAGE_WITHOUT_ADDRESS,
        IssueCode.ADVERSARIAL_WITHOUT_GOLD,
    }

    assert {IssueCode(case[2]) for case in CASES} | others == set(IssueCode)


def test_a_pinned_checksum_demands_the_pinned_counts() -> None:
    pretended = dataclasses.replace(load_mini(), sha256=SHA256)

    issues = validate(pretended)

    assert of(issues, "counts-differ") == [
        ("$", "mini.json", message)
        for message in (
            "expected 10 conversations, found 2",
            "expected 272 sessions, found 10",
            "expected 5,882 turns, found 121",
            "expected 282 multi-hop questions, found 10",
            "expected 321 temporal questions, found 15",
            "expected 96 open-domain questions, found 4",
            "expected 841 single-hop questions, found 18",
            "expected 446 adversarial questions, found 8",
        )
    ]


@pytest.mark.locomo
def test_the_oddities_of_the_real_data_set(real: Dataset) -> None:
    issues = validate(real)

    assert Counter(issue.code.value for issue in issues) == {
        "adversarial-with-gold": 2,
        "adversarial-without-gold": 444,
        "control-character": 44,
        "edge-whitespace": 213,
        "event-empty": 1,
        "evidence-none": 4,
        "evidence-repaired": 6,
        "evidence-repeated": 1,
        "evidence-unresolved": 3,
        "ghost-date": 16,
        "gold-integer": 6,
        "image-without-address": 316,
        "invisible-character": 2,
        "observation-ids-repaired": 5,
        "question-in-two-categories": 1,
        "question-repeated": 11,
    }
    assert all(issue.harmless for issue in issues)


@pytest.mark.locomo
def test_nine_evidence_strings_of_the_real_data_set_name_no_turn(real: Dataset) -> None:
    places = {
        issue.subject: issue.message
        for issue in validate(real)
        if issue.code in {"evidence-repaired", "evidence-unresolved"}
    }

    assert places == {
        "conv-26:37": "'D8:6; D9:17' is read as D8:6, D9:17",
        "conv-42:58": "'D10:19' names no turn and is left out",
        "conv-42:88": "'D' names no turn and is left out",
        "conv-43:18": "'D:11:26' is read as D11:26",
        "conv-47:38": "'D4:36' names no turn and is left out",
        "conv-49:31": "'D9:1 D4:4 D4:6' is read as D9:1, D4:4, D4:6",
        "conv-49:38": (
            "'D22:1 D22:2 D9:10 D9:11' is read as D22:1, D22:2, D9:10, D9:11"
        ),
        "conv-49:46": (
            "'D21:18 D21:22 D11:15 D11:19' is read as D21:18, D21:22, D11:15, D11:19"
        ),
        "conv-50:69": "'D30:05' is read as D30:5",
    }


@pytest.mark.locomo
def test_every_answerable_question_with_evidence_keeps_some(real: Dataset) -> None:
    named = [q for q in real.questions() if q.evidence_raw]

    assert len(named) == 1536
    assert all(q.evidence for q in named)
    assert real.question("conv-42:88").evidence == (TurnRef(1, 18), TurnRef(1, 20))
