"""Result files of other harnesses: what each one looks like, read into one shape."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from locomo_run.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One question of a result file."""

    place: str
    """Where it stands in the file."""
    conversation: str | int | None
    """Sample id, or the conversation's position in the data set; None if unknown."""
    question: str
    gold: str
    category: int | None
    prediction: str
    verdicts: tuple[float | None, ...]
    """1 for correct, 0 for wrong, by judge run; None where a run gave nothing."""
    explanations: tuple[str, ...] = ()
    """What the judge said to each, where the file tells that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFile:
    """A result file."""

    format: str
    answers: tuple[Answered, ...]
    answerer: str
    """The model that answered, as far as the file says."""
    judge: str
    """The model that judged, as far as the file says."""


UNKNOWN = "unknown"

_MISFITS = (
    *(KeyError, TypeError, ValueError, AttributeError, IndexError),
    RecursionError,  # deep nesting
)
"""What reading a file of another shape raises."""


def read_results(path: Path, format_name: str = "auto") -> ResultFile:
    """Read a result file.

    Args:
        path: The file.
        format_name: One of `FORMATS`, or `auto` to find out.

    Raises:
        UsageError: it cannot be read, or is not of that format.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 ({error.reason})") from error
    name = _detect(text, path) if format_name == "auto" else format_name
    try:
        found = FORMATS[name](text)
    except _MISFITS as error:
        what = f"{type(error).__name__} {error}".strip()
        raise UsageError(f"{path} is not of the format {name}: {what}") from error
    if not found.answers:
        raise UsageError(f"{path} holds no answers")
    return found


def _detect(text: str, path: Path) -> str:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return "jsonl"
    if isinstance(data, dict):
        if "prediction" in data:  # one line of JSONL
            return "jsonl"
        if "detailed_results" in data:
            return "evermemos"
        if "responses" in data:
            return "backboard"
        first = next((v[0] for v in data.values() if isinstance(v, list) and v), None)
        if isinstance(first, dict) and "grade" in first:
            return "zep"
        if isinstance(first, dict) and "llm_score" in first:
            return "mem0"
    raise UsageError(
        f"the format of {path} is not recognised; name it with --format: "
        f"{', '.join(FORMATS)}"
    )


def _mem0(text: str) -> ResultFile:
    """Mem0's `evaluation/`: conversation position to records with `llm_score`."""
    answers = [
        Answered(
            place=f"{key}[{i}]",
            conversation=int(key),
            question=str(record["question"]),
            gold=str(record["answer"]),
            category=int(record["category"]),
            prediction=str(record["response"]),
            verdicts=(_verdict(record["llm_score"]),),
        )
        for key, i, record in _records(json.loads(text))
    ]
    return ResultFile(
        format="mem0", answers=tuple(answers), answerer=UNKNOWN, judge=UNKNOWN
    )


def _evermemos(text: str) -> ResultFile:
    """EverMemOS, and the public audit's full-context runs: three verdicts each."""
    data = json.loads(text)
    answers = [
        Answered(
            place=str(record["question_id"]),
            conversation=_position(str(record["question_id"])),
            question=str(record["question"]),
            gold=str(record["golden_answer"]),
            category=int(record["category"]),
            prediction=str(record["generated_answer"]),
            verdicts=tuple(
                _verdict(value) for _, value in sorted(record["llm_judgments"].items())
            ),
        )
        for _, _, record in _records(data["detailed_results"])
    ]
    metadata = data.get("metadata", {})
    return ResultFile(
        format="evermemos",
        answers=tuple(answers),
        answerer=str(metadata.get("answer_model", UNKNOWN)),
        judge=str(metadata.get("judge_model", UNKNOWN)),
    )


def _zep(text: str) -> ResultFile:
    """Zep's `zep-papers`: one grade each, positions in the names of the users."""
    answers = [
        Answered(
            place=f"{key}[{i}]",
            conversation=_position(key),
            question=str(record["question"]),
            gold=str(record["golden_answer"]),
            category=int(record["category"]),
            prediction=str(record["answer"]),
            verdicts=(_verdict(record["grade"]),),
        )
        for key, i, record in _records(json.loads(text))
    ]
    return ResultFile(
        format="zep", answers=tuple(answers), answerer=UNKNOWN, judge=UNKNOWN
    )


def _backboard(text: str) -> ResultFile:
    """Backboard: one file per conversation, an error counts as no verdict."""
    answers = [
        Answered(
            place=f"responses[{i}]",
            conversation=str(record["conversation_id"]),
            question=str(record["question"]),
            gold=str(record["expected_answer"]),
            category=int(record["category"]),
            prediction=str(record["ai_response"]),
            verdicts=(
                None
                if record["evaluation"].get("error")
                else _verdict(record["evaluation"]["is_correct"]),
            ),
            explanations=(str(record["evaluation"].get("reasoning") or ""),),
        )
        for i, record in enumerate(json.loads(text)["responses"])
    ]
    return ResultFile(
        format="backboard", answers=tuple(answers), answerer=UNKNOWN, judge=UNKNOWN
    )


def _jsonl(text: str) -> ResultFile:
    """One object a line: conversation, question, prediction; gold, verdicts if any."""
    answers = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        record = json.loads(line)
        answers.append(
            Answered(
                place=f"line {number}",
                conversation=record.get("conversation"),
                question=str(record["question"]),
                gold=str(record.get("gold", "")),
                category=record.get("category"),
                prediction=str(record["prediction"]),
                verdicts=tuple(_verdict(v) for v in record.get("verdicts", ())),
            )
        )
    return ResultFile(
        format="jsonl", answers=tuple(answers), answerer=UNKNOWN, judge=UNKNOWN
    )


FORMATS: Mapping[str, Callable[[str], ResultFile]] = {
    "mem0": _mem0,
    "evermemos": _evermemos,
    "zep": _zep,
    "backboard": _backboard,
    "jsonl": _jsonl,
}


def _records(data: Mapping[str, Any]) -> Iterator[tuple[str, int, Any]]:
    for key, records in data.items():
        for i, record in enumerate(records):
            yield key, i, record


def _position(name: str) -> int:
    """The conversation's position in a name such as `locomo_3_qa12` or `user_3`."""
    match = re.search(r"locomo_(?:\D+_)?(\d+)", name)
    if match is None:
        raise ValueError(f"no conversation in {name!r}")
    return int(match[1])


def _verdict(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool | int | float) and value in (0, 1):
        return float(value)
    raise ValueError(f"{value!r} is no verdict: expected true, false, 1, 0 or null")
