from __future__ import annotations

import pytest
from cmem_client.testing import FakeWorker
from hypothesis import given
from hypothesis import strategies as st
from locomo_run.claude_mem.finding import find
from locomo_run.claude_mem.search import FUSION, LONGEST_QUERY, fused, queries, resolved

RANKED = st.lists(st.lists(st.integers(0, 20), unique=True), max_size=6)


@pytest.mark.parametrize(
    ("asked", "vectors", "mode"),
    [
        ("auto", True, "question"),
        ("auto", False, "keywords"),
        ("question", False, "question"),
        ("keywords", True, "keywords"),
    ],
)
def test_auto_sends_the_question_only_where_vectors_work(
    asked: str, *, vectors: bool, mode: str
) -> None:
    assert resolved(asked, vectors=vectors) == mode  # type: ignore[arg-type]  # a table


@pytest.mark.parametrize(
    ("question", "sent"),
    [
        ("When did Ana's sister move?", ("ana", "sister", "move")),
        ("Who is it?", ()),
        ("", ()),
        ('"drop" OR * (x)', ("drop", "x")),
    ],
)
def test_keywords_are_the_content_words(question: str, sent: tuple[str, ...]) -> None:
    assert queries(question, "keywords") == sent


def test_a_question_is_sent_as_it_is_and_a_blank_one_not_at_all() -> None:
    assert queries(" Who is it? ", "question") == ("Who is it?",)
    assert queries("  ", "question") == ()
    assert len(queries("x" * 9_999, "question")[0]) == LONGEST_QUERY


def test_a_row_low_in_two_lists_beats_the_first_of_one() -> None:
    (first, score), *_ = fused([["a", "b"], ["c", "b"]])

    assert first == "b"
    assert score == pytest.approx(2 / (FUSION + 2))


@given(RANKED)
def test_fusion_keeps_every_row_once_and_sorts_by_score(lists: list[list[int]]) -> None:
    ranked = fused(lists)

    assert {row for row, _ in ranked} == {row for each in lists for row in each}
    assert len(ranked) == len({row for row, _ in ranked})
    scores = [score for _, score in ranked]
    assert scores == sorted(scores, reverse=True)


@given(st.lists(st.integers(0, 20), unique=True))
def test_fusing_one_list_leaves_its_order(ranked: list[int]) -> None:
    assert [row for row, _ in fused([ranked])] == ranked


@pytest.fixture
def worker() -> FakeWorker:
    worker = FakeWorker()
    with worker.client() as client:
        for text in ("green tea in Porto", "tea", "a walk in Porto", "miso"):
            client.save_memory(text, "p")
        client.save_memory("green tea in Porto", "q")
    return worker


def test_a_whole_question_finds_nothing_by_words_and_its_keywords_do(
    worker: FakeWorker,
) -> None:
    with worker.client() as client:
        asked = "Where did she drink tea in Porto?"

        assert find(client, "p", asked, "question", 10).rows == ()
        found = find(client, "p", asked, "keywords", 10).rows

    assert [row.narrative for row, _ in found] == [
        "green tea in Porto",
        "tea",
        "a walk in Porto",
    ]
    assert all(row.project == "p" for row, _ in found)


def test_no_more_rows_come_than_were_asked_for(worker: FakeWorker) -> None:
    with worker.client() as client:
        assert len(find(client, "p", "tea Porto", "keywords", 2).rows) == 2
        assert len(find(client, "p", "tea", "question", 1).rows) == 1


def test_a_vector_search_keeps_the_workers_order_and_has_no_scores() -> None:
    worker = FakeWorker(vectors=True)
    with worker.client() as client:
        client.save_memory("a walk in Porto", "p")
        client.save_memory("green tea in Porto", "p")
        found = find(client, "p", "tea in Porto?", "question", 10).rows

    assert [(row.narrative, score) for row, score in found] == [
        ("green tea in Porto", None),
        ("a walk in Porto", None),
    ]
