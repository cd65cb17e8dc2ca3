from collections.abc import Mapping
from typing import Literal

import pytest
from eval_report import (
    Baselines,
    F1Scores,
    Interval,
    JudgeScores,
    JudgeSummary,
    Summary,
    Table,
    format_f1_comparison_table,
    format_judge_comparison_table,
    load_baselines,
)

ALL = (1, 2, 3, 4, 5)
ANSWERABLE = (1, 2, 3, 4)
COUNTS = {1: 282, 2: 321, 3: 96, 4: 841, 5: 446}


def summary(count: int, mean: float | None, missing: int = 0) -> Summary:
    return Summary(
        count=count,
        missing=missing,
        mean=mean,
        std_dev=0.0,
        minimum=mean,
        maximum=mean,
        pessimistic_mean=None if mean is None else mean * count / (count + missing),
    )


def f1_scores(
    profile: str,
    covered: tuple[int, ...],
    counts: Mapping[int, int] = COUNTS,
    *,
    mean: float | None = 0.5,
    missing: int = 0,
    expected: int | None = None,
    interval: Interval | None = None,
) -> F1Scores:
    """Make a run whose every category has the same mean; misses are in category 1."""
    n = sum(counts[c] for c in covered)
    return F1Scores(
        name="ours",
        profile=profile,
        signature=f"f1:{profile}",
        by_category={
            c: summary(counts[c] - missing, mean, missing)
            if c == 1
            else summary(counts[c], mean)
            for c in covered
        },
        overall=summary(n - missing, mean, missing),
        covered=covered,
        expected=expected or n,
        interval=interval,
    )


def judge_scores(
    protocol: str,
    kind: Literal["binary", "strict", "graded"],
    *,
    full_mark: float = 1,
    counts: Mapping[int, int] = COUNTS,
    run_std_dev: float | None = 0.0015,
    pooled_std_dev: float | None = 0.1,
) -> JudgeScores:
    def judged(count: int) -> JudgeSummary:
        return JudgeSummary(
            count=count,
            missing=0,
            mean=0.7 * full_mark,
            std_dev=0.0,
            minimum=0,
            maximum=full_mark,
            pessimistic_mean=0.7 * full_mark,
            pooled_std_dev=pooled_std_dev and pooled_std_dev * full_mark,
            run_std_dev=run_std_dev and run_std_dev * full_mark,
            runs=10,
            unscored_runs=0,
        )

    return JudgeScores(
        name="ours",
        protocol=protocol,
        kind=kind,
        judge="a-model",
        signature=f"j:{protocol}",
        by_category={c: judged(counts[c]) for c in ANSWERABLE},
        overall=judged(sum(counts[c] for c in ANSWERABLE)),
        covered=ANSWERABLE,
        expected=1540,
        full_mark=full_mark,
    )


def cell(table: Table, system: str, column: str, *, recipe: str | None = None) -> str:
    """Return the only cell of a column in the rows of a system."""
    heads = [head.removesuffix(", 0-100") for head in table.columns]
    (found,) = (
        row[heads.index(column)]
        for row in table.rows
        if row[0] == system and recipe in {None, row[1]}
    )
    return found


def against(table: Table, column: str = "Ours minus row") -> dict[str, str]:
    """Return what stands in the column of differences, by system."""
    index = table.columns.index(column)
    return {row[0]: row[index] for row in table.rows}


def test_published_rows_stand_below_the_profile_they_were_computed_with() -> None:
    table = format_f1_comparison_table(
        [
            f1_scores("locomo", ALL),
            f1_scores("mem0", ANSWERABLE),
            f1_scores("standard", ANSWERABLE),
        ]
    )

    assert [row[:2] for row in table.rows] == [
        ("ours", "locomo"),
        ("Human", "locomo"),
        ("RAG over observations", "locomo"),
        ("GPT-3.5-turbo-16K", "locomo"),
        ("GPT-4-turbo", "locomo"),
        ("ours", "mem0"),
        ("Mem0", "mem0"),
        ("Mem0g", "mem0"),
        ("Zep (run by Mem0)", "mem0"),
        ("LangMem", "mem0"),
        ("OpenAI memory", "mem0"),
        ("A-Mem (run by Mem0)", "mem0"),
        ("ours", "standard"),
    ]


