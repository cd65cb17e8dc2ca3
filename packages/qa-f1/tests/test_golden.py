import ast
import json
import math
from collections import defaultdict
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from qa_f1 import Profile, locomo_abstain, token_f1, tokenize
from qa_f1.profiles import (
    LOCOMO,
    LOCOMO_FIRST,
    LOCOMO_LIST,
    MEM0,
    SQUAD,
    SQUAD2,
    STANDARD,
)

Row = dict[str, Any]

PROFILES = {"seed_sb": STANDARD, "mem0_f1": MEM0, "squad": SQUAD, "squad2": SQUAD2}
# The benchmark's categories: multi-hop, temporal, open-domain, single-hop.
BY_CATEGORY = {1: LOCOMO_LIST, 2: LOCOMO, 3: LOCOMO_FIRST, 4: LOCOMO}
ADVERSARIAL = 5
TOLERANCE = 1e-6


def _rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _wrong(
    prediction: str, gold: str, expected: Row, columns: dict[str, Profile]
) -> dict[str, tuple[float, float]]:
    found = {
        column: token_f1(prediction, gold, profile).f1
        for column, profile in columns.items()
    }
    return {
        column: (f1, expected[column])
        for column, f1 in found.items()
        if not math.isclose(f1, expected[column], rel_tol=0, abs_tol=TOLERANCE)
    }


