from collections.abc import Callable
from dataclasses import replace

import pytest
from eval_report import Table
from locomo_dataset import Category
from locomo_run.ledger.entry import Json
from locomo_run.reporting.cells import label, subset_mark
from locomo_run.reporting.published_tables import (
    f1_comparison,
    f1_scores,
    latency_comparison,
)
from locomo_run.reporting.results import Results
from locomo_run.reporting.tables import (
    adversarial_table,
    conditions,
    f1_table,
    latency_table,
    profiles_table,
    recall_table,
    right_golds_table,
)
from locomo_run.scoring import F1_PROFILES, signature

Scored = Callable[..., Results]


def rows(table: Table) -> dict[str, tuple[str, ...]]:
    """The rows of a table by their first cell."""
    assert len({row[0] for row in table.rows}) == len(table.rows)
    return {row[0]: row[1:] for row in table.rows}


# conditions


def test_conditions_list_what_the_figures_depend_on(scored: Scored) -> None:
    found = rows(conditions(scored()))

    assert found == {
        "data set": ("tiny.json",),
        "data set sha256": ("ab" * 32,),
        "questions": ("4 answered of 4 selected; 4 in the data set",),
        "recipe": ("offline",),
        "memory: name": ("scripted",),
        "search: limit": ("10",),
        "context: chars": ("12000",),
        "answerer: name": ("scripted",),
        "questions without a hit": ("0 of 4 answered",),
        "judge": ("none: token F1 only",),
        "headline F1 profile": ("locomo",),
        "code": ("locomo-run 0",),
        "first and last entry": (
            "2026-01-02T03:04:05+00:00 to 2026-01-02T03:05:00+00:00",
        ),
    }


def test_conditions_count_what_is_missing_and_failed(scored: Scored) -> None:
    results = scored((None, "in May 2024", "Miso", "no"), missing=[2])

    assert rows(conditions(results))["questions"] == (
        "2 answered of 4 selected; 4 in the data set; 1 failed; 1 missing",
    )


def test_conditions_count_the_questions_without_a_hit(scored: Scored) -> None:
    whole = scored(("Lisbon", "in May 2024", None, "no"))
    nothing = replace(whole.outcomes[0], hits=(), hits_read=0)
    one = replace(whole, outcomes=(nothing, *whole.outcomes[1:]))
    imported = tuple(replace(o, hits=(), hits_read=None) for o in whole.outcomes)

    assert rows(conditions(one))["questions without a hit"] == ("1 of 3 answered",)
    assert rows(conditions(replace(whole, outcomes=imported)))[
        "questions without a hit"
    ] == ("n/a",)


def test_conditions_say_when_a_setting_does_not_apply(scored: Scored) -> None:
    assert rows(conditions(scored(search_limit=None)))["search: limit"] == ("n/a",)


def test_a_run_without_an_entry_has_no_times(scored: Scored) -> None:
    results = replace(scored(missing=[0, 1, 2, 3]), times=None)

    assert "first and last entry" not in rows(conditions(results))


# F1


def test_f1_by_category_is_what_a_hand_finds(scored: Scored) -> None:
    table = f1_table(scored(), "locomo")

    assert table.rows == (
        ("multi-hop (1)", "1", "0", "0.500", "n/a", "0.500", "0.500"),
        ("temporal (2)", "1", "0", "0.800", "n/a", "0.800", "0.800"),
        ("single-hop (4)", "1", "0", "1.000", "n/a", "1.000", "1.000"),
        ("overall", "3", "0", "0.767", "0.252", "0.500", "1.000"),
    )
    assert signature("locomo") in table.notes


def test_failed_and_missing_questions_are_counted_and_left_out(scored: Scored) -> None:
    results = scored((None, "in May 2024", "Miso", "no"), missing=[2])

    found = rows(f1_table(results, "locomo"))

    assert found["single-hop (4)"][:2] == ("0", "1")
    assert found["multi-hop (1)"][:2] == ("0", "1")
    assert "0.000" not in found["single-hop (4)"]
    assert found["overall"] == ("1", "2", "0.800", "n/a", "0.800", "0.800")


def test_the_profiles_differ_where_their_rules_do(scored: Scored) -> None:
    table = profiles_table(scored())

    assert table.columns == (
        "Profile",
        "multi-hop (1)",
        "temporal (2)",
        "single-hop (4)",
        "Overall",
        "n",
    )
    assert rows(table) == {
        "locomo": ("0.500", "0.800", "1.000", "0.767", "3"),
        "mem0": ("0.667", "0.800", "1.000", "0.822", "3"),
        "standard": ("0.667", "0.800", "1.000", "0.822", "3"),
        "squad": ("0.667", "0.800", "1.000", "0.822", "3"),
        "squad2": ("0.667", "0.800", "1.000", "0.822", "3"),
    }
    for profile in F1_PROFILES:
        assert f"{profile}: {signature(profile)}" in table.notes