def test_columns_name_the_category_its_number_and_the_unit() -> None:
    table = format_f1_comparison_table([f1_scores("locomo", ALL)])

    assert table.columns == (
        "System",
        "Profile",
        "multi-hop (1), 0-100",
        "temporal (2), 0-100",
        "open-domain (3), 0-100",
        "single-hop (4), 0-100",
        "adversarial (5), 0-100",
        "Overall, 0-100",
        "n",
        "Ours minus row",
        "Source",
    )


def test_a_published_score_stands_under_the_data_sets_category() -> None:
    table = format_f1_comparison_table([f1_scores("mem0", ANSWERABLE)])

    # printed in the paper as single-hop, temporal, multi-hop, open-domain
    assert [
        cell(table, "Mem0", column)
        for column in (
            "multi-hop (1)",
            "temporal (2)",
            "open-domain (3)",
            "single-hop (4)",
        )
    ] == ["38.72", "48.93", "28.64", "47.65"]
    assert cell(table, "Mem0", "n") == "1,540"
    assert cell(table, "Mem0", "Source") == "Mem0 paper, table 1"


def test_an_overall_that_is_not_printed_is_weighted_and_marked() -> None:
    table = format_f1_comparison_table([f1_scores("mem0", ANSWERABLE)])

    # (282 * 38.72 + 321 * 48.93 + 96 * 28.64 + 841 * 47.65) / 1540
    assert cell(table, "Mem0", "Overall") == "45.10 (weighted)"
    assert any(note.startswith("(weighted)") for note in table.notes)
    assert against(table)["Mem0"] == "+4.9"


def test_printed_decimals_are_kept() -> None:
    table = format_f1_comparison_table([f1_scores("mem0", ANSWERABLE)])

    assert cell(table, "Zep (run by Mem0)", "temporal (2)") == "42.00"
    assert cell(table, "Human", "Overall") == "87.9"


def test_no_difference_crosses_profiles() -> None:
    table = format_f1_comparison_table([f1_scores("standard", ANSWERABLE)])

    assert set(against(table).values()) == {"–", "other profile"}
    assert against(table)["ours"] == "–"


def test_rows_over_questions_that_may_be_others_have_no_difference_and_no_n() -> None:
    table = format_f1_comparison_table([f1_scores("locomo", ALL)])

    assert against(table)["Human"] == "questions unverified"
    assert cell(table, "Human", "n") == "not known"


def released(baselines: Baselines) -> Baselines:
    """Pretend that the LoCoMo paper measured the released questions."""
    sources = dict(baselines.sources)
    sources["locomo"] = sources["locomo"].model_copy(update={"same_questions": True})
    return baselines.model_copy(update={"sources": sources})


def test_an_overall_over_all_five_categories_is_subtracted_from_its_like() -> None:
    baselines = released(load_baselines())

    whole = format_f1_comparison_table([f1_scores("locomo", ALL)], baselines)
    without = format_f1_comparison_table([f1_scores("locomo", ANSWERABLE)], baselines)

    assert against(whole)["RAG over observations"] == "+8.6"
    assert cell(whole, "Human", "n") == "1,986"
    assert against(without)["RAG over observations"] == "other categories"


def test_a_subset_is_marked_in_the_title_and_the_row_and_has_no_difference() -> None:
    few = dict.fromkeys(ANSWERABLE, 5)

    table = format_f1_comparison_table(
        [f1_scores("mem0", ANSWERABLE, few, expected=1540)]
    )

    assert table.title == (
        "Token F1 beside published results (subset, n = 20 of 1,540)"
    )
    assert table.rows[0][0] == "ours (subset, n = 20 of 1,540)"
    assert against(table)["Mem0"] == "subset"


def test_the_whole_of_another_data_set_has_no_difference() -> None:
    mini = dict.fromkeys(ANSWERABLE, 5)

    table = format_f1_comparison_table([f1_scores("mem0", ANSWERABLE, mini)])

    assert against(table)["Mem0"] == "other questions"
    assert "subset" not in table.title


