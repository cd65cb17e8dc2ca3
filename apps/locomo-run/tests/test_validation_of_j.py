"""A run whose judge failed must not look like one that was not judged."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from llm_judge import GRADED, JudgeSettings
from locomo_run.judging.judge import Judge
from locomo_run.judging.judged import MISSING, Judged, JudgeRun
from locomo_run.reporting.results import Results
from locomo_run.reporting.validation import Verdict, over_budget, validate

Scored = Callable[..., Results]

GOOD = JudgeRun("ok", 80.0)
BAD = JudgeRun("unparsed")


def judged_results(scored: Scored, *runs: tuple[JudgeRun, ...]) -> Results:
    """Results whose answerable questions were judged like this, in order."""
    results = scored(("a", "b", "c", "d"))
    asked = results.answerable
    said = {o.question.id: ended for o, ended in zip(asked, runs, strict=True)}
    judge = Judge(protocol=GRADED, settings=JudgeSettings(), runs=len(runs[0]))
    judged = Judged(judge=judge, runs=said, extra={}, asked=asked)
    return replace(results, judged=(judged,))


def verdicts(results: Results, error_budget: float = 0.02) -> dict[str, Verdict]:
    return {each.name: each.verdict for each in validate(results, error_budget)}


def test_five_good_runs_each_pass(scored: Scored) -> None:
    results = judged_results(scored, *[(GOOD,) * 5] * 3)

    found = verdicts(results)

    assert found["J graded"] is Verdict.PASS
    assert found["judge runs graded"] is Verdict.PASS
    assert "J" not in found
    assert over_budget(results, 0.0) == ""


def test_fewer_than_five_good_runs_warn(scored: Scored) -> None:
    results = judged_results(scored, (GOOD,) * 5, (GOOD,) * 5, (*(GOOD,) * 4, BAD))

    assert verdicts(results)["judge runs graded"] is Verdict.WARN
    assert verdicts(results)["J graded"] is Verdict.PASS


@pytest.mark.parametrize("lost", [BAD, MISSING], ids=["failed", "not bought"])
def test_a_question_without_any_j_fails(scored: Scored, lost: JudgeRun) -> None:
    results = judged_results(scored, (GOOD,), (lost,), (GOOD,))

    assert verdicts(results)["J graded"] is Verdict.FAIL
    assert verdicts(results, error_budget=0.5)["J graded"] is Verdict.WARN
    assert "1 of 3 questions have no J under graded" in over_budget(results, 0.02)
    assert over_budget(results, 0.5) == ""


def test_a_judge_that_never_worked_is_no_skipped_judge(scored: Scored) -> None:
    results = judged_results(scored, (BAD,), (BAD,), (BAD,))

    checks = {each.name: each for each in validate(results)}

    assert checks["J graded"].verdict is Verdict.FAIL
    assert checks["J graded"].found.startswith("3 of 3 questions without J: tiny:")


def test_a_failed_question_within_the_budget_warns_and_beyond_it_fails(
    scored: Scored,
) -> None:
    results = scored((None, "b", "c", "d"))

    assert verdicts(results, error_budget=0.25)["questions"] is Verdict.WARN
    assert verdicts(results, error_budget=0.24)["questions"] is Verdict.FAIL
    assert bool(over_budget(results, 0.24)) is True
    assert over_budget(results, 0.25) == ""
