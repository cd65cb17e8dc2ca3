from typing import Any

import pytest
import scipy.stats
from eval_report import (
    ClusteredMean,
    Interval,
    Record,
    bootstrap_interval,
    clustered_mean,
    wilson_interval,
)
from hypothesis import given
from hypothesis import strategies as st


def scored(*rows: tuple[str, float | None]) -> list[Record]:
    return [
        Record(item=f"q{i}", category=1, cluster=cluster, metric="f1", value=value)
        for i, (cluster, value) in enumerate(rows)
    ]


def ends(interval: Interval | None) -> list[float]:
    assert interval is not None
    return [interval.low, interval.high]


@pytest.mark.parametrize(
    ("system", "part"),
    [
        ("A", "overall"),
        ("A", "category_1"),
        ("A", "category_2"),
        ("A", "category_3"),
        ("A", "category_4"),
        ("B", "overall"),
    ],
)
def test_figures_equal_the_reference(
    system: str,
    part: str,
    synthetic: dict[str, list[Record]],
    reference: dict[str, Any],
) -> None:
    expected = reference[system][part]
    records = [
        r for r in synthetic[system] if part in {"overall", f"category_{r.category}"}
    ]

    result = clustered_mean(records)

    assert (result.count, result.clusters) == (expected["n"], expected["clusters"])
    assert [
        result.mean,
        result.std_error,
        result.iid_std_error,
        result.design_effect,
        *ends(result.interval),
        *ends(result.iid_interval),
    ] == pytest.approx(
        [
            expected["mean"],
            expected["se_clustered"],
            expected["se_iid"],
            expected["design_effect"],
            *expected["ci95_t_clustered"],
            *expected["ci95_t_iid"],
        ],
        abs=1e-9,
    )


def test_the_bootstrap_equals_the_reference_within_its_noise(
    synthetic: dict[str, list[Record]], reference: dict[str, Any]
) -> None:
    expected = reference["bootstrap_reference"]["A_mean_ci95"]

    assert ends(bootstrap_interval(synthetic["A"])) == pytest.approx(
        expected, abs=0.005
    )


def test_unscored_questions_are_left_out_by_hand(holed: list[Record]) -> None:
    result = clustered_mean(holed)

    # q1 of cluster a is 1, q2 and q4 of cluster b are 2/3; q3 has no score
    assert (result.count, result.clusters) == (3, 2)
    assert result.mean == pytest.approx(7 / 9)
    assert result.std_error == pytest.approx(4 / 27)
    assert result.iid_std_error == pytest.approx(1 / 9)
    assert result.design_effect == pytest.approx(16 / 9)
    half = 12.706204736174698 * 4 / 27  # t(0.975) with one degree of freedom
    assert ends(result.interval) == pytest.approx([7 / 9 - half, 7 / 9 + half])


def test_one_cluster_has_no_clustered_error_but_an_independent_one() -> None:
    result = clustered_mean(scored(("a", 0), ("a", 1)))

    assert (result.std_error, result.interval, result.design_effect) == (None,) * 3
    assert result.iid_std_error == pytest.approx(0.5)
    assert bootstrap_interval(scored(("a", 0), ("a", 1))) is None


def test_one_question_has_a_mean_and_nothing_else() -> None:
    result = clustered_mean(scored(("a", 0.25), ("b", None)))

    assert result == ClusteredMean(
        count=1,
        clusters=1,
        mean=0.25,
        std_error=None,
        interval=None,
        iid_std_error=None,
        iid_interval=None,
        design_effect=None,
    )


def test_nothing_scored_gives_nothing() -> None:
    result = clustered_mean(scored(("a", None)))

    assert (result.count, result.clusters, result.mean) == (0, 0, None)
    assert (result.interval, result.iid_interval) == (None, None)


def test_scores_without_spread_have_no_design_effect() -> None:
    result = clustered_mean(scored(("a", 1), ("b", 1)))

    assert (result.std_error, result.iid_std_error, result.design_effect) == (
        0,
        0,
        None,
    )


def test_a_level_changes_only_the_width() -> None:
    rows = scored(("a", 0), ("b", 1), ("c", 1))

    narrow, wide = clustered_mean(rows, level=0.5), clustered_mean(rows)

    assert narrow.std_error == wide.std_error
    assert ends(wide.interval)[0] < ends(narrow.interval)[0]


def test_the_bootstrap_of_reordered_records_is_the_same() -> None:
    rows = scored(*((f"c{i}", i * i / 100) for i in range(10)))

    forth = bootstrap_interval(rows, resamples=50)

    assert forth == bootstrap_interval(rows[::-1], resamples=50)


def test_another_seed_draws_other_samples() -> None:
    rows = scored(*((f"c{i}", i * i / 100) for i in range(10)))

    assert bootstrap_interval(rows, resamples=50) != bootstrap_interval(
        rows, resamples=50, seed=1
    )


@pytest.mark.parametrize(("successes", "count"), [(0, 7), (7, 7), (1, 3), (65, 96)])
def test_wilson_equals_scipy(successes: int, count: int) -> None:
    expected = scipy.stats.binomtest(successes, count).proportion_ci(method="wilson")

    assert ends(wilson_interval(successes, count)) == pytest.approx(
        [expected.low, expected.high], abs=1e-12
    )


def test_no_trial_has_no_share() -> None:
    assert wilson_interval(0, 0) is None


@pytest.mark.parametrize(("successes", "count"), [(2, 1), (-1, 3)])
def test_impossible_counts_are_refused(successes: int, count: int) -> None:
    with pytest.raises(ValueError, match="successes of"):
        wilson_interval(successes, count)


@given(st.integers(0, 200), st.integers(1, 200))
def test_wilson_holds_the_share_inside_0_to_1(successes: int, more: int) -> None:
    count = successes + more

    low, high = ends(wilson_interval(successes, count))

    assert 0 <= low <= successes / count <= high <= 1
