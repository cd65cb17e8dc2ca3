import json
from collections.abc import Callable
from pathlib import Path

import pytest
from locomo_run.errors import UsageError
from locomo_run.reporting.results import Results
from locomo_run.reporting.results_file import ResultsFile, read_results_file
from locomo_run.reporting.results_json import json_parts, overall, question_spec

Scored = Callable[..., Results]


def test_a_results_file_read_back_is_what_was_written(
    scored: Scored, tmp_path: Path
) -> None:
    results = scored((None, 'a "b", c\n', "ü\u202e", "x"))
    path = tmp_path / "results.json"
    path.write_text("".join(json_parts(results)), encoding="utf-8")

    read = read_results_file(path)

    assert read.model_dump(mode="json", by_alias=True) == {
        **overall(results),
        "questions": [question_spec(outcome, results) for outcome in results.outcomes],
    }
    assert read == read_results_file(path)
    assert read.questions[1].prediction == 'a "b", c\n'


@pytest.mark.parametrize("text", ["", "[]", "{}", "x", "[" * 100_000, "\ud800"])
def test_what_is_no_results_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))

    with pytest.raises(UsageError, match=r"a\.json is no results file of schema 1: "):
        read_results_file(path)


def test_a_file_that_is_not_there_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"a\.json cannot be read: No such file"):
        read_results_file(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": 99}, "schema: Input should be 1"),
        ({"tokens": {}}, r"tokens\.total_input: Field required"),
        ({"more": 1}, "more: Extra inputs"),
    ],
)
def test_a_results_file_of_another_schema_is_refused_with_the_place(
    scored: Scored, tmp_path: Path, change: dict[str, object], said: str
) -> None:
    path = tmp_path / "a.json"
    body = json.loads("".join(json_parts(scored())))
    path.write_text(json.dumps({**body, **change}), encoding="utf-8")

    with pytest.raises(UsageError, match=said):
        read_results_file(path)


def test_every_field_of_the_plan_is_in_the_schema() -> None:
    defined = ResultsFile.model_json_schema(by_alias=True)["$defs"]

    for part, names in {
        "Question": "question category gold prediction f1 judge search_results_used "
        "search_latency_ms answer_latency_ms answer_input_tokens answer_output_tokens",
        "Verdicts": "mean_score std_dev run_count individual_scores",
        "Summary": "mean count min max",
        "JudgeSummary": "mean_j pooled_std_dev count",
        "JudgeResults": "per_category_judge overall_judge",
        "Latency": "search answer total",
        "Percentiles": "p50 p95",
        "Ingestion": "sample_id total_sessions sessions_ingested observations_queued "
        "status",
        "Tokens": "total_input total_output mean_per_question",
        "Metadata": "answerer judge timestamp total_questions scoring_methods "
        "signatures",
    }.items():
        assert set(names.split()) <= set(defined[part]["required"]), part
