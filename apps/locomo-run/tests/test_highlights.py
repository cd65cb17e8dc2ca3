from collections.abc import Callable
from dataclasses import replace

import pytest
from eval_report import Table
from llm_judge import BINARY, GRADED, JudgeSettings
from locomo_dataset import Category
from locomo_run.claude_mem.account import remarks
from locomo_run.judging.judge import Judge
from locomo_run.judging.judged import Judged, JudgeRun
from locomo_run.ledger.entry import Json
from locomo_run.reporting.findings import findings
from locomo_run.reporting.highlights import question_tables, standing_table
from locomo_run.reporting.methodology import methodology
from locomo_run.reporting.report import markdown
from locomo_run.reporting.results import Results
from locomo_run.selection import Selection

Scored = Callable[..., Results]


def judged(results: Results, protocol: str, scores: list[float]) -> Judged:
    chosen = {"graded": GRADED, "binary": BINARY}[protocol]
    return Judged(
        judge=Judge(protocol=chosen, settings=JudgeSettings(), runs=1),
        asked=results.answerable,
        extra={},
        runs={
            outcome.question.id: (JudgeRun("ok", score),)
            for outcome, score in zip(results.answerable, scores, strict=True)
        },
    )


def imported(results: Results) -> Results:
    return replace(results, facts=replace(results.facts, recipe="imported"))


def rows(table: Table) -> dict[str, tuple[str, ...]]:
    return {row[0]: row[1:] for row in table.rows}


def test_the_strongest_and_the_weakest_category_are_named(scored: Scored) -> None:
    found = rows(standing_table(scored()))

    assert found["F1, strongest category"] == ("single-hop (4)", "100.0", "1")
    assert found["F1, weakest category"] == ("multi-hop (1)", "50.0", "1")


def test_no_distance_is_said_over_other_questions(scored: Scored) -> None:
    found = rows(standing_table(scored()))

    assert found["F1 mem0, largest distance to Mem0"] == ("other questions", "n/a", "")


def test_a_graded_j_has_no_distance_to_a_binary_one(scored: Scored) -> None:
    results = scored()
    results = replace(
        results,
        judged=(
            judged(results, "graded", [100.0, 50.0, 20.0]),
            judged(results, "binary", [1.0, 0.0, 1.0]),
        ),
    )

    found = rows(standing_table(results))

    graded = found["J graded, distance to full context"]
    binary = found["J binary, distance to full context"]
    assert graded == ("other metric", "n/a", "")
    assert binary == ("other questions", "n/a", "")
    assert found["J graded, strongest category"][1] == "100.0"


def test_the_questions_at_both_ends_are_listed_with_their_texts(
    scored: Scored,
) -> None:
    results = scored()
    results = replace(results, judged=(judged(results, "graded", [10.0, 90.0, 50.0]),))

    f1, j = question_tables(results)

    assert [row[2] for row in f1.rows] == ["1.000", "0.800", "0.500"]
    assert [row[2] for row in j.rows] == ["90.0", "50.0", "10.0"]
    assert f1.columns[3:] == ("Question", "Gold", "Prediction")


def test_texts_can_be_left_out(scored: Scored) -> None:
    (f1,) = question_tables(scored(), no_text=True)

    assert f1.columns == ("Question id", "Category", "F1 locomo")


def test_a_question_without_a_score_is_at_neither_end(scored: Scored) -> None:
    (f1,) = question_tables(scored((None, "in May 2024", "Miso", "no")))

    assert "tiny:0" not in [row[0] for row in f1.rows]


def test_findings_say_what_the_memory_found_and_what_that_was_worth(
    scored: Scored,
) -> None:
    text = findings(scored())

    assert (
        "scripted + scripted answered 4 of 4 selected questions of tiny.json." in text
    )
    assert "Mean token F1 under profile locomo is 76.7 of 100, n = 3." in text
    assert "No judge has scored the answers of this run." in text
    assert "Where the search found all of the evidence, mean F1 is" in text


def test_findings_do_not_speak_of_evidence_that_nobody_knows(scored: Scored) -> None:
    text = findings(scored(turns=False))

    assert "Where the search found" not in text
    assert "It is not known which turns of evidence the memory found." in text


