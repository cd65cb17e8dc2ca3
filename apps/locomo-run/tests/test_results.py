import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from locomo_dataset import Category
from locomo_run.ledger.entry import Json
from locomo_run.outcome import State
from locomo_run.reporting.results import Mean, Results, f1_records

Scored = Callable[..., Results]


def test_the_overall_f1_is_the_mean_over_questions(scored: Scored) -> None:
    found = scored().f1_overall("locomo")

    assert found.mean == math.fsum((1, 0.8, 0.5)) / 3
    assert (found.count, found.missing) == (3, 0)
    assert (found.minimum, found.maximum) == (0.5, 1.0)


def test_a_question_without_a_prediction_is_left_out_and_counted(
    scored: Scored,
) -> None:
    results = scored((None, "in May 2024", "Miso", "no"), missing=[2])

    found = results.f1_overall("locomo")
    by_category = results.f1_by_category("locomo")

    assert (found.mean, found.count, found.missing) == (0.8, 1, 2)
    assert found.pessimistic_mean == pytest.approx(0.8 / 3)
    assert by_category[Category.SINGLE_HOP].mean is None
    assert Category.ADVERSARIAL not in by_category


def test_states_are_counted(scored: Scored) -> None:
    results = scored((None, "b", "c", "d"), missing=[1, 2])

    assert {state: results.count(state) for state in State} == {
        State.ANSWERED: 1,
        State.FAILED: 1,
        State.MISSING: 2,
    }


@pytest.mark.parametrize(
    ("asked", "whole"),
    [([0, 1, 2, 3], True), ([0, 1, 2], True), ([0, 1, 3], False)],
    ids=["all", "without adversarial", "one less"],
)
def test_a_run_over_all_answerable_questions_is_whole(
    scored: Scored, asked: list[int], *, whole: bool
) -> None:
    assert scored(asked=asked).whole is whole


def test_recall_leaves_out_adversarial_questions_and_those_without_evidence(
    scored: Scored,
) -> None:
    assert scored().recall() == Mean(value=0.75, count=2)
    assert scored().recall(Category.TEMPORAL) == Mean(value=0.5, count=1)
    assert scored().recall(Category.MULTI_HOP) == Mean(value=None, count=0)


@pytest.mark.parametrize(
    ("memory", "recall"),
    [
        ({"name": "claude-mem", "via": "observation"}, Mean(value=0.0, count=2)),
        ({"name": "claude-mem", "via": "import"}, Mean(value=0.0, count=2)),
        ({"name": "embedded"}, Mean(value=None, count=0)),
    ],
)
def test_sessions_that_nothing_was_found_of_are_sessions_missed(
    scored: Scored, memory: dict[str, Json], recall: Mean
) -> None:
    whole = scored()
    identity = {**whole.facts.identity, "memory": memory}
    nothing = replace(
        whole,
        facts=replace(whole.facts, identity=identity),
        outcomes=tuple(replace(each, hits=()) for each in whole.outcomes),
    )

    assert nothing.session_recall() == recall


def test_abstentions_are_shares_of_the_answered(scored: Scored) -> None:
    results = scored((None, "unanswerable", "Miso", "no"))

    assert results.abstention() == Mean(value=0.0, count=1)
    assert results.false_abstention() == Mean(value=0.5, count=2)
    assert scored((None,) * 4).abstention() == Mean(value=None, count=0)


def test_wrong_golds_are_left_out_and_never_replaced(scored: Scored) -> None:
    results = scored(wrong_golds=frozenset({"tiny:1"}))

    right = results.f1_right_golds("locomo")
    assert right is not None
    assert (right.mean, right.count) == (0.75, 2)
    assert results.f1_overall("locomo").count == 3


def test_records_carry_question_category_and_conversation(scored: Scored) -> None:
    failed, *_ = f1_records(scored((None, "b", "c", "d")).outcomes, "mem0")

    assert (failed.item, failed.category, failed.cluster, failed.value) == (
        "tiny:0",
        4,
        "tiny",
        None,
    )


@pytest.mark.parametrize("step", ["search", "answer", "total"])
def test_the_latency_of_a_step(scored: Scored, step: str) -> None:
    found = scored((None, "b", "c", "d")).latency(step)

    expected = {"search": 30.0, "answer": 100.0, "total": 130.0}
    assert (found.p50, found.count) == (expected[step], 3)
