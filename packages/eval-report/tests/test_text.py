import unicodedata

from eval_report import Table, render_text
from hypothesis import given
from hypothesis import strategies as st

any_text = st.text(st.characters(exclude_categories=[]), max_size=30)


def test_columns_are_aligned_and_numbers_set_to_the_right() -> None:
    table = Table(
        title="Scores",
        columns=("System", "F1"),
        rows=(("ours", "41.2"), ("the other", "7.0")),
        notes=("n = 2",),
    )

    assert render_text(table) == (
        "Scores\n"
        "\n"
        "System       F1\n"
        "---------  ----\n"
        "ours       41.2\n"
        "the other   7.0\n"
        "\n"
        "- n = 2\n"
    )


def test_wide_and_combining_characters_are_measured_as_a_terminal_shows_them() -> None:
    table = Table(
        title="T", columns=("a", "b"), rows=(("日本", "x"), ("e\u0301\u200b", "y"))
    )

    assert render_text(table).splitlines()[3:] == [
        "----  -",
        "日本  x",
        "e\u0301\u200b     y",
    ]


@given(any_text, any_text)
def test_no_cell_can_steer_the_terminal(one: str, two: str) -> None:
    table = Table(title=one, columns=(one, "b"), rows=((two, one),), notes=(two,))

    text = render_text(table)

    assert len(text.splitlines()) == 7
    assert not {"Cc", "Cs"} & {
        unicodedata.category(char) for char in text.replace("\n", "")
    }
