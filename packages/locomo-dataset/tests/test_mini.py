"""The synthetic data set is what its docstring says, and its answers are right."""

import re
from datetime import timedelta

import pytest
from locomo_dataset import Category, Question, load_mini

DATASET = load_mini()


def evidence_text(question: Question) -> str:
    conversation = DATASET.conversation(question.sample_id)
    turns = [conversation.turn(*ref) for ref in question.evidence]
    return " ".join(f"{turn.text} {turn.caption or ''}" for turn in turns)


def test_it_is_small_and_holds_every_category() -> None:
    assert [c.sample_id for c in DATASET.conversations] == ["mini-1", "mini-2"]
    for conversation in DATASET.conversations:
        assert len(conversation.sessions) == 5
        assert all(8 <= len(s.turns) <= 14 for s in conversation.sessions)
        assert {q.category for q in conversation.qa} == set(Category)


def test_it_holds_the_quirks_of_the_real_file() -> None:
    questions = DATASET.all_questions()

    assert any(q.gold_was_integer for q in questions)
    assert any(set(q.evidence_raw) - set(map(str, q.evidence)) for q in questions)
    assert any(c.ghost_dates for c in DATASET.conversations)
    for category, mark in ((Category.MULTI_HOP, ","), (Category.OPEN_DOMAIN, ";")):
        assert any(mark in (q.gold or "") for q in questions if q.category is category)


@pytest.mark.parametrize("question", DATASET.all_questions(), ids=lambda q: q.id)
def test_every_question_has_evidence_and_an_answer_or_a_trap(
    question: Question,
) -> None:
    assert evidence_text(question)
    if question.category is Category.ADVERSARIAL:
        assert question.gold is None
        assert question.adversarial_answer
    else:
        assert question.gold
        assert question.adversarial_answer is None


@pytest.mark.parametrize(
    "question",
    DATASET.questions(exclude=frozenset(Category) - {Category.SINGLE_HOP}),
    ids=lambda q: q.id,
)
def test_single_hop_golds_stand_in_their_one_evidence_turn(question: Question) -> None:
    assert len(question.evidence) == 1
    assert (question.gold or "").lower() in evidence_text(question).lower()


@pytest.mark.parametrize(
    "question",
    DATASET.questions(exclude=frozenset(Category) - {Category.MULTI_HOP}),
    ids=lambda q: q.id,
)
def test_multi_hop_questions_need_two_sessions(question: Question) -> None:
    assert len({ref.session for ref in question.evidence}) >= 2


# the words of the evidence that date the event, and the days from the session to it
RELATIVE_DATES = {
    "mini-1:4": ("last Friday", -3),
    "mini-1:6": ("on Tuesday", -4),
    "mini-1:9": ("last Saturday", -5),
    "mini-1:12": ("yesterday", -1),
    "mini-1:13": ("on Wednesday", -4),
    "mini-1:16": ("last Saturday", -6),
    "mini-1:20": ("yesterday", -1),
    "mini-2:1": ("day before yesterday", -2),
    "mini-2:6": ("on Sunday", -4),
    "mini-2:8": ("On Monday", -3),
    "mini-2:11": ("on Friday", -2),
    "mini-2:13": ("exactly two weeks ago", -14),
    "mini-2:15": ("On Saturday", -2),
    "mini-2:19": ("last Wednesday", -5),
}


@pytest.mark.parametrize("question_id", RELATIVE_DATES)
def test_temporal_golds_follow_from_the_date_of_the_session(question_id: str) -> None:
    words, days = RELATIVE_DATES[question_id]
    question = DATASET.question(question_id)
    conversation = DATASET.conversation(question.sample_id)
    session = conversation.session(question.evidence[-1].session)

    day = session.date + timedelta(days=days)

    assert question.category is Category.TEMPORAL
    assert words in evidence_text(question)
    assert question.gold == f"{day.day} {day:%B %Y}"
    weekday = re.search(r"\w+day(?=$)", words)
    assert words.endswith("yesterday") or not weekday or f"{day:%A}" == weekday[0]


def test_only_the_month_of_a_change_is_dated_otherwise() -> None:
    temporal = {q.id for q in DATASET.questions() if q.category is Category.TEMPORAL}

    assert temporal - set(RELATIVE_DATES) == {"mini-2:21"}


def test_observations_name_turns_of_their_session_and_speakers_are_two() -> None:
    for conversation in DATASET.conversations:
        names = {conversation.speaker_a, conversation.speaker_b}
        for session in conversation.sessions:
            assert {turn.speaker for turn in session.turns} == names
            assert {event.speaker for event in session.events} <= names
            assert session.summary
            for fact in session.observations:
                assert fact.speaker in names
                assert fact.evidence
                assert {ref.session for ref in fact.evidence} == {session.number}


def test_it_is_read_once() -> None:
    assert load_mini() is DATASET
