from eval_report import (
    F1Scores,
    JudgeScores,
    Record,
    aggregate_f1_by_category,
    aggregate_judge_by_category,
    compute_overall_f1,
    compute_overall_judge,
    format_f1_breakdown_table,
    format_judge_breakdown_table,
)

LABELS = {1: "multi-hop", 2: "temporal"}


def test_f1_is_listed_by_category_with_what_has_no_score() -> None:
    values = [(2, 0.25), (2, None), (1, 1.0), (1, 0.5), (9, 0.0)]
    records = [
        Record(item=f"q{i}", category=c, cluster="c", metric="f1", value=value)
        for i, (c, value) in enumerate(values)
    ]
    scores = F1Scores(
        name="ours",
        profile="standard",
        signature="f1:standard",
        by_category=aggregate_f1_by_category(records),
        overall=compute_overall_f1(records),
        covered=(1, 2, 9),
        expected=5,
    )

    table = format_f1_breakdown_table(scores, LABELS)

    assert table.title == "Token F1 by category, profile standard"
    assert table.rows == (
        ("multi-hop (1)", "2", "0", "0.750", "0.354", "0.500", "1.000"),
        ("temporal (2)", "1", "1", "0.250", "n/a", "0.250", "0.250"),
        ("category (9)", "1", "0", "0.000", "n/a", "0.000", "0.000"),
        ("overall", "4", "1", "0.438", "0.427", "0.000", "1.000"),
    )
    assert table.notes == ("Sd: over questions (n - 1).", "f1:standard")


def test_j_is_listed_by_category_with_its_spreads_and_failures(
    holed: list[Record],
) -> None:
    scores = JudgeScores(
        name="ours",
        protocol="binary",
        kind="binary",
        judge="m",
        signature="j:binary",
        by_category=aggregate_judge_by_category(holed),
        overall=compute_overall_judge(holed),
        covered=(1, 2),
        expected=8,
    )

    table = format_judge_breakdown_table(scores, LABELS)

    assert table.title == "J by category, protocol binary (subset, n = 4 of 8)"
    assert table.rows == (
        # only q2 has all three runs, 0 1 1: sd of 0, 1 and 1 between runs
        (
            *("multi-hop (1)", "2", "0", "83.3", "23.57", "66.7", "100.0"),
            *("57.74", "47.14", "3", "1"),
        ),
        (
            *("temporal (2)", "1", "1", "66.7", "n/a", "66.7", "66.7"),
            *("57.74", "57.74", "3", "3"),
        ),
        (
            *("overall", "3", "1", "77.8", "19.25", "66.7", "100.0"),
            *("28.87", "51.64", "3", "4"),
        ),
    )