def _evaluate(node: ast.expr) -> Any:
    """Evaluate what recipes are made of: literals, repetition, sums and joins."""
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _evaluate(left) + _evaluate(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _evaluate(left) * _evaluate(right)
        case ast.Call(func=ast.Attribute(value=separator, attr="join"), args=[words]):
            return _evaluate(separator).join(_evaluate(words))
        case ast.Name(id=word):  # a text without quotes stands for itself
            return word
        case _:
            return ast.literal_eval(node)


def _text(value: object, *, is_expression: bool) -> str:
    if is_expression:
        value = _evaluate(ast.parse(str(value), mode="eval").body)
    return str(value)


def _check_tricky(path: Path) -> int:
    columns = PROFILES | {
        "locomo_c1": LOCOMO_LIST,
        "locomo_c24": LOCOMO,
        "locomo_c3": LOCOMO_FIRST,
    }
    rows = _rows(path)
    for row in rows:
        expression = row.get("recipe") == 1
        prediction = _text(row["pred"], is_expression=expression)
        gold = _text(row["gold"], is_expression=expression)
        assert _wrong(prediction, gold, row, columns) == {}, row
        assert locomo_abstain(prediction) == bool(row["locomo_c5"]), row
        if "gold_tokens_locomo" in row:
            assert tokenize(gold, LOCOMO) == row["gold_tokens_locomo"], row
    return len(rows)


def test_hand_made_pairs_score_as_the_references_do(data: Path) -> None:
    assert _check_tricky(data / "tricky.jsonl") == 84


@pytest.mark.golden
def test_all_hand_made_pairs_score_as_the_references_do(golden: Path) -> None:
    assert _check_tricky(golden / "tricky.jsonl") > 84


def _reference(question: Row) -> str:
    adversarial = question["category"] == ADVERSARIAL
    return str(question["adversarial_answer" if adversarial else "answer"])


def _official(prediction: str, gold: str, category: int) -> float:
    if category == ADVERSARIAL:
        return float(locomo_abstain(prediction))
    return token_f1(prediction, gold, BY_CATEGORY[category]).f1


def _columns(prediction: str, gold: str, category: int) -> dict[str, float]:
    scores = {
        column: token_f1(prediction, gold, profile).f1
        for column, profile in PROFILES.items()
    }
    return scores | {"locomo": _official(prediction, gold, category)}


@pytest.mark.locomo
@pytest.mark.golden
def test_every_recorded_row_scores_as_the_references_do(
    dataset: Row, golden: Path
) -> None:
    rows = _rows(golden / "locomo_f1_golden.jsonl")
    for row in rows:
        gold = _reference(dataset[row["s"]]["qa"][row["i"]])
        assert _wrong(row["p"], gold, row, PROFILES) == {}, row
        official = _official(row["p"], gold, row["c"])
        assert official == pytest.approx(row["locomo"], abs=TOLERANCE), row
    assert len(rows) > 2000


def _draw(*parts: object) -> int:
    digest = sha256(":".join(map(str, parts)).encode()).hexdigest()
    return int(digest[:12], 16)


def _turns(conversation: Row) -> list[str]:
    sessions = [
        key
        for key, value in conversation.items()
        if key.startswith("session_") and isinstance(value, list)
    ]
    sessions.sort(key=lambda key: int(key.removeprefix("session_")))
    return [
        turn["text"]
        for session in sessions
        for turn in conversation[session]
        if turn.get("text")
    ]


def _truncated(text: str) -> str:
    words = text.split()
    if len(words) > 1:
        return " ".join(words[: (len(words) + 1) // 2])
    return text[: (len(text) + 1) // 2]


def _predictions(
    sample: Row, index: int, turns: list[str], phrases: list[str]
) -> Iterator[tuple[str, str]]:
    """Yield kind and text of the predictions made from one question."""
    questions, name = sample["qa"], sample["sample_id"]
    question, n = questions[index], len(questions)
    gold, asked = _reference(question), question["question"]
    offset = 1 + _draw(name, index, "other") % (n - 1)
    yield "gold", gold
    yield "upper_punct", f'("{gold.upper()}!?")...'
    yield "truncated", _truncated(gold)
    yield "extra", f"{gold} and also {' '.join(asked.split()[-4:])}"
    yield "turn", turns[_draw(name, index, "turn") % len(turns)]
    yield "other", _reference(questions[(index + offset) % n])
    opening = f'Based on the conversation, I believe the answer to "{asked}" is'
    yield "verbose", f"{opening} {gold}, as far as I can tell."
    yield "empty", ""
    if question["category"] == 1 and "," in gold:
        parts = [part.strip() for part in gold.split(",")]
        yield "reversed_list", ", ".join(reversed(parts))
        yield "first_item", parts[0]
    if question["category"] == 3 and ";" in gold:
        yield "before_semicolon", gold.partition(";")[0]
    if question["category"] == ADVERSARIAL:
        yield "not_mentioned", phrases[_draw(name, index, "nm") % len(phrases)]


def _phrases(recorded: list[Row]) -> list[str]:
    """Collect the wordings of "not mentioned", which the recipe draws by number."""
    drawn = {
        _draw(row["s"], row["i"], "nm") % 14: row["p"]
        for row in recorded
        if row["k"] == "not_mentioned"
    }
    return [drawn[number] for number in range(14)]


@pytest.mark.locomo
@pytest.mark.golden
def test_the_means_over_the_whole_regenerated_set_follow(
    dataset: Row, golden: Path
) -> None:
    phrases = _phrases(_rows(golden / "locomo_f1_golden.jsonl"))
    scores: dict[str, list[dict[str, float]]] = defaultdict(list)
    for sample in dataset.values():
        turns = _turns(sample["conversation"])
        for index, question in enumerate(sample["qa"]):
            gold, category = _reference(question), question["category"]
            for kind, text in _predictions(sample, index, turns, phrases):
                scores[f"{category}/{kind}"].append(_columns(text, gold, category))

    found = {
        key: {"n": len(rows)}
        | {
            column: math.fsum(row[column] for row in rows) / len(rows)
            for column in rows[0]
        }
        for key, rows in scores.items()
    }
    aggregates = json.loads(
        (golden / "locomo_f1_aggregates.json").read_text(encoding="utf-8")
    )
    assert sum(map(len, scores.values())) == aggregates["n_rows"] == 16_683
    assert found == {
        key: pytest.approx(
            {column: means[column] for column in ("n", "locomo", *PROFILES)},
            abs=TOLERANCE,
        )
        for key, means in aggregates["by_category_and_kind"].items()
    }
