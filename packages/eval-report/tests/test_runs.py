import math
from dataclasses import asdict
from typing import Any

import pytest
from eval_report import Record, run_noise


def judged(*runs: tuple[float | None, ...]) -> list[Record]:
    return [
        Record.from_runs(item=f"q{i}", category=1, cluster="c", metric="j", runs=scores)
        for i, scores in enumerate(runs)
    ]


@pytest.mark.parametrize("system", ["A", "B"])
@pytest.mark.parametrize("part", ["overall", 1, 2, 3, 4])
def test_figures_equal_the_reference(
    system: str,
    part: str | int,
    synthetic: dict[str, list[Record]],
    reference: dict[str, Any],
) -> None:
    key = part if isinstance(part, str) else f"category_{part}"
    expected = reference[system].get(key)
    if expected is None:  # the reference has categories for A only
        expected = reference[system]["overall"]
        part = "overall"
    records = [r for r in synthetic[system] if part in {"overall", r.category}]

    noise = run_noise(records)

    assert (noise.count, noise.runs, noise.flipped) == (
        expected["n"],
        expected["runs"],
        expected["flipped_questions"],
    )
    assert noise.complete == noise.count
    assert noise.run_scores == pytest.approx(expected["run_scores"], abs=1e-9)
    assert [
        noise.run_std_dev,
        noise.run_std_dev_published_style,
        noise.per_question_std_dev,
        noise.all_scores_std_dev,
        noise.within_variance,
    ] == pytest.approx(
        [
            expected["run_std_ddof1"],
            expected["run_std_ddof0"],
            expected["per_question_std_ddof1"],
            expected["pooled_std_all_scores_ddof0"],
            expected["mean_within_question_var_ddof1"],
        ],
        abs=1e-9,
    )
    # with equally many runs everywhere the two ways to average are one
    assert noise.pooled_std_dev == pytest.approx(
        expected["mean_within_question_var_ddof1"] ** 0.5, abs=1e-9
    )


def test_between_and_within_add_up_to_the_variance_of_the_means(
    synthetic: dict[str, list[Record]],
) -> None:
    noise = run_noise(synthetic["A"])

    assert noise.between_variance is not None
    assert noise.within_variance is not None
    assert noise.per_question_std_dev is not None
    assert noise.between_variance + noise.within_variance / 5 == pytest.approx(
        noise.per_question_std_dev**2
    )


def test_runs_without_a_score_are_left_out_by_hand(holed: list[Record]) -> None:
    noise = asdict(run_noise(holed))

    assert noise.pop("run_scores") == (0.5, 0.5, 1.0)
    assert noise == pytest.approx(
        {
            "count": 3,
            "runs": 3,
            "unscored_runs": 4,
            "complete": 2,
            "run_std_dev": math.sqrt(1 / 12),
            "run_std_dev_published_style": math.sqrt(1 / 18),
            "per_question_std_dev": math.sqrt(1 / 27),
            "all_scores_std_dev": math.sqrt(0.1875),
            "repeated": 3,
            "pooled_std_dev": math.sqrt(4 / 15),
            "within_variance": 2 / 9,
            "between_variance": 0,  # 1/27 - 2/27 is below 0
            "flipped": 2,
            "flip_rate": 2 / 3,
        }
    )


def test_a_run_that_only_some_questions_have_is_compared_on_those() -> None:
    noise = run_noise(judged((1, 0, 1), (1, 1, 0), (0, 0), (1,)))

    assert (noise.count, noise.complete, noise.run_scores) == (4, 2, (1.0, 0.5, 0.5))
    assert noise.unscored_runs == 0


def test_a_run_index_without_any_score_is_no_run() -> None:
    noise = run_noise(judged((1, None, 0), (0, None, 1)))

    assert (noise.runs, noise.complete, noise.run_scores) == (2, 2, (0.5, 0.5))
    assert noise.unscored_runs == 2


@pytest.mark.parametrize("runs", [(), ((None,),), ((1,), (0,))])
def test_fewer_than_two_runs_have_no_spread(
    runs: tuple[tuple[float | None, ...]],
) -> None:
    noise = run_noise(judged(*runs))

    assert (
        noise.run_std_dev,
        noise.run_std_dev_published_style,
        noise.pooled_std_dev,
        noise.within_variance,
        noise.between_variance,
        noise.flip_rate,
    ) == (None,) * 6


def test_one_repeated_question_has_no_variance_between_questions() -> None:
    noise = run_noise(judged((1, 0)))

    assert noise.within_variance == 0.5
    assert noise.between_variance is None


def test_runs_that_agree_have_a_spread_of_zero_and_it_is_not_missing() -> None:
    noise = run_noise(judged((1, 1), (0, 0)))

    assert (noise.run_std_dev, noise.pooled_std_dev, noise.flip_rate) == (0, 0, 0)
