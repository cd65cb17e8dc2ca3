import pytest
from locomo_dataset import DatasetError
from locomo_dataset._errors import quoted, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("data/café.json", "data/café.json"),
        ("a\r\nb\tc", r"a\r\nb\tc"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("left\u202eright", r"left\u202eright"),
        ("half \udcff", r"half \udcff"),
        ("x" * 301, "x" * 299 + "…"),
    ],
)
def test_any_text_is_shown_on_one_line(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("it's", '"it\'s"'), ("a\nb", r"'a\nb'"), ("x" * 61, f"'{'x' * 59}…'")],
)
def test_foreign_text_is_quoted_and_cut(text: str, expected: str) -> None:
    assert quoted(text) == expected


def test_an_error_shows_the_file_before_its_message() -> None:
    error = DatasetError("broken", file="a\nb.json", json_path="$")

    assert str(error) == r"a\nb.json: broken"
    assert (error.message, error.file, error.json_path) == ("broken", "a\nb.json", "$")
