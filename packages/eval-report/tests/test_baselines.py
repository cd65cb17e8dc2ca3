from decimal import Decimal
from pathlib import Path

import pytest
from eval_report import BaselineError, load_baselines
from pydantic import ValidationError

HEAD = """
[benchmark]
name = "B"
categories = [
  { number = 1, label = "one", questions = 1 },
  { number = 2, label = "two", questions = 3 },
]

[sources.paper]
title = "Paper"
reference = "somewhere"
same_questions = true
note = "None."
"""

ROW = """
[[f1]]
system = "S"
source = "paper"
table = "table 1"
profile = "p"
covers = [1, 2]
categories = { 1 = 40.0, 2 = 80.00 }
overall = 70.0
"""


def test_the_benchmark_counts_its_questions_by_the_data_sets_numbers() -> None:
    benchmark = load_baselines().benchmark

    assert benchmark.counts == {1: 282, 2: 321, 3: 96, 4: 841, 5: 446}
    assert benchmark.labels == {
        1: "multi-hop",
        2: "temporal",
        3: "open-domain",
        4: "single-hop",
        5: "adversarial",
    }


def test_f1_rows_stand_with_the_profile_and_the_categories_they_were_made_with() -> (
    None
):
    rows = load_baselines().f1

    assert {
        row.system: float(row.overall) for row in rows if row.overall is not None
    } == {
        "Human": 87.9,
        "RAG over observations": 41.4,
        "GPT-3.5-turbo-16K": 37.8,
        "GPT-4-turbo": 32.1,
    }
    assert {
        (row.profile, row.source, row.covers, row.overall is None) for row in rows
    } == {
        ("locomo", "locomo", (1, 2, 3, 4, 5), False),
        ("mem0", "mem0", (1, 2, 3, 4), True),
    }


def test_f1_of_the_mem0_paper_is_aligned_with_the_data_sets_numbers() -> None:
    # as printed under single-hop, multi-hop, temporal, open-domain
    printed = {
        "Mem0": ["38.72", "28.64", "48.93", "47.65"],
        "Mem0g": ["38.09", "24.32", "51.55", "49.27"],
        "Zep (run by Mem0)": ["35.74", "19.37", "42.00", "49.56"],
        "LangMem": ["35.51", "26.04", "30.75", "40.91"],
        "OpenAI memory": ["34.30", "20.09", "14.04", "39.31"],
        "A-Mem (run by Mem0)": ["20.76", "9.22", "35.40", "33.34"],
    }

    rows = [row for row in load_baselines().f1 if row.source == "mem0"]

    assert {
        row.system: [str(row.categories[c]) for c in (1, 3, 2, 4)] for row in rows
    } == printed


def test_the_names_that_the_mem0_paper_prints_are_kept() -> None:
    assert load_baselines().sources["mem0"].as_printed == {
        1: "single-hop",
        2: "temporal",
        3: "multi-hop",
        4: "open-domain",
    }


def test_rows_without_categories_keep_their_overall() -> None:
    rows = {row.system: row for row in load_baselines().j}

    assert rows["Full context"].overall == Decimal("72.90")
    assert rows["Full context"].overall_std == Decimal("0.19")
    assert rows["RAG (best: k = 2, 256 tokens)"].overall == Decimal("60.97")


def test_letta_is_a_footnote_and_no_row() -> None:
    baselines = load_baselines()

    assert not any("Letta" in row.system for row in (*baselines.f1, *baselines.j))
    assert any(
        "74.0" in note.text for note in baselines.footnotes if note.metric == "j"
    )


def test_latency_rows_hold_the_papers_figures() -> None:
    rows = {
        row.system: (
            row.search_p50,
            row.search_p95,
            row.total_p50,
            row.total_p95,
            row.context_tokens,
        )
        for row in load_baselines().latency
    }

    assert {system: [str(value) for value in row] for system, row in rows.items()} == {
        "Mem0": ["0.148", "0.200", "0.708", "1.440", "1764"],
        "Mem0g": ["0.476", "0.657", "1.091", "2.590", "3616"],
        "Zep (run by Mem0)": ["0.513", "0.778", "1.292", "2.926", "3911"],
        "Full context": ["None", "None", "9.870", "17.117", "26031"],
    }


def test_every_row_says_where_it_is_printed() -> None:
    baselines = load_baselines()

    for row in (*baselines.f1, *baselines.j, *baselines.latency):
        assert row.table
        assert baselines.sources[row.source].reference


def test_loaded_rows_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        load_baselines().f1[0].overall = Decimal(99)


def test_a_file_of_ones_own_is_read_with_the_decimals_it_prints(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(HEAD + ROW, encoding="utf-8")

    (row,) = load_baselines(path).f1

    assert (str(row.categories[2]), str(row.overall)) == ("80.00", "70.0")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[", "is not TOML"),
        (HEAD.replace("note", "notes"), r"sources\.paper\.note: Field required"),
        (HEAD + ROW.replace('"paper"', '"blog"'), r"source 'blog' is not under"),
        (HEAD + ROW.replace("covers = [1, 2]", "covers = [1]"), r"\[2\] are not among"),
        (HEAD + ROW.replace("[1, 2]", "[1, 2, 9]"), r"has no categories \[9\]"),
        (
            HEAD + ROW.replace("1 = 40.0, 2 = 80.00", "2 = 40.0, 1 = 80.00"),
            r"S: overall 70\.0 is not the weighted mean of its categories, 50\.00",
        ),
        (HEAD + ROW.replace("70.0", "170.0"), r"f1\.0\.overall: .*less than or equal"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused_with_the_place(
    tmp_path: Path, text: str, problem: str
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(BaselineError, match=problem) as caught:
        load_baselines(path)

    assert "mine.toml" in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match=r"cannot read .*absent\.toml"):
        load_baselines(tmp_path / "absent.toml")


def test_a_file_in_another_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(b"# caf\xe9\n")

    with pytest.raises(BaselineError, match=r"cannot read .*latin\.toml"):
        load_baselines(path)