def test_methodology_names_every_signature_and_setting(scored: Scored) -> None:
    results = scored()
    results = replace(results, judged=(judged(results, "binary", [1.0, 1.0, 0.0]),))

    text = methodology(results)

    for profile in ("locomo", "mem0", "standard", "squad", "squad2", "J binary"):
        assert f"| {profile} | " in text
    assert "protocol:binary" in text
    assert "Judge: none." not in text
    assert "Judge: none." in methodology(scored())


def test_methodology_knows_no_limit_where_nobody_said_one(scored: Scored) -> None:
    text = methodology(scored(search_limit=None))

    assert "| limit | n/a |" in text
    assert "no limit" not in text


def test_methodology_of_imported_answers_claims_nothing_of_their_memory(
    scored: Scored,
) -> None:
    stored = "the ledger holds an entry for each thing that was stored."

    assert stored in methodology(scored())
    text = methodology(imported(scored()))
    assert stored not in text
    assert "what the memory of its source stored is not known." in text


def test_methodology_says_where_adversarial_questions_count(scored: Scored) -> None:
    text = methodology(scored())

    assert "no part in J, and in F1 only beside the LoCoMo paper." in text
    assert "no part in F1 by category" not in text


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("", "No question has a score, so there is no interval."),
        ("a", "come from 1 conversation: there is no interval, since an interval"),
        ("aab", "come from 2 conversations and are not independent; the intervals"),
    ],
)
def test_findings_speak_of_intervals_only_where_there_are_some(
    judged_run: Callable[..., Results], names: str, said: str
) -> None:
    rows = [(name, Category.SINGLE_HOP, "Oslo", "Oslo", ()) for name in names]
    failed = ("z", Category.SINGLE_HOP, "Oslo", None, ())

    text = findings(judged_run([*rows, failed]))

    assert said in text
    assert text.count("conversations and are not independent") == (names == "aab")


WORKER: dict[str, Json] = {
    "workers": [{"version": "13.25.3", "pid": 7}],
    "mode": "code",
    "vectors": False,
    "ingestion": {
        "tiny": {"sessions": 1, "stored": 1, "observations": 5, "missing": []}
    },
    "remarks": remarks({"mode": "code", "vectors": False}),
}


@pytest.mark.parametrize("document", [findings, methodology])
def test_both_documents_tell_about_the_worker(
    scored: Scored, document: Callable[[Results], str]
) -> None:
    text = document(replace(scored(), worker=WORKER))

    assert "13.25.3" in text
    assert "| mode by its word or settings | code |" in text
    assert "| stored of tiny | 1 of 1 session, 5 observations |" in text
    assert "The claude-mem worker" not in document(scored())


def test_findings_begin_with_what_the_worker_makes_doubtful(scored: Scored) -> None:
    text = findings(replace(scored(), worker=WORKER))

    assert "The worker searched without vectors, by words alone." in text
    assert "The command locomo-run worker-mode writes a mode for" in text


@pytest.mark.parametrize("document", [findings, methodology, markdown])
def test_no_text_of_ours_has_a_backtick_that_markdown_would_print(
    scored: Scored, document: Callable[[Results], str]
) -> None:
    assert "`" not in document(replace(scored(asked=[0]), worker=WORKER))


def test_many_chosen_questions_are_counted_and_few_are_named(scored: Scored) -> None:
    few = Selection(questions=("tiny:0", "tiny:1"))
    many = Selection(questions=tuple(f"tiny:{i}" for i in range(1_540)))

    text = methodology(scored(selections=(few, many)))

    assert '"questions":\\["tiny:0","tiny:1"\\]' in text
    assert '"questions":"1,540 by id"' in text
    assert "tiny:1539" not in text


def test_methodology_tells_which_prompt_a_model_was_given(scored: Scored) -> None:
    results = scored()
    answerer: dict[str, Json] = {"name": "a-model", "prompt": 1}
    identity = {**results.facts.identity, "answerer": answerer}
    asked = replace(results, facts=replace(results.facts, identity=identity))

    assert "version 1 of the prompt of locomo-run" in methodology(asked)
    assert "locomo-run prompt show QUESTION" in methodology(asked)
    assert "of the prompt of" not in methodology(results)
