import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result
from locomo_dataset import Category
from locomo_run.comparing.conversations import by_conversation, pearson
from locomo_run.ledger.store import Ledger
from locomo_run.reporting.conversation_tables import (
    conversation_tables,
    conversations_spec,
)
from locomo_run.reporting.results import Results

Call = Callable[..., Result]
Made = Callable[..., Results]

SINGLE, MULTI, TRAP = Category.SINGLE_HOP, Category.MULTI_HOP, Category.ADVERSARIAL

ROWS = [
    ("a", SINGLE, "Oslo", "Rome", (0, 0)),
    ("b", SINGLE, "Oslo", "Oslo", (1, 1)),
    ("b", MULTI, "Rome", "Oslo", (1, 0)),
    ("b", TRAP, None, "unanswerable", ()),
    ("c", SINGLE, "Oslo", None, (None, None)),
    ("d", SINGLE, "Oslo", "Oslo", (1, 1)),
]


def test_conversations_are_ranked_by_the_first_judge(judged_run: Made) -> None:
    found = by_conversation(judged_run(ROWS))
    assert [each.sample_id for each in found.conversations] == ["d", "b", "a", "c"]
    assert found.metric.startswith("protocol:binary")
    means = [each.scores[found.metric].overall.mean for each in found.conversations]
    assert means == [1, 0.75, 0, None]


def test_without_a_judge_the_headline_f1_ranks(judged_run: Made) -> None:
    rows = [(*row[:4], ()) for row in ROWS]
    found = by_conversation(judged_run(rows, headline="squad"))
    assert found.metric == "f1:squad"
    means = [each.scores["f1:squad"].overall.mean for each in found.conversations]
    assert means == [1, 0.5, 0, None]


def test_a_conversation_carries_its_counts(judged_run: Made) -> None:
    found = by_conversation(judged_run(ROWS), {"b": 7})
    b = found.conversations[1]
    assert (b.questions, b.sessions, b.turns, b.observations) == (2, 1, 2, 7)
    assert (b.mean_hits, b.search.p50, b.answer.count) == (2, 2.0, 3)
    c = found.conversations[3]
    assert (c.mean_hits, c.observations, c.search.p50) == (None, None, None)


def test_scores_go_with_turns_as_worked_out_by_hand(judged_run: Made) -> None:
    turns, observations = by_conversation(
        judged_run(ROWS), {"b": 7, "d": 9}
    ).correlations
    # turns 1, 2 and 4 against 0, 0.75 and 1: 17/12 / sqrt(14/3 * 13/24)
    assert turns.r == pytest.approx(17 / 12 / (14 / 3 * 13 / 24) ** 0.5)
    assert turns.n == 3
    assert (observations.n, observations.r) == (2, None)


def test_what_does_not_vary_has_no_correlation() -> None:
    assert pearson([(1, 1), (1, 2), (1, 3)]) is None


def test_the_tables_print_both_metrics_on_their_scales(judged_run: Made) -> None:
    results = judged_run(ROWS)
    found = by_conversation(results, {"b": 7})
    overview, f1, j, goes_with = conversation_tables(found, results)
    assert overview.columns[3:5] == ("F1 standard", "J binary")
    assert overview.rows[1] == (
        *("2", "b", "2", "0.500", "75.0", "1", "2", "7", "2.0", "2.00", "10.00"),
    )
    assert overview.rows[3] == (
        *("4", "c", "1", "n/a", "n/a", "1", "3", "n/a", "n/a", "n/a", "n/a"),
    )
    assert f1.rows[1] == ("b", "0.000 (1)", "–", "–", "1.000 (1)")
    assert j.rows[1] == ("b", "50.0 (1)", "–", "–", "100.0 (1)")
    assert j.rows[3] == ("c", "–", "–", "–", "n/a (0)")
    assert goes_with.rows == (
        ("turns", "3", "0.89", "1.00"),
        ("observations", "1", "n/a", "n/a"),
    )


def test_chance_alone_is_told_for_the_conversations_that_there_are(
    judged_run: Made,
) -> None:
    rows = [(f"c{i}", SINGLE, "Oslo", "Oslo", (i % 2,)) for i in range(10)]
    results = judged_run(rows)

    *_, goes_with = conversation_tables(by_conversation(results), results)

    # Student's t of 8 degrees is 2.306: 2.306 / sqrt(8 + 2.306^2)
    assert [row[3] for row in goes_with.rows] == ["0.63", "n/a"]


def test_imported_answers_have_no_mean_of_hits(judged_run: Made) -> None:
    results = judged_run([("a", SINGLE, "Oslo", "Oslo", ())])
    facts = replace(results.facts, recipe="imported")
    bare = tuple(replace(outcome, hits=()) for outcome in results.outcomes)

    imported = replace(results, facts=facts, outcomes=bare)
    searched = replace(results, outcomes=bare)

    assert by_conversation(imported).conversations[0].mean_hits is None
    assert by_conversation(searched).conversations[0].mean_hits == 0


def test_the_values_say_the_same(judged_run: Made) -> None:
    spec = conversations_spec(by_conversation(judged_run(ROWS)))
    assert json.loads(json.dumps(spec)) == spec
    conversations = spec["conversations"]
    assert isinstance(conversations, list)
    scores = conversations[1]["scores"]["f1:standard"]
    assert scores["mean"] == 0.5
    assert scores["by_category"]["multi-hop"] == {"mean": 0, "count": 1, "missing": 0}


def test_the_command_takes_observations_from_what_claude_mem_told(
    call: Call, folder: Path
) -> None:
    call("run", "--per-category", "1", "--out", "here", "--quiet")
    with Ledger.write(folder / "here") as ledger:
        counts = {"mini-1": {"observations": 12}, "mini-2": {"observations": 30}}
        ledger.set_facts({"claude_mem": {"ingestion": counts}})
    said = json.loads(call("conversations", "here", "--json").stdout)
    assert {c["sample_id"]: c["observations"] for c in said["conversations"]} == {
        "mini-1": 12,
        "mini-2": 30,
    }
    assert said["correlations"][0] == {"with": "turns", "n": 2, "pearson_r": None}


def test_the_command_prints_tables(call: Call) -> None:
    call("run", "--per-category", "1", "--out", "here", "--quiet")
    said = call("conversations", "here")
    assert said.exit_code == 0
    assert "Conversations, easiest first (subset, n = 4)" in said.stdout
