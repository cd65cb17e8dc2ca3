import pytest
from llm_judge import Label, LabelScale, NumberScale
from pydantic import ValidationError

SCALE = LabelScale(
    labels={
        "CORRECT": Label(score=1),
        "WRONG": Label(score=0, aliases=("incorrect", "not correct")),
    }
)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("CORRECT", "CORRECT"),
        (" correct\n", "CORRECT"),
        ("**Correct!**", "CORRECT"),
        ("incorrect", "WRONG"),
        ("Not \t correct.", "WRONG"),
        # a label inside a longer text is not the label
        ("incorrectly", None),
        ("partially correct", None),
        ("not wrong", None),
        ("CORRECT or WRONG", None),
        ("", None),
        ("...", None),
    ],
)
def test_a_label_is_found_as_a_whole_and_never_as_a_part(
    text: str, label: str | None
) -> None:
    assert SCALE.find(text) == label


@pytest.mark.parametrize(("minimum", "maximum"), [(1, 1), (5, 1)])
def test_a_number_scale_without_room_is_refused(minimum: int, maximum: int) -> None:
    with pytest.raises(ValidationError, match="must be below maximum"):
        NumberScale(minimum=minimum, maximum=maximum)


@pytest.mark.parametrize("bound", ["nan", "inf"])
def test_a_bound_that_is_no_finite_number_is_refused(bound: str) -> None:
    with pytest.raises(ValidationError, match="finite"):
        NumberScale(minimum=0, maximum=float(bound))


@pytest.mark.parametrize("alias", ["correct", "  ", "Correct."])
def test_two_labels_cannot_share_a_word_or_have_none(alias: str) -> None:
    with pytest.raises(ValidationError, match="empty or stands there twice"):
        LabelScale(
            labels={"CORRECT": Label(score=1), "NO": Label(score=0, aliases=(alias,))}
        )


def test_one_label_is_no_scale() -> None:
    with pytest.raises(ValidationError, match="at least 2"):
        LabelScale(labels={"FINE": Label(score=1)})
