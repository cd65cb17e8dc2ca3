import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_judge import Reliability, krippendorff_alpha, measure_reliability

# The worked example of Krippendorff (2011), section E: four observers, twelve units.
# The published alpha for interval data is 0.849.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
# The binary example of section A: two observers, ten units, alpha 0.095.
BINARY_OBSERVERS = [
    [0, 1, 0, 0, 0, 0, 0, 0, 1, 0],
    [1, 1, 1, 0, 0, 1, 0, 0, 0, 0],
]

scores = st.one_of(st.none(), st.integers(0, 100).map(float))
items = st.lists(st.lists(scores, max_size=5), max_size=8)


def test_alpha_is_that_of_the_published_examples() -> None:
    interval = krippendorff_alpha(zip(*OBSERVERS, strict=True))
    binary = krippendorff_alpha(zip(*BINARY_OBSERVERS, strict=True))

    assert interval == pytest.approx(0.849, abs=5e-4)
    assert binary == pytest.approx(0.095, abs=5e-4)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([(1, 1, 1), (0, 0, 0)], 1),
        # six scores, mean 2/3: expected (4/3)/5, observed (3 * (2/3) / 2) / 6
        ([(1, 1, 1), (0, 1, 0)], 0.375),
        # four scores: expected 1/3, observed (2 * 0.5 + 2 * 0.5) / 4
        ([(0, 1), (1, 0)], -0.5),
        ([(1, 1), (1, 1)], None),
        ([(1,), (None, 0), ()], None),
        ([], None),
    ],
)
def test_alpha_by_hand(
    runs: list[tuple[float | None, ...]], expected: float | None
) -> None:
    assert krippendorff_alpha(runs) == (
        None if expected is None else pytest.approx(expected)
    )


def test_agreement_and_flips_by_hand() -> None:
    measured = measure_reliability([(1, 1, 1), (0, 1, 0), (None, 1, None), ()])

    assert (measured.item_count, measured.excluded_count) == (2, 2)
    assert measured.pairwise_agreement == pytest.approx((1 + 1 / 3) / 2)
    assert measured.flip_rate == 0.5
    assert measured.alpha == pytest.approx(0.375)


def test_a_tolerance_forgives_small_differences() -> None:
    runs = [(70, 72, 68), (20, 40)]

    strict = measure_reliability(runs)
    lenient = measure_reliability(runs, tolerance=2)

    assert (strict.pairwise_agreement, strict.flip_rate) == (0, 1)
    # pairs 70-72 and 70-68 agree, 72-68 and 20-40 do not
    assert lenient.pairwise_agreement == pytest.approx((2 / 3 + 0) / 2)
    assert lenient.flip_rate == 1
    assert lenient.alpha == strict.alpha


def test_nothing_to_compare_gives_no_figure_rather_than_zero() -> None:
    assert measure_reliability([(1,), (None, None)]) == Reliability(
        item_count=0,
        excluded_count=2,
        pairwise_agreement=None,
        flip_rate=None,
        alpha=None,
    )


def test_a_tolerance_or_score_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="tolerance must not be negative"):
        measure_reliability([(1, 1)], tolerance=-1)
    with pytest.raises(ValueError, match="finite number, got nan"):
        krippendorff_alpha([(1, float("nan"))])


@given(items)
def test_the_figures_keep_their_bounds(runs: list[list[float | None]]) -> None:
    measured = measure_reliability(runs)

    assert measured.item_count + measured.excluded_count == len(runs)
    assert (measured.alpha or 0) <= 1
    for share in (measured.pairwise_agreement, measured.flip_rate):
        assert share is None or 0 <= share <= 1
    if measured.flip_rate == 0:
        assert measured.pairwise_agreement == 1
        assert measured.alpha in (None, 1)


@given(items)
def test_neither_order_nor_scale_of_the_scores_matters_to_alpha(
    runs: list[list[float | None]],
) -> None:
    moved = [
        [None if score is None else 2 * score + 10 for score in reversed(item)]
        for item in reversed(runs)
    ]

    alpha, other = krippendorff_alpha(runs), krippendorff_alpha(moved)

    assert (alpha is None) == (other is None)
    if alpha is not None:
        assert other == pytest.approx(alpha)
