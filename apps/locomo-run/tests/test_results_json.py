import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from locomo_run.reporting.results import Results
from locomo_run.reporting.results_file import ResultsFile
from locomo_run.reporting.results_json import json_parts, overall
from locomo_run.scoring import ABSTAIN, F1_PROFILES, signature
from locomo_run.selection import Selection

Scored = Callable[..., Results]


NO_SESSIONS = {"mean": None, "count": 0}
"""Of a memory whose hits do not tell their sessions."""


def written(results: Results) -> dict[str, Any]:
    text = "".join(json_parts(results))
    ResultsFile.model_validate_json(text)
    found: dict[str, Any] = json.loads(text)
    return found


def test_the_file_has_these_parts(scored: Scored) -> None:
    found = written(scored())

    assert {
        "schema",
        "metadata",
        "overall_f1",
        "per_category_f1",
        "adversarial",
        "evidence_recall",
        "latency",
        "tokens",
        "questions",
    } <= found.keys()
    assert found["schema"] == 1
    assert "".join(json_parts(scored())).endswith("}\n")


def test_each_question_stands_in_a_line_of_its_own(scored: Scored) -> None:
    text = "".join(json_parts(scored()))
    _, _, questions = text.partition('"questions": [\n')

    lines = questions.removesuffix("\n ]\n}\n").split("\n")

    found = [json.loads(line.removesuffix(",")) for line in lines]
    assert found == json.loads(text)["questions"]


def test_a_run_without_questions_is_a_file_too(scored: Scored) -> None:
    nothing = replace(scored(), outcomes=())

    assert written(nothing)["questions"] == []


def test_the_file_names_what_the_figures_depend_on(scored: Scored) -> None:
    metadata = written(scored())["metadata"]

    assert metadata["recipe"] == "offline"
    assert metadata["dataset"] == {"name": "tiny.json", "sha256": "ab" * 32}
    assert metadata["memory"] == {"name": "scripted"}
    assert metadata["search"] == {"limit": 10}
    assert metadata["context"] == {"chars": 12_000}
    assert metadata["answerer"] == {"name": "scripted"}
    assert metadata["judge"] is None
    assert metadata["scoring_methods"] == ["f1"]
    assert metadata["total_questions"] == 4
    assert metadata["subset"] is False
    assert metadata["states"] == {"answered": 4, "failed": 0, "missing": 0}
    assert metadata["versions"] == [{"locomo-run": "0"}]
    assert metadata["timestamp"] == [
        "2026-01-02T03:04:05+00:00",
        "2026-01-02T03:05:00+00:00",
    ]
    assert metadata["signatures"] == {
        name: signature(name) for name in (*F1_PROFILES, ABSTAIN)
    }


def test_the_selections_can_be_read_back(scored: Scored) -> None:
    selections = (Selection(limit=2), Selection(categories=(1, 4), seed=3))

    stored = written(scored(selections=selections))["metadata"]["selections"]

    assert tuple(Selection.from_spec(spec) for spec in stored) == selections


def test_the_file_holds_the_aggregates_unrounded(scored: Scored) -> None:
    found = written(scored())

    assert found["overall_f1"].keys() == set(F1_PROFILES)
    assert found["overall_f1"]["locomo"] == {
        "mean": math.fsum((1, 0.8, 0.5)) / 3,
        "count": 3,
        "missing": 0,
        "std_dev": pytest.approx((0.38 / 6) ** 0.5),
        "min": 0.5,
        "max": 1.0,
        "pessimistic_mean": math.fsum((1, 0.8, 0.5)) / 3,
    }
    assert found["per_category_f1"]["mem0"]["multi-hop"] == {
        "category": 1,
        "mean": 2 / 3,
        "count": 1,
        "missing": 0,
        "std_dev": None,
        "min": 2 / 3,
        "max": 2 / 3,
        "pessimistic_mean": 2 / 3,
    }
    assert found["adversarial"] == {
        "metric": "locomo_abstain",
        "mean": 1.0,
        "count": 1,
        "answerable_abstention": {"mean": 0.0, "count": 3},
        "judged": [],
    }
    assert found["evidence_recall"] == {
        "mean": 0.75,
        "count": 2,
        "k": 10,
        "by_session": NO_SESSIONS,
    }
    assert found["latency"]["answer"] == {"p50": 100.0, "p95": 100.0, "count": 4}
    assert found["overall_f1_without_wrong_golds"] == {}


