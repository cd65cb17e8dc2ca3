import math
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from eval_report import (
    SIGN_FLIP_DRAWS,
    PairedDifference,
    Record,
    holm,
    paired_bootstrap_interval,
    paired_difference,
    sign_flip_p,
    smallest_detectable_difference,
)
from hypothesis import given, settings
from hypothesis import strategies as st


def run(
    values: Sequence[float | None], clusters: Sequence[str] = "aabb"
) -> list[Record]:
    return [
        Record(item=f"q{i}", category=1, cluster=cluster, metric="f1", value=value)
        for i, (cluster, value) in enumerate(zip(clusters, values, strict=True))
    ]


def test_figures_equal_the_reference(
    synthetic: dict[str, list[Record]], reference: dict[str, Any]
) -> None:
    expected = reference["A_minus_B"]

    result = paired_difference(synthetic["A"], synthetic["B"])

    assert result.interval is not None
    assert [
        result.difference,
        result.iid_std_error,
        result.std_error,
        result.unpaired_std_error,
        result.correlation,
        result.interval.low,
        result.interval.high,
        result.sign_flip_p,
    ] == pytest.approx(
        [
            expected["mean_difference"],
            expected["se_paired"],
            expected["se_paired_clustered"],
            expected["se_unpaired"],
            expected["correlation"],
            *expected["ci95_t_clustered"],
            expected["sign_flip_p_exact_over_conversations"],
        ],
        abs=1e-9,
    )
    assert (result.wins, result.losses, result.ties) == (
        expected["wins"],
        expected["losses"],
        expected["ties"],
    )
    assert (result.count, result.unpaired, result.clusters) == (166, 0, 10)


def test_the_bootstrap_equals_the_reference_within_its_noise(
    synthetic: dict[str, list[Record]], reference: dict[str, Any]
) -> None:
    interval = paired_bootstrap_interval(synthetic["A"], synthetic["B"])

    assert interval is not None
    assert [interval.low, interval.high] == pytest.approx(
        reference["bootstrap_reference"]["A_minus_B_ci95"], abs=0.005
    )


def test_questions_without_a_partner_are_counted_and_left_out() -> None:
    a = run([1, 1, None, 0.5])
    b = run([0, 1, 1, 0.25])[:3]  # q3 is not in b at all, q2 has no score in a

    result = paired_difference(a, b)

    assert (result.count, result.unpaired, result.clusters) == (2, 2, 1)
    assert result.difference == 0.5
    assert (result.wins, result.losses, result.ties) == (1, 0, 1)
    assert (result.std_error, result.interval, result.sign_flip_p) == (None,) * 3
    assert result.smallest_detectable is None


def test_runs_with_no_question_in_common_have_no_difference() -> None:
    assert paired_difference(run([1, 1, 1, 1]), []) == PairedDifference(
        count=0,
        unpaired=4,
        clusters=0,
        difference=None,
        std_error=None,
        interval=None,
        iid_std_error=None,
        unpaired_std_error=None,
        correlation=None,
        sign_flip_p=None,
        wins=0,
        losses=0,
        ties=0,
        smallest_detectable=None,
    )


def test_a_run_that_does_not_vary_has_no_correlation() -> None:
    varied = run([1, 0, 1, 0])

    assert paired_difference(run([1, 1, 1, 1]), varied).correlation is None
    assert paired_difference(varied, run([1, 1, 1, 1])).correlation is None


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([1, 1, 1], 2 / 8),  # only all plus and all minus are as extreme
        ([1, -1, 1], 8 / 8),  # |1| is the smallest sum that any pattern has
        ([3, 1, 0], 4 / 8),  # |4|, in either direction, whatever the zero's sign
        # the sum is 0, which every pattern reaches: rounding must not hide some
        ([0.5, -0.2, -0.5, -0.2, 0.6, -0.4, 0.0, 0.2, 0.0], 1),
        ([0.5, -0.2, -0.5, 0.0, -0.2, 0.6, -0.4, 0.0, 0.2], 1),
    ],
)
def test_the_sign_flip_counts_every_pattern(differences: list[float], p: float) -> None:
    clusters = "abcdefghi"[: len(differences)]
    a, b = run(differences, clusters), run([0] * len(differences), clusters)

    assert paired_difference(a, b).sign_flip_p == pytest.approx(p)