def test_unscored_questions_stand_in_every_cell_they_touch() -> None:
    table = format_f1_comparison_table([f1_scores("mem0", ANSWERABLE, missing=154)])

    assert cell(table, "ours", "multi-hop (1)") == "50.0 (n = 128; 154 unscored)"
    assert cell(table, "ours", "temporal (2)") == "50.0 (n = 321)"
    assert cell(table, "ours", "Overall") == "50.0 [n/a]; 45.0 with unscored as 0"
    assert cell(table, "ours", "n") == "1,386; 154 unscored"
    assert against(table)["Mem0"] == "+4.9, unscored left out"


def test_a_run_without_a_single_score_has_no_number() -> None:
    counts = {1: 282}
    run = F1Scores(
        name="ours",
        profile="mem0",
        signature="f1:mem0",
        by_category={1: summary(0, None, 282)},
        overall=summary(0, None, 282),
        covered=(1,),
        expected=counts[1],
    )

    table = format_f1_comparison_table([run])

    assert cell(table, "ours", "multi-hop (1)") == "n/a (n = 0; 282 unscored)"
    assert cell(table, "ours", "temporal (2)") == "–"
    assert cell(table, "ours", "Overall") == "n/a"


def test_nothing_is_subtracted_from_nothing() -> None:
    run = f1_scores("mem0", ANSWERABLE, mean=None)

    assert against(format_f1_comparison_table([run]))["Mem0"] == "–"


def test_a_row_with_neither_overall_nor_all_categories_has_no_overall() -> None:
    baselines = load_baselines()
    (mem0,) = (row for row in baselines.f1 if row.system == "Mem0")
    partial = mem0.model_copy(update={"categories": {1: mem0.categories[1]}})
    baselines = baselines.model_copy(update={"f1": (partial,)})

    table = format_f1_comparison_table([f1_scores("mem0", ANSWERABLE)], baselines)

    assert cell(table, "Mem0", "Overall") == "–"
    assert against(table)["Mem0"] == "–"


def test_the_interval_stands_beside_the_overall_and_is_explained() -> None:
    run = f1_scores("mem0", ANSWERABLE, interval=Interval(0.4712, 0.5288))

    table = format_f1_comparison_table([run])

    assert cell(table, "ours", "Overall") == "50.0 [47.1, 52.9]"
    assert any("clustered by conversation" in note for note in table.notes)


def test_what_rounds_to_zero_has_no_sign() -> None:
    interval = Interval(-0.0001, 0.9)
    run = f1_scores("locomo", ALL, mean=0.3209, interval=interval)

    table = format_f1_comparison_table([run], released(load_baselines()))

    assert cell(table, "ours", "Overall") == "32.1 [0.0, 90.0]"
    assert against(table)["GPT-4-turbo"] == "+0.0"


def test_notes_carry_the_alignment_the_sources_and_our_signatures() -> None:
    notes = format_f1_comparison_table([f1_scores("mem0", ANSWERABLE)]).notes

    assert notes[0].startswith("Columns follow the category numbers of the data set")
    assert any("arXiv 2504.19413" in note and "permuted" in note for note in notes)
    assert notes[-1] == "ours, mem0: f1:mem0"


def test_the_names_that_a_source_prints_can_be_shown() -> None:
    table = format_f1_comparison_table([f1_scores("mem0", ANSWERABLE)], as_printed=True)

    row = next(row for row in table.rows if row[0].startswith("Mem0 paper prints"))
    assert row[2:6] == ("single-hop", "temporal", "multi-hop", "open-domain")
    assert sum("prints these columns" in row[0] for row in table.rows) == 1


def test_a_profile_cannot_stand_in_a_table_twice() -> None:
    run = f1_scores("mem0", ANSWERABLE)

    with pytest.raises(ValueError, match="one row per profile, found mem0, mem0"):
        format_f1_comparison_table([run, run])


