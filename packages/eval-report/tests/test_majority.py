from typing import Any

import pytest
from eval_report import MajorityVote, Record, majority_vote, wilson_interval


def judged(*runs: tuple[float | None, ...]) -> list[Record]:
    return [
        Record.from_runs(item=f"q{i}", category=1, cluster="c", metric="j", runs=scores)
        for i, scores in enumerate(runs)
    ]


@pytest.mark.parametrize("system", ["A", "B"])
def test_figures_equal_the_reference(
    system: str, synthetic: dict[str, list[Record]], reference: dict[str, Any]
) -> None:
    expected = reference[system]["overall"]

    vote = majority_vote(synthetic[system])

    assert vote.accuracy == pytest.approx(expected["majority_vote_accuracy"], abs=1e-9)
    assert vote.interval is not None
    assert [vote.interval.low, vote.interval.high] == pytest.approx(
        expected["majority_wilson95"], abs=1e-9
    )
    assert vote.correct + vote.wrong == expected["n"]


def test_ties_and_missing_questions_stand_apart() -> None:
    vote = majority_vote(judged((1, 1, None), (1, 0), (None, 0, 1), (None,), (0, 0, 1)))

    assert vote == MajorityVote(
        correct=1,
        wrong=1,
        ties=2,
        missing=1,
        accuracy=0.5,
        interval=wilson_interval(1, 2),
    )


def test_nothing_decided_has_no_accuracy() -> None:
    vote = majority_vote(judged((1, 0)))

    assert (vote.accuracy, vote.interval, vote.ties) == (None, None, 1)


def test_a_mark_of_a_hundred_counts_like_one() -> None:
    assert majority_vote(judged((100, 100, 0)), full_mark=100).correct == 1


def test_grades_have_no_majority() -> None:
    with pytest.raises(ValueError, match=r"q0: runs .* are not verdicts of 0 or 1"):
        majority_vote(judged((0.5, 1)))
