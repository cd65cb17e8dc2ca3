from __future__ import annotations

import pytest
from cmem_client import Observation
from cmem_client.testing import FakeWorker
from locomo_dataset import Category, load_mini
from locomo_run.claude_mem.holdings import Holdings, sorted_out
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.claude_mem.verify import (
    Asked,
    Verification,
    as_json,
    as_text,
    chosen_questions,
    verify,
)

MINI = load_mini().conversations
QUESTION = MINI[0].questions()[0]


def row(number: int, **values: str) -> Observation:
    return Observation(id=number, project="p", **values)  # type: ignore[arg-type]  # texts only


def held(*rows: Observation) -> Holdings:
    return Holdings(
        sample_id="conv-1",
        project="p",
        expected={1: 1, 2: 1},
        rows={1: rows} if rows else {},
        strangers=(),
    )


def test_one_question_of_each_category_is_asked_and_no_adversarial_one() -> None:
    asked = chosen_questions(MINI)

    assert [question.category for question in asked] == [
        Category.SINGLE_HOP,
        Category.MULTI_HOP,
        Category.TEMPORAL,
    ]
    assert all(question.gold for question in asked)
    assert chosen_questions([]) == ()


def test_the_layout_is_question_category_gold_and_three_numbered_results() -> None:
    seen = Verification(
        held=(held(),),
        asked=(
            Asked(
                question=QUESTION,
                hits=(
                    row(1, title="One", narrative="n" * 200),
                    row(2, title="Two"),
                    row(3),
                ),
            ),
        ),
        mode="keywords",
    )

    lines = as_text(seen, rows=5).splitlines()

    start = lines.index(f"Q: {QUESTION.text}")
    assert lines[start : start + 7] == [
        f"Q: {QUESTION.text}",
        f"Category: {QUESTION.category.label}",
        f"Ground Truth: {QUESTION.gold}",
        "Top Search Results:",
        f"  1. One — {'n' * 80}",
        "  2. Two — ",
        "  3.  — ",
    ]


def test_rows_are_shown_newest_first_and_cut() -> None:
    rows = tuple(row(n, title=f"T{n}", narrative="x" * 300) for n in (1, 2, 3))

    text = as_text(Verification(held=(held(*rows),), asked=(), mode="question"), rows=2)

    lines = text.splitlines()
    start = lines.index("conv-1, 2 of 3:")
    assert lines[start + 1 : start + 3] == [f"  T{n} — {'x' * 100}" for n in (3, 2)]


def test_what_a_model_wrote_cannot_steer_the_terminal() -> None:
    evil = row(1, title="red\x1b[31m\nnext", narrative="\x07bell")
    seen = Verification(
        held=(held(evil),),
        asked=(Asked(question=QUESTION, hits=(evil,)),),
        mode="question",
    )

    text = as_text(seen, rows=1)

    assert "\x1b" not in text
    assert "\x07" not in text
    assert "red�[31m next — �bell" in text


def test_json_says_whether_all_is_there() -> None:
    empty = Verification(held=(held(),), asked=(), mode="question")

    assert as_json(empty)["complete"] is False
    assert as_json(Verification(held=(), asked=(), mode="question"))["complete"] is True


def test_verifying_reads_only() -> None:
    worker = FakeWorker()
    with worker.client() as client:
        verify(client, MINI, ClaudeMemOptions())

    writes = [r for r in worker.requests if r.method != "GET"]
    assert {r.url.path for r in writes} <= {"/api/sdk-sessions/batch"}


@pytest.mark.parametrize(
    ("memory_session", "stranger"),
    [
        ("openrouter-locomo-mini-1-s2-17", False),
        ("openrouter-other-s2-17", True),
        ("import-locomo-mini-1-s2", True),
        (None, True),
    ],
)
def test_rows_that_a_renamed_session_left_behind_are_known_by_its_old_id(
    memory_session: str | None, *, stranger: bool
) -> None:
    left = Observation(id=1, project="p", memory_session_id=memory_session)

    found = sorted_out(MINI[0], {None: (left,)}, "locomo", "observation")

    assert bool(found.strangers) is stranger
    assert (2 in found.missing) is stranger
