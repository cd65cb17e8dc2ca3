import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from llm_judge import BINARY, JudgeSettings
from llm_judge.testing import FakeMessagesAPI
from locomo_dataset import Category, load_mini
from locomo_run.cli import root
from locomo_run.comparing.comparable import Run, objections_to, shared_metrics
from locomo_run.config import CallOptions
from locomo_run.errors import UsageError
from locomo_run.importing.formats import FORMATS, read_results
from locomo_run.importing.into_run import import_results
from locomo_run.importing.matching import match
from locomo_run.judging.judge import Judge
from locomo_run.judging.judge_run import judge_run
from locomo_run.ledger.entry import Stage
from locomo_run.ledger.store import Ledger
from locomo_run.reporting.findings import findings
from locomo_run.reporting.judge_tables import judge_blocks, reliability_table
from locomo_run.reporting.methodology import methodology
from locomo_run.reporting.report import markdown
from locomo_run.reporting.results import Results, compute
from locomo_run.run_directory import read_facts

MINI = load_mini()
FIRST, SECOND = MINI.conversations
QUESTIONS = [q for q in FIRST.questions() if q.category is Category.SINGLE_HOP][:3]
GOLDS = [str(question.gold) for question in QUESTIONS]


def mem0() -> object:
    return {
        "0": [
            {
                "question": q.text,
                "answer": q.gold,
                "response": q.gold,
                "category": str(int(q.category)),
                "bleu_score": 1.0,
                "f1_score": 1.0,
                "llm_score": 1,
            }
            for q in QUESTIONS
        ]
    }


def evermemos() -> object:
    return {
        "metadata": {"answer_model": "a-model", "judge_model": "j-model"},
        "detailed_results": {
            "locomo_exp_user_0": [
                {
                    "question_id": f"locomo_0_qa{i}",
                    "question": q.text,
                    "golden_answer": q.gold,
                    "generated_answer": q.gold,
                    "llm_judgments": {"judgment_1": True, "judgment_2": i == 0},
                    "category": int(q.category),
                }
                for i, q in enumerate(QUESTIONS)
            ]
        },
    }


def zep() -> object:
    return {
        "locomo_experiment_user_0": [
            {
                "question": q.text,
                "answer": q.gold,
                "golden_answer": q.gold,
                "grade": True,
                "category": int(q.category),
            }
            for q in QUESTIONS
        ]
    }


def backboard() -> object:
    return {
        "conversation_id": "mini-1",
        "responses": [
            {
                "conversation_id": "mini-1",
                "question_type": "open_domain",
                "category": int(q.category),
                "question": q.text,
                "expected_answer": q.gold,
                "ai_response": q.gold,
                "evaluation": {
                    "is_correct": i != 2,
                    "reasoning": f"Reason {i}.",
                    "error": "timeout" if i == 2 else None,
                },
            }
            for i, q in enumerate(QUESTIONS)
        ],
    }


def jsonl() -> str:
    return "".join(
        json.dumps({"conversation": "mini-1", "question": q.text, "prediction": q.gold})
        + "\n\n"
        for q in QUESTIONS
    )


FILES = {
    "mem0": json.dumps(mem0()),
    "evermemos": json.dumps(evermemos()),
    "zep": json.dumps(zep()),
    "backboard": json.dumps(backboard()),
    "jsonl": jsonl(),
}


def written(folder: Path, text: str) -> Path:
    path = folder / "results.json"
    path.write_text(text, encoding="utf-8")
    return path


def results_of(directory: Path) -> Results:
    with Ledger.read(directory) as ledger:
        return compute(read_facts(ledger), MINI, ledger)


def test_every_format_is_tried_here() -> None:
    assert set(FILES) == set(FORMATS)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_recognised_and_becomes_a_run(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, FILES[name])

    found = import_results(path, MINI, "mini", out=tmp_path / "run")

    assert (found.matched, found.answers, found.problems) == (3, 3, ())
    results = results_of(tmp_path / "run")
    assert [o.prediction for o in results.outcomes] == GOLDS
    assert results.f1_overall("locomo").mean == 1.0
    assert results.recall().count == 0, "nothing is known of a search"
    assert results.latency("total").count == 0
    assert results.facts.identity["memory"]["format"] == name


def test_verdicts_are_kept_run_by_run_under_a_name_of_their_own(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, FILES["evermemos"])

    import_results(path, MINI, "mini", out=tmp_path / "run")

    (judged,) = results_of(tmp_path / "run").judged
    assert (judged.name, judged.judge.settings.model) == (
        "imported-evermemos",
        "j-model",
    )
    assert [judged.scores(q.id) for q in QUESTIONS] == [(1, 1), (1, 0), (1, 0)]
    assert judged.overall().mean_j == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("evermemos", "protocol:imported-evermemos|model:j-model"),
        ("zep", "protocol:imported-zep|model:unknown"),
    ],
)
def test_an_imported_judge_claims_only_what_the_file_tells(
    tmp_path: Path, name: str, signature: str
) -> None:
    import_results(written(tmp_path, FILES[name]), MINI, "mini", out=tmp_path / "run")

    results = results_of(tmp_path / "run")

    (judge,) = results.facts.judges
    assert judge.signature == signature
    assert Judge.from_spec(judge.spec()) == judge
    for text in (findings(results), methodology(results), markdown(results)):
        assert not re.search("temperature:|max.?_tokens|parser:", text)


