from collections.abc import Callable
from dataclasses import replace

import pytest
from locomo_run.reporting.results import Results
from locomo_run.reporting.validation import Check, Verdict, over_budget, validate
from locomo_run.selection import Selection

Scored = Callable[..., Results]


def check(results: Results, name: str) -> Check:
    (found,) = (each for each in validate(results) if each.name == name)
    return found


def test_a_whole_run_passes(scored: Scored) -> None:
    assert {each.verdict for each in validate(scored())} == {Verdict.PASS}


def test_the_checks_are_these(scored: Scored) -> None:
    assert [each.name for each in validate(scored())] == [
        "questions",
        "categories",
        "F1",
        "J",
        "empty predictions",
        "latency",
    ]


def test_questions_without_an_answer_fail_and_are_named(scored: Scored) -> None:
    found = check(scored((None, "b", "c", "d"), missing=[2]), "questions")

    assert found == Check(
        name="questions",
        verdict=Verdict.FAIL,
        found="2 answered of 4 selected: tiny:0, tiny:2",
    )


def test_only_a_few_questions_are_named(scored: Scored) -> None:
    found = check(scored((None,) * 4), "questions")

    assert found.found == (
        "0 answered of 4 selected: tiny:0, tiny:1, tiny:2 and 1 more"
    )


def test_a_requested_category_that_is_not_there_fails(scored: Scored) -> None:
    results = scored(asked=[0], selections=(Selection(categories=(4, 3)),))

    assert check(results, "categories") == Check(
        name="categories",
        verdict=Verdict.FAIL,
        found="requested but not present: [3]",
    )


def test_a_subset_warns(scored: Scored) -> None:
    found = check(scored(asked=[0, 3]), "categories")

    assert (found.verdict, found.found) == (
        Verdict.WARN,
        "present: [4, 5]; a subset, not comparable with published rows",
    )


def test_adversarial_questions_need_no_f1(scored: Scored) -> None:
    assert check(scored(), "F1").verdict is Verdict.PASS
    assert check(scored((None, "b", "c", "d")), "F1").verdict is Verdict.PASS


@pytest.mark.parametrize("lost", ["all", "one"])
def test_an_answer_without_f1_fails(scored: Scored, lost: str) -> None:
    results = scored()
    first, *others = results.outcomes
    assert first.scores is not None
    scores = (
        None
        if lost == "all"
        else replace(first.scores, f1={**first.scores.f1, "mem0": None})
    )
    changed = replace(first, scores=scores)

    found = check(replace(results, outcomes=(changed, *others)), "F1")

    assert (found.verdict, found.found) == (
        Verdict.FAIL,
        "1 answered questions without F1 (adversarial apart): tiny:0",
    )


def test_empty_predictions_warn_with_their_count(scored: Scored) -> None:
    found = check(scored(("", " \n", "c", "d")), "empty predictions")

    assert (found.verdict, found.found) == (Verdict.WARN, "2 of 4: tiny:0, tiny:1")


@pytest.mark.parametrize("step", ["search_ms", "answer_ms"])
def test_an_answer_without_a_latency_fails(scored: Scored, step: str) -> None:
    results = scored()
    *others, last = results.outcomes
    changed = replace(last, **{step: None})  # type: ignore[arg-type]  # by its name

    found = check(replace(results, outcomes=(*others, changed)), "latency")

    assert (found.verdict, found.found) == (
        Verdict.FAIL,
        "1 answered questions without a latency: tiny:3",
    )


@pytest.mark.parametrize(
    ("failed", "budget", "over"),
    [(0, 0.0, False), (1, 0.0, True), (1, 0.25, False), (2, 0.25, True), (4, 1, False)],
)
def test_failures_are_compared_with_the_budget(
    scored: Scored, *, failed: int, budget: float, over: bool
) -> None:
    predictions = (None,) * failed + ("a",) * (4 - failed)

    assert bool(over_budget(scored(predictions), budget)) is over


def test_too_many_failures_are_put_into_words(scored: Scored) -> None:
    assert over_budget(scored((None, None, "c", "d")), 0.25) == (
        "2 of 4 questions failed, more than the error budget of 25.0%; "
        "the same command asks again what brought no reply, and with --retry-failed "
        "also what was refused, cut off or unreadable"
    )


def test_missing_questions_are_no_failures(scored: Scored) -> None:
    assert over_budget(scored(missing=[0, 1, 2, 3]), 0.0) == ""


def test_nothing_asked_is_within_any_budget(scored: Scored) -> None:
    assert over_budget(scored(asked=[]), 0.0) == ""
