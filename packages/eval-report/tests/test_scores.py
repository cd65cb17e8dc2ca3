import pytest
from eval_report import F1Scores, JudgeScores, JudgeSummary, Summary


def summary(count: int, missing: int = 0, score: float = 0.5) -> Summary:
    return Summary(
        count=count,
        missing=missing,
        mean=score,
        std_dev=0.0,
        minimum=score,
        maximum=score,
        pessimistic_mean=score,
    )


def f1(
    by_category: dict[int, Summary], overall: Summary, *, expected: int = 9
) -> F1Scores:
    return F1Scores(
        name="ours",
        profile="p",
        signature="s",
        by_category=by_category,
        overall=overall,
        covered=(1, 2),
        expected=expected,
    )


@pytest.mark.parametrize(
    ("by_category", "overall", "problem"),
    [
        ({3: summary(1)}, summary(1), r"categories \[3\] are not covered"),
        ({1: summary(1)}, summary(2), "do not add up"),
        ({1: summary(2, 1)}, summary(2), "do not add up"),
        ({1: summary(9, 1)}, summary(9, 1), "10 questions, but only 9 expected"),
        ({1: summary(1, 0, 50)}, summary(1, 0, 50), "score 50 is above 1"),
    ],
)
def test_scores_that_contradict_themselves_are_refused(
    by_category: dict[int, Summary], overall: Summary, problem: str
) -> None:
    with pytest.raises(ValueError, match=f"ours: .*{problem}|ours: {problem}"):
        f1(by_category, overall)


def test_unscored_questions_count_as_asked() -> None:
    run = f1({1: summary(6, 1), 2: summary(2)}, summary(8, 1))

    assert (run.asked, run.whole) == (9, True)
    assert (run.asked_in(1), run.asked_in(2), run.asked_in(3)) == (7, 2, 0)


def test_a_run_of_less_than_expected_is_not_the_whole() -> None:
    assert not f1({1: summary(6)}, summary(6)).whole


def test_a_judge_that_grades_up_to_100_keeps_its_scale() -> None:
    judged = JudgeSummary(
        count=1,
        missing=0,
        mean=70,
        std_dev=0.0,
        minimum=70,
        maximum=70,
        pessimistic_mean=70,
        pooled_std_dev=None,
        run_std_dev=None,
        runs=1,
        unscored_runs=0,
    )

    run = JudgeScores(
        name="ours",
        protocol="graded",
        kind="graded",
        judge="m",
        signature="s",
        by_category={1: judged},
        overall=judged,
        covered=(1,),
        expected=1,
        full_mark=100,
    )

    assert run.scale == 1
