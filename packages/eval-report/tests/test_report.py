import pytest
from eval_report import Section, Table, format_full_report


def test_sections_come_in_order_with_their_paragraphs_and_tables() -> None:
    table = Table(title="Scores", columns=("n",), rows=(("1",),), notes=("a note",))

    report = format_full_report(
        "A run",
        [
            Section(heading="Conditions", paragraphs=("One.", "Two.")),
            Section(heading="F1", tables=(table,)),
        ],
    )

    assert report == (
        "# A run\n"
        "\n"
        "## Conditions\n"
        "\n"
        "One.\n"
        "\n"
        "Two.\n"
        "\n"
        "## F1\n"
        "\n"
        "### Scores\n"
        "\n"
        "| n |\n"
        "| ---: |\n"
        "| 1 |\n"
        "\n"
        "- a note\n"
    )


def test_text_of_a_report_is_never_markup() -> None:
    report = format_full_report(
        "<b>", [Section(heading="a\n# b", paragraphs=("<img src=x>",))]
    )

    assert report == "# &lt;b&gt;\n\n## a \\# b\n\n&lt;img src=x&gt;\n"


def test_a_heading_without_a_result_is_refused() -> None:
    with pytest.raises(ValueError, match="section 'J' is empty"):
        format_full_report("A run", [Section(heading="J")])
