import pytest
from locomo_dataset import Category


@pytest.mark.parametrize(
    ("number", "label"),
    [
        (1, "multi-hop"),
        (2, "temporal"),
        (3, "open-domain"),
        (4, "single-hop"),
        (5, "adversarial"),
    ],
)
def test_numbers_carry_the_names_of_the_official_scorer(
    number: int, label: str
) -> None:
    assert Category(number).label == label