def test_a_run_over_adversarial_questions_alone_has_no_f1(scored: Scored) -> None:
    table = profiles_table(scored(asked=[3]))

    assert set(rows(table).values()) == {("n/a", "0")}


def test_the_scores_say_what_they_cover(scored: Scored) -> None:
    scores = f1_scores(scored(asked=[0, 1, 3]), "mem0")

    assert (scores.name, scores.covered, scores.expected) == (
        "scripted + scripted",
        (1, 2, 3, 4),
        3,
    )
    assert scores.overall.count == 2


# wrong golds


def test_without_an_audit_there_is_no_second_line(scored: Scored) -> None:
    assert right_golds_table(scored()) is None
    assert right_golds_table(scored(wrong_golds=frozenset())) is None


def test_wrong_golds_are_left_out_in_the_second_line(scored: Scored) -> None:
    table = right_golds_table(scored(wrong_golds=frozenset({"tiny:1", "tiny:3"})))

    assert table is not None
    assert rows(table)["F1 locomo"] == ("76.7", "3", "75.0", "2")
    assert rows(table)["F1 mem0"] == ("82.2", "3", "83.3", "2")


# abstention


@pytest.mark.parametrize(
    ("predictions", "right", "wrong"),
    [
        (("a", "b", "c", "unanswerable"), ("1", "1.000"), ("3", "0.000")),
        (("Unanswerable.", "b", "Not mentioned", "d"), ("1", "0.000"), ("3", "0.667")),
        (("a", "b", None, None), ("0", "n/a"), ("2", "0.000")),
    ],
    ids=["right", "wrong", "failed"],
)
def test_abstention_counts_both_kinds_apart(
    scored: Scored,
    predictions: tuple[str | None, ...],
    right: tuple[str, str],
    wrong: tuple[str, str],
) -> None:
    found = rows(adversarial_table(scored(predictions)))

    assert found["adversarial (5)"][:2] == right
    assert found["answerable (1-4)"][:2] == wrong


def test_the_note_says_where_adversarial_questions_count(scored: Scored) -> None:
    results = scored(("Lisbon", "in May 2024", "Miso", "Lisbon"))

    notes = adversarial_table(results).notes
    table = f1_comparison(results)

    assert (
        "in F1 only beside the LoCoMo paper. There, under profile locomo"
        in " ".join(notes)
    )
    overall = table.columns.index("Overall, 0-100")
    found = {row[1]: row[overall] for row in table.rows if row[-1] == "this run"}
    # (1 + 0.8 + 0.5 + 0) / 4 with the adversarial question, and 2.3 / 3 without it
    assert found["locomo"].startswith("57.5")
    assert rows(f1_table(results, "locomo"))["overall"][2] == "0.767"


# recall


def test_recall_is_averaged_over_answerable_questions_with_evidence(
    scored: Scored,
) -> None:
    table = recall_table(scored())

    assert table.title == "Evidence recall@10"
    assert rows(table) == {
        "multi-hop (1)": ("0", "n/a"),
        "temporal (2)": ("1", "0.500"),
        "single-hop (4)": ("1", "1.000"),
        "overall": ("2", "0.750"),
    }
    (note,) = table.notes
    assert note == (
        "Share of a question's evidence turns among its hits (10), averaged over the "
        "answerable questions that name evidence."
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"turns": False}, "n/a: this memory does not say which turns its hits"),
        ({"asked": [2]}, "n/a: none of these questions names evidence."),
    ],
    ids=["no turns", "no evidence"],
)
def test_recall_that_is_not_known_says_why(
    scored: Scored, options: dict[str, object], reason: str
) -> None:
    table = recall_table(scored(**options))

    assert rows(table)["overall"] == ("0", "n/a")
    (note,) = table.notes
    assert note.startswith(reason)


def test_a_memory_without_a_limit_returns_all(scored: Scored) -> None:
    assert recall_table(scored(search_limit=None)).title == "Evidence recall@all"


# latency and tokens


def latencies(table: Table) -> dict[str, tuple[str, str, str]]:
    """The count and the percentiles of each step."""
    columns = [
        next(i for i, name in enumerate(table.columns) if name.startswith(start))
        for start in ("n", "p50", "p95")
    ]
    n, p50, p95 = columns
    return {row[0]: (row[n], row[p50], row[p95]) for row in table.rows}


def test_latencies_are_those_of_all_answered_questions(scored: Scored) -> None:
    table = latency_table(scored((None, "b", "c", "d")))

    assert latencies(table) == {
        "search": ("3", "30.00", "39.00"),
        "answer": ("3", "100.00", "100.00"),
        "total": ("3", "130.00", "139.00"),
    }
    assert table.notes == ("Tokens: n/a, the answerer is not a language model.",)