def test_a_binary_j_stands_beside_published_ones_with_both_spreads() -> None:
    table = format_judge_comparison_table([judge_scores("binary", "binary")])

    assert cell(table, "ours", "single-hop (4)") == "70.0 ±0.15 (n = 841)"
    assert cell(table, "ours", "Overall") == "70.0 ±0.15 [n/a]"
    assert cell(table, "ours", "Pooled sd") == "10.00"
    assert cell(table, "Mem0", "single-hop (4)") == "72.93 ±0.11"
    assert cell(table, "Mem0", "Overall") == "66.88 ±0.15"
    assert against(table)["Mem0"] == "+3.1"
    assert against(table)["Full context"] == "-2.9"
    assert cell(table, "Mem0", "Judge") == "gpt-4o-mini"


def test_a_binary_judge_that_marks_up_to_100_is_subtracted_on_the_same_scale() -> None:
    table = format_judge_comparison_table([judge_scores("b", "binary", full_mark=100)])

    assert cell(table, "ours", "Overall") == "70.0 ±0.15 [n/a]"
    assert against(table)["Mem0"] == "+3.1"


@pytest.mark.parametrize(
    ("kind", "mark"),
    [
        ("graded", "mine (other metric: mean of 0-100 scores)"),
        ("strict", "mine (other metric: a stricter standard)"),
    ],
)
def test_a_j_of_another_kind_is_marked_and_never_subtracted(
    kind: Literal["graded", "strict"], mark: str
) -> None:
    table = format_judge_comparison_table([judge_scores("mine", kind, full_mark=100)])

    assert table.rows[0][1] == mark
    assert cell(table, "ours", "Overall") == "70.0 ±0.15 [n/a]"
    assert against(table)["Mem0"] == "other metric"


def test_only_the_binary_protocol_among_several_gets_the_differences() -> None:
    table = format_judge_comparison_table(
        [judge_scores("graded", "graded", full_mark=100), judge_scores("b", "binary")]
    )

    assert against(table)["Mem0"] == "+3.1"
    assert [row[table.columns.index("Ours minus row")] for row in table.rows[:2]] == [
        "–",
        "–",
    ]


def test_two_binary_protocols_get_a_column_each() -> None:
    table = format_judge_comparison_table(
        [judge_scores("b", "binary"), judge_scores("c", "binary")]
    )

    assert against(table, "b minus row")["Mem0"] == "+3.1"
    assert against(table, "c minus row")["Mem0"] == "+3.1"


def test_a_single_judge_run_prints_no_spread() -> None:
    run = judge_scores("b", "binary", run_std_dev=None, pooled_std_dev=None)

    table = format_judge_comparison_table([run])

    assert cell(table, "ours", "Overall") == "70.0 [n/a]"
    assert cell(table, "ours", "Pooled sd") == "n/a"


def test_a_judged_subset_is_marked_and_has_no_difference() -> None:
    few = dict.fromkeys(ANSWERABLE, 5)

    table = format_judge_comparison_table([judge_scores("b", "binary", counts=few)])

    assert table.title == "J beside published results (subset, n = 20 of 1,540)"
    assert against(table)["Mem0"] == "subset"


def test_letta_is_mentioned_below_the_j_table() -> None:
    table = format_judge_comparison_table([judge_scores("b", "binary")])

    assert any(note.startswith("Letta reports") for note in table.notes)
    assert not any("Letta" in row[0] for row in table.rows)


def test_each_sources_names_can_be_shown_in_the_j_table() -> None:
    table = format_judge_comparison_table(
        [judge_scores("b", "binary")], as_printed=True
    )

    assert [
        row[0] for row in table.rows if row[0].endswith("prints these columns as")
    ] == [
        "Mem0 paper prints these columns as",
        "Backboard prints these columns as",
        "Zep prints these columns as",
        "Memobase prints these columns as",
    ]


def test_a_protocol_cannot_stand_in_a_table_twice() -> None:
    run = judge_scores("b", "binary")

    with pytest.raises(ValueError, match="one row per protocol, found b, b"):
        format_judge_comparison_table([run, run])


def test_a_table_without_a_run_of_ours_shows_the_published_rows() -> None:
    assert set(against(format_f1_comparison_table([])).values()) == {"other profile"}
    assert set(against(format_judge_comparison_table([])).values()) == {"other metric"}
