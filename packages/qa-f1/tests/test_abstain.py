import pytest
from qa_f1 import locomo_abstain


@pytest.mark.parametrize(
    ("prediction", "abstains"),
    [
        ("", False),
        ("not mentioned", True),
        ("This was NOT MENTIONED at all.", True),
        ("No information available", True),
        ("No information is available", False),
        ("not  mentioned", False),
        ("not\nmentioned", False),
        ("unmentioned", False),
        ("It was not mentioned, but I guess yes", True),
        ("I do not know", False),
    ],
)
def test_only_the_two_official_phrases_abstain(prediction: str, abstains: bool) -> None:
    assert locomo_abstain(prediction) is abstains