@pytest.mark.parametrize(
    ("recipe", "answerer", "reason"),
    [
        ("imported", {}, "the source of the answers does not tell them"),
        ("offline", {"max_tokens": 64}, "no answer came with a count"),
        ("offline", {}, "the answerer is not a language model"),
    ],
)
def test_tokens_that_are_not_known_say_why(
    scored: Scored, recipe: str, answerer: dict[str, Json], reason: str
) -> None:
    results = scored()
    identity = {**results.facts.identity, "answerer": answerer}
    facts = replace(results.facts, recipe=recipe, identity=identity)

    assert latency_table(replace(results, facts=facts)).notes == (
        f"Tokens: n/a, {reason}.",
    )


def test_recall_of_imported_answers_is_not_known(scored: Scored) -> None:
    results = scored(turns=False)
    facts = replace(results.facts, recipe="imported")

    assert recall_table(replace(results, facts=facts)).notes == (
        "n/a: the source of the answers does not tell what was found.",
    )


def test_tokens_are_summed(scored: Scored) -> None:
    (note,) = latency_table(scored(tokens=(1_000, 7))).notes

    assert note == "Tokens: 4,000 in, 28 out, over 4 questions."


def test_no_answer_has_no_latency(scored: Scored) -> None:
    found = latencies(latency_table(scored((None,) * 4)))

    assert {count for count, _, _ in found.values()} == {"0"}
    assert not any(char.isdigit() for _, *cells in found.values() for char in cells)


# beside published results


def test_adversarial_questions_count_where_the_paper_counts_them(
    scored: Scored,
) -> None:
    table = f1_comparison(scored())

    cells = {
        row[1]: dict(zip(table.columns, row, strict=True))
        for row in table.rows
        if row[0] == "scripted + scripted"
    }
    assert cells.keys() == set(F1_PROFILES)
    locomo, mem0 = cells["locomo"], cells["mem0"]
    # (1 + 0.8 + 0.5 + 1) / 4, and (1 + 0.8 + 2/3) / 3
    assert (locomo["Overall, 0-100"], locomo["n"]) == ("82.5 [n/a]", "4")
    assert (mem0["Overall, 0-100"], mem0["n"]) == ("82.2 [n/a]", "3")
    assert locomo["adversarial (5), 0-100"].startswith("100.0")
    assert mem0["adversarial (5), 0-100"] == "–"


def test_no_difference_is_printed_to_numbers_on_other_questions(
    scored: Scored,
) -> None:
    table = f1_comparison(scored())
    column = table.columns.index("Ours minus row")

    published = {row[column] for row in table.rows if row[-1] != "this run"}
    assert published == {"other questions", "questions unverified"}


def test_a_failed_adversarial_question_is_no_wrong_one(scored: Scored) -> None:
    table = f1_comparison(scored(("Lisbon", "in May 2024", "Miso", None)))

    overall, n = (table.columns.index(name) for name in ("Overall, 0-100", "n"))
    locomo = next(row for row in table.rows if row[1] == "locomo")
    assert locomo[overall].startswith("76.7")
    assert locomo[n].startswith("3")


def test_as_printed_shows_the_names_of_the_source(scored: Scored) -> None:
    plain = f1_comparison(scored())
    as_printed = f1_comparison(scored(), as_printed=True)

    assert as_printed != plain


def test_latencies_stand_beside_the_published_ones_in_seconds(scored: Scored) -> None:
    first, *published = latency_comparison(scored((None, "b", "c", "d"))).rows

    assert first[:5] == ("scripted + scripted", "0.030", "0.039", "0.130", "0.139")
    assert "Mem0" in {row[0] for row in published}


# marks


def test_every_table_of_a_subset_says_so(scored: Scored) -> None:
    results = scored(asked=[0, 1, 3], tokens=(1, 1), wrong_golds=frozenset({"tiny:0"}))
    right_golds = right_golds_table(results)

    assert subset_mark(results) == "subset, n = 2"
    assert right_golds is not None
    for table in (
        f1_table(results, "locomo"),
        profiles_table(results),
        right_golds,
        adversarial_table(results),
        recall_table(results),
        latency_table(results),
        f1_comparison(results),
        latency_comparison(results),
    ):
        text = " ".join((table.title, *(cell for row in table.rows for cell in row)))
        assert "subset, n = " in text, table.title


def test_no_table_of_a_whole_run_says_so(scored: Scored) -> None:
    results = scored()

    assert subset_mark(results) == ""
    for table in (f1_table(results, "locomo"), profiles_table(results)):
        assert "subset" not in table.title


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (1, "multi-hop (1)"),
        (2, "temporal (2)"),
        (3, "open-domain (3)"),
        (4, "single-hop (4)"),
        (5, "adversarial (5)"),
    ],
)
def test_a_category_has_the_name_that_the_data_set_gives_its_number(
    number: int, name: str
) -> None:
    assert label(number) == name
    assert Category(number).label in name
