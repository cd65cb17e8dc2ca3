from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from locomo_dataset import Category, Dataset, DatasetError, load_mini
from locomo_dataset.errata import (
    ErrorKind,
    ErrorType,
    Mismatch,
    load_errata,
)

Write = Callable[[Any], Path]


def entry(**changes: Any) -> dict[str, Any]:
    """One entry of an audit of the synthetic data set."""
    return {
        "question_id": "locomo_0_qa0",
        "question": "Which town did Ines move to?",
        "golden_answer": "Port Ambrel",
        "category": 4,
        "error_type": "HALLUCINATION",
        "cited_evidence": ["D1:3"],
        "correct_evidence": [],
        "reasoning": "invented for this test",
        "correct_answer": "Port Ambrel",
    } | changes


OTHER = {
    "question_id": "locomo_1_qa2",
    "question": "How long is Kofi's boat?",
    "golden_answer": "seventeen metres",
    "error_type": "WRONG_CITATION",
}


def test_entries_mark_the_questions_they_mean(write: Write) -> None:
    errata = load_errata(write([entry(), entry(**OTHER)]))

    join = errata.join(load_mini())

    assert join.mismatches == ()
    assert join.kinds == {
        "mini-1:0": ErrorKind.SCORE_CORRUPTING,
        "mini-2:2": ErrorKind.CITATION_ONLY,
    }
    assert join.score_corrupting == {"mini-1:0"}
    assert join.citation_only == {"mini-2:2"}


def test_an_integer_gold_joins_as_text(write: Write) -> None:
    audited = entry(
        question_id="locomo_0_qa3",
        question="How old did Rohan turn before he signed up for the exam?",
        golden_answer="34",
    )

    join = load_errata(write([audited])).join(load_mini())

    assert set(join.kinds) == {"mini-1:3"}


@pytest.mark.parametrize("error_type", ErrorType)
def test_only_a_wrong_citation_leaves_the_score_alone(
    error_type: ErrorType, write: Write
) -> None:
    errata = load_errata(write([entry(error_type=error_type.value)]))

    kind = errata.join(load_mini()).kinds["mini-1:0"]

    assert errata.errors[0].error_type is error_type
    assert (kind is ErrorKind.CITATION_ONLY) == (error_type == "WRONG_CITATION")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"question_id": "locomo_2_qa0"},
            "the data set has no conversation 2",
        ),
        (
            {"question_id": "locomo_0_qa27"},
            "mini-1 has no question 27",
        ),
        (
            {"question": "Who\n?"},
            (
                r"the text of mini-1:0 is 'Which town did Ines move to?'"
                r" in the data set and 'Who\n?' in the audit"
            ),
        ),
        (
            {"golden_answer": "Lindo"},
            (
                "the gold of mini-1:0 is 'Port Ambrel' in the data set"
                " and 'Lindo' in the audit"
            ),
        ),
        (
            {
                "question_id": "locomo_0_qa23",
                "question": "What did Ines name her rye starter?",
            },
            (
                "the gold of mini-1:23 is none in the data set"
                " and 'Port Ambrel' in the audit"
            ),
        ),
        (
            {"category": 1},
            "mini-1:0 is single-hop in the data set and multi-hop in the audit",
        ),
    ],
    ids=["conversation", "question", "text", "gold", "no gold", "category"],
)
def test_an_entry_that_does_not_fit_marks_nothing(
    changes: dict[str, Any], message: str, write: Write
) -> None:
    audited = entry(**changes)

    join = load_errata(write([entry(**OTHER), audited])).join(load_mini())

    assert set(join.kinds) == {"mini-2:2"}
    assert join.mismatches == (
        Mismatch(audit_id=audited["question_id"], path="$[1]", message=message),
    )


@pytest.mark.parametrize(
    ("changes", "path", "expected", "found"),
    [
        (
            {"question_id": "locomo_0_qa01"},
            "$[0].question_id",
            "an id like 'locomo_0_qa12'",
            "the string 'locomo_0_qa01'",
        ),
        (
            {"question_id": 4},
            "$[0].question_id",
            "a string",
            "the number 4",
        ),
        (
            {"golden_answer": None},
            "$[0].golden_answer",
            "a string",
            "null",
        ),
        (
            {"category": 0},
            "$[0].category",
            "a category, 1 to 5",
            "the number 0",
        ),
        (
            {"error_type": "TYPO"},
            "$[0].error_type",
            f"one of {', '.join(ErrorType)}",
            "the string 'TYPO'",
        ),
    ],
)
def test_a_wrong_shape_is_told_with_path_expectation_and_find(
    changes: dict[str, Any], path: str, expected: str, found: str, write: Write
) -> None:
    file = write([entry(**changes)])

    with pytest.raises(DatasetError) as caught:
        load_errata(file)

    assert str(caught.value) == f"{file}: {path}: expected {expected}, found {found}"


def test_an_id_that_stands_twice_is_refused(write: Write) -> None:
    with pytest.raises(DatasetError) as caught:
        load_errata(write([entry(), entry(**OTHER), entry()]))

    assert caught.value.json_path == "$[2].question_id"
    assert caught.value.expected == "an id that no other entry has"


def test_a_data_set_is_no_errata_file(mini: Any, write: Write) -> None:
    with pytest.raises(DatasetError, match=r"\$\[0\]: expected an object with the key"):
        load_errata(write(mini))


def test_errata_know_which_file_they_came_from(write: Write) -> None:
    errata = load_errata(write([]))

    assert (errata.errors, errata.name) == ((), "changed.json")
    # sha256sum of the two bytes []
    assert errata.sha256 == (
        "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
    )


@pytest.mark.locomo
def test_the_public_audit_fits_the_real_data_set(
    real: Dataset, real_path: Path
) -> None:
    join = load_errata(real_path.with_name("locomo-audit-errors.json")).join(real)

    assert join.mismatches == ()
    assert len(join.score_corrupting) == 99
    assert len(join.citation_only) == 57
    kept = [q for q in real.questions() if q.id not in join.score_corrupting]
    assert len(kept) == 1441


@pytest.mark.locomo
def test_the_public_audit_names_no_adversarial_question(
    real: Dataset, real_path: Path
) -> None:
    errata = load_errata(real_path.with_name("locomo-audit-errors.json"))

    assert Category.ADVERSARIAL not in {error.category for error in errata.errors}
