from eval_report import (
    LatencyScores,
    LatencySummary,
    format_latency_breakdown_table,
    format_latency_comparison_table,
)

MEASURED = LatencySummary(count=1540, missing=0, p50=12.4, p95=1500, mean=100)
NOTHING = LatencySummary(count=0, missing=3, p50=None, p95=None, mean=None)


def scores(
    *,
    total: LatencySummary = MEASURED,
    asked: int = 1540,
    tokens: float | None = 1764.6,
) -> LatencyScores:
    return LatencyScores(
        name="ours",
        search=MEASURED,
        total=total,
        context_tokens=tokens,
        asked=asked,
        expected=1540,
    )


def test_times_are_printed_in_seconds_beside_the_published_ones() -> None:
    table = format_latency_comparison_table([scores()])

    assert [row[:7] for row in table.rows] == [
        ("ours", "0.012", "1.500", "0.012", "1.500", "1,765", "1,540"),
        ("Mem0", "0.148", "0.200", "0.708", "1.440", "1,764", "1,540"),
        ("Mem0g", "0.476", "0.657", "1.091", "2.590", "3,616", "1,540"),
        ("Zep (run by Mem0)", "0.513", "0.778", "1.292", "2.926", "3,911", "1,540"),
        ("Full context", "–", "–", "9.870", "17.117", "26,031", "1,540"),
    ]
    assert all(", s" in head for head in table.columns[1:5])


def test_no_time_is_subtracted_and_the_note_says_why() -> None:
    table = format_latency_comparison_table([scores()])

    assert not any("minus" in head for head in table.columns)
    assert "no differences are printed" in table.notes[0]
    assert any("arXiv 2504.19413" in note for note in table.notes)


def test_a_subset_is_marked_in_the_title_and_the_row() -> None:
    table = format_latency_comparison_table([scores(asked=20)])

    assert table.title.endswith("(subset, n = 20 of 1,540)")
    assert table.rows[0][0] == "ours (subset, n = 20 of 1,540)"


def test_what_was_not_measured_is_a_dash_and_shows_in_n() -> None:
    table = format_latency_comparison_table([scores(total=NOTHING, tokens=None)])

    assert table.rows[0][3:7] == ("n/a", "n/a", "n/a", "0 of 1,540")


def test_the_breakdown_lists_each_stage() -> None:
    table = format_latency_breakdown_table({"search": MEASURED, "answer": NOTHING})

    assert table.rows == (
        ("search", "1,540", "0", "12.40", "1,500.00", "100.00"),
        ("answer", "0", "3", "n/a", "n/a", "n/a"),
    )


def test_the_notes_say_when_and_with_which_model_published_times_were_measured() -> (
    None
):
    notes = format_latency_comparison_table([]).notes

    assert any("2025-04-28; answers by gpt-4o-mini." in note for note in notes)