def test_imports_judged_by_the_same_model_are_compared_by_it(tmp_path: Path) -> None:
    path = written(tmp_path, FILES["evermemos"])
    for name in ("first", "second"):
        import_results(path, MINI, "mini", out=tmp_path / name)

    runs = [
        Run(name=name, results=results_of(tmp_path / name))
        for name in ("first", "second")
    ]

    assert objections_to(*runs) == []
    _, (j, _) = shared_metrics(runs, None, by_kind=False)
    assert j.key == "protocol:imported-evermemos|model:j-model"
    assert [record.value for record in j.records][:3] == [1.0, 0.5, 0.5]


def test_an_imported_run_can_be_judged_anew(
    tmp_path: Path, endpoint: Callable[..., FakeMessagesAPI]
) -> None:
    import_results(
        written(tmp_path, FILES["evermemos"]), MINI, "mini", out=tmp_path / "run"
    )
    endpoint()
    other = Judge(protocol=BINARY, settings=JudgeSettings(), runs=1)

    results = judge_run(tmp_path / "run", [other], CallOptions(), lambda event: None)

    imported, bought = results.judged
    assert imported.overall().mean_j == pytest.approx(2 / 3)
    assert bought.statuses() == {"ok": 3}


def test_a_verdict_that_is_missing_is_no_wrong_answer(tmp_path: Path) -> None:
    path = written(tmp_path, FILES["backboard"])

    import_results(path, MINI, "mini", out=tmp_path / "run")

    (judged,) = results_of(tmp_path / "run").judged
    overall = judged.overall()
    assert (overall.mean_j, overall.count, overall.missing) == (1.0, 2, 1)


def test_what_a_judge_said_is_kept(tmp_path: Path) -> None:
    path = written(tmp_path, FILES["backboard"])

    import_results(path, MINI, "mini", out=tmp_path / "run")

    with Ledger.read(tmp_path / "run") as ledger:
        entries = list(ledger.entries(Stage.JUDGE))
    said = [entry.attempt.reply.get("explanation") for entry in entries]
    assert said == ["Reason 0.", "Reason 1.", None]


def test_verdicts_that_were_never_made_are_missing_and_not_failed(
    tmp_path: Path,
) -> None:
    rows = zip(QUESTIONS, [[1, 1, 1], [1], [0, None]], strict=True)
    lines = [
        json.dumps(
            {
                "conversation": "mini-1",
                "question": q.text,
                "prediction": q.gold,
                "verdicts": verdicts,
            }
        )
        for q, verdicts in rows
    ]
    path = written(tmp_path, "\n".join(lines))

    import_results(path, MINI, "mini", out=tmp_path / "run")

    results = results_of(tmp_path / "run")
    (judged,) = results.judged
    assert judged.statuses() == {"ok": 5, "unparsed": 1, "missing": 3}
    (by_category,) = judge_blocks(results)
    column = by_category.columns.index("Runs without a score")
    assert by_category.rows[-1][column] == "4"
    (reliability,) = reliability_table(results).rows
    assert reliability[-1] == "3 missing, 1 unparsed"


def test_an_import_can_be_repeated(tmp_path: Path) -> None:
    path = written(tmp_path, FILES["mem0"])
    import_results(path, MINI, "mini", out=tmp_path / "run")
    before = (tmp_path / "run" / "ledger.sqlite").read_bytes()

    import_results(path, MINI, "mini", out=tmp_path / "run")

    after = results_of(tmp_path / "run")
    assert len(after.outcomes) == 3
    assert len(before) == len((tmp_path / "run" / "ledger.sqlite").read_bytes())


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"question": "Who?"}, r"0\[0\]: no such question is left in mini-1"),
        ({"category": "5"}, r"0\[0\]: mini-1:\d+ has category 4, not 5"),
        ({"answer": "something else"}, r"0\[0\]: mini-1:\d+ has another gold"),
    ],
)
def test_what_does_not_fit_is_reported(
    tmp_path: Path, change: dict[str, str], problem: str
) -> None:
    data: Any = mem0()
    data["0"][0] |= change

    matched = match(read_results(written(tmp_path, json.dumps(data))).answers, MINI)

    assert len(matched.problems) == 1
    assert re.fullmatch(problem, matched.problems[0])


def test_a_conversation_that_the_data_set_does_not_have_matches_nothing(
    tmp_path: Path,
) -> None:
    data: Any = mem0()
    path = written(tmp_path, json.dumps({"7": data["0"]}))

    with pytest.raises(UsageError, match=r"no question of .* is in mini\.json"):
        import_results(path, MINI, "mini", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        '{"0": [1]}',
        '{"responses": 3}',
        "not json",
        "[" * 100_000,
    ],
)
def test_a_file_of_no_known_format_is_one_clear_line(tmp_path: Path, text: str) -> None:
    done = CliRunner().invoke(
        root, ["import", str(written(tmp_path, text)), "--dataset", "mini"]
    )

    assert done.exit_code == 2
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1


def test_the_command_prints_what_it_made(tmp_path: Path) -> None:
    path = written(tmp_path, FILES["zep"])
    arguments = ["import", str(path), "--dataset", "mini", "--out", str(tmp_path / "r")]

    plain = CliRunner().invoke(root, arguments, catch_exceptions=False)
    as_json = CliRunner().invoke(root, [*arguments, "--json"], catch_exceptions=False)

    assert plain.stdout == f"run: {tmp_path / 'r'}\n3 of 3 answers matched\n"
    assert json.loads(as_json.stdout) == {
        "run": str(tmp_path / "r"),
        "answers": 3,
        "matched": 3,
        "problems": [],
    }
