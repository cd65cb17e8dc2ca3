import pytest
from qa_f1._overlap import multiset_overlap


@pytest.mark.parametrize(
    ("prediction", "gold", "overlap"),
    [
        ("", "", 0),
        ("x", "", 0),
        ("", "x", 0),
        ("x y", "z", 0),
        ("x x x", "x", 1),
        ("x", "x x x", 1),
        ("x x y", "x y y", 2),
        ("x y z", "z y x", 3),
    ],
)
def test_a_token_counts_as_often_as_both_have_it(
    prediction: str, gold: str, overlap: int
) -> None:
    assert multiset_overlap(prediction.split(), gold.split()) == overlap