@pytest.mark.parametrize(("count", "total"), [(40, 0), (40, 10), (40, 14), (400, 36)])
def test_with_many_clusters_the_sign_flip_estimates_the_binomial_tail(
    count: int, total: int
) -> None:
    """Differences of one: a pattern's sum is that of so many coins."""
    plus = (count + total) // 2
    differences = [1.0] * plus + [-1.0] * (count - plus)
    clusters = [f"c{i}" for i in range(count)]
    tail = sum(
        math.comb(count, heads)
        for heads in range(count + 1)
        if abs(2 * heads - count) >= total
    )
    exact = tail / 2**count

    p = paired_difference(
        run(differences, clusters), run([0] * count, clusters)
    ).sign_flip_p

    assert p is not None
    assert abs(p - exact) <= 1e-5 + 4 * math.sqrt(exact * (1 - exact) / SIGN_FLIP_DRAWS)


def test_an_estimated_sign_flip_is_never_zero() -> None:
    clusters = [f"c{i}" for i in range(60)]

    result = paired_difference(run([1] * 60, clusters), run([0] * 60, clusters))

    assert result.sign_flip_p == 1 / (SIGN_FLIP_DRAWS + 1)


@given(
    st.lists(st.floats(-1, 1), min_size=18, max_size=24),
    st.randoms(use_true_random=False),
)
@settings(max_examples=20, deadline=None)
def test_the_order_of_the_clusters_does_not_change_the_sign_flip(
    sums: list[float], random: Random
) -> None:
    again = random.sample(sums, len(sums))

    assert sign_flip_p(again) == sign_flip_p(sums) == sign_flip_p([-s for s in sums])


def test_runs_that_disagree_about_a_question_are_not_compared() -> None:
    with pytest.raises(ValueError, match="q0: the runs disagree about it"):
        paired_difference(run([1, 1, 1, 1]), run([1, 1, 1, 1], "bbbb"))


def test_an_item_that_occurs_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="q0 occurs twice"):
        paired_difference([*run([1], "a"), *run([1], "a")], [])


def test_the_smallest_detectable_difference_follows_the_table_of_t() -> None:
    # t(0.975; 9) = 2.262157, t(0.8; 9) = 0.883404
    assert smallest_detectable_difference(2.0, 10) == pytest.approx(6.291122, abs=1e-5)
    assert smallest_detectable_difference(None, 10) is None
    assert smallest_detectable_difference(1.0, 1) is None


@pytest.mark.parametrize(
    ("given_p", "adjusted"),
    [
        ({}, {}),
        ({"a": 0.3}, {"a": 0.3}),
        # 3 * 0.01, 2 * 0.02, then 0.03 raised to the one before
        ({"a": 0.01, "b": 0.03, "c": 0.02}, {"a": 0.03, "b": 0.04, "c": 0.04}),
        ({"a": 0.6, "b": 0.5}, {"a": 1.0, "b": 1.0}),
        ({"a": None, "b": 0.02}, {"a": None, "b": 0.02}),
    ],
)
def test_holm_by_hand(
    given_p: dict[str, float | None], adjusted: dict[str, float | None]
) -> None:
    assert holm(given_p) == pytest.approx(adjusted)


def test_holm_refuses_what_is_no_probability() -> None:
    with pytest.raises(ValueError, match=r"b: 1\.5 is not a p value"):
        holm({"b": 1.5})


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 4), st.integers(0, 4)))
)
def test_exchanging_the_runs_only_turns_the_sign(
    rows: list[tuple[str, int, int]],
) -> None:
    clusters = [cluster for cluster, _, _ in rows]
    a, b = (
        run([x for _, x, _ in rows], clusters),
        run([y for _, _, y in rows], clusters),
    )

    forth, back = paired_difference(a, b), paired_difference(b, a)

    assert forth.difference == (None if back.difference is None else -back.difference)
    assert (forth.wins, forth.losses, forth.ties) == (back.losses, back.wins, back.ties)
    assert forth.sign_flip_p == back.sign_flip_p
    assert forth.std_error == pytest.approx(back.std_error)