def test_the_file_holds_the_second_line_of_scores_with_an_audit(
    scored: Scored,
) -> None:
    found = written(scored(wrong_golds=frozenset({"tiny:1"})))

    assert found["overall_f1_without_wrong_golds"]["locomo"]["mean"] == 0.75


def test_tokens_are_totals_and_a_mean_per_question(scored: Scored) -> None:
    assert overall(scored(tokens=(100, 7)))["tokens"] == {
        "total_input": 400,
        "total_output": 28,
        "mean_per_question": 107.0,
        "count": 4,
    }


def test_tokens_that_nobody_counted_are_not_zero(scored: Scored) -> None:
    assert overall(scored())["tokens"] == {
        "total_input": None,
        "total_output": None,
        "mean_per_question": None,
        "count": 0,
    }


def test_a_run_without_an_entry_has_no_times_and_no_figures(scored: Scored) -> None:
    found = written(replace(scored(missing=[0, 1, 2, 3]), times=None))

    assert found["metadata"]["timestamp"] is None
    assert found["overall_f1"]["locomo"]["mean"] is None
    assert found["latency"]["total"] == {"p50": None, "p95": None, "count": 0}
    assert found["adversarial"]["mean"] is None
    assert found["evidence_recall"]["mean"] is None


def test_an_answered_question_is_written_with_everything_behind_it(
    scored: Scored,
) -> None:
    question = written(scored(tokens=(100, 7)))["questions"][1]

    assert question == {
        "id": "tiny:1",
        "question": "When did Ana move?",
        "category": 2,
        "category_name": "temporal",
        "gold": "May 2024",
        "prediction": "in May 2024",
        "state": "answered",
        "reason": None,
        "f1": dict.fromkeys(F1_PROFILES, pytest.approx(0.8)),
        "locomo_abstain": None,
        "abstained": False,
        "judge": {},
        "refusal": {},
        "evidence": ["D1:1", "D1:2"],
        "evidence_recall": 0.5,
        "search_results": ["D1:1"],
        "search_results_used": 1,
        "context_chars": 13,
        "search_latency_ms": 20.0,
        "answer_latency_ms": 100.0,
        "answer_input_tokens": 100,
        "answer_output_tokens": 7,
    }


def test_an_adversarial_question_is_written_with_its_own_score(scored: Scored) -> None:
    right, wrong = (
        written(scored(("a", "b", "c", said)))["questions"][3]
        for said in ("unanswerable", "Lisbon")
    )

    assert (right["locomo_abstain"], wrong["locomo_abstain"]) == (1.0, 0.0)
    assert right["f1"] == wrong["f1"] == dict.fromkeys(F1_PROFILES)
    assert (right["gold"], right["category_name"]) == (None, "adversarial")


@pytest.mark.parametrize(
    ("missing", "state", "reason"), [([], "failed", "no reply"), ([0], "missing", None)]
)
def test_a_question_without_an_answer_has_nothing_in_place_of_figures(
    scored: Scored, missing: list[int], state: str, reason: str | None
) -> None:
    results = scored((None, "b", "c", "d"), missing=missing)

    question = written(results)["questions"][0]

    assert (question["state"], question["reason"]) == (state, reason)
    assert question["f1"] == dict.fromkeys(F1_PROFILES)
    for name in (
        "prediction",
        "abstained",
        "evidence_recall",
        "search_results_used",
        "context_chars",
        "search_latency_ms",
        "answer_latency_ms",
        "answer_input_tokens",
    ):
        assert question[name] is None, name


def test_text_is_written_as_it_is(scored: Scored) -> None:
    results = scored(('Lisbo\u0301a "é" \x1b\u2028', "b", "c", "d"))

    text = "".join(json_parts(results))

    assert "é" in text
    assert "\x1b" not in text
    assert json.loads(text)["questions"][0]["prediction"].endswith("\x1b\u2028")
