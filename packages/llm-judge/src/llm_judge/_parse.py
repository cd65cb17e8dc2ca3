"""From a model's reply to a verdict, or to the reason why there is none.

Anything may come back from a model, so nothing here raises.
"""

import re
from collections.abc import Iterator
from typing import assert_never

from pydantic import JsonValue

from llm_judge._completion import Completion
from llm_judge._labels import declared_labels, label_value, sentence_label
from llm_judge._numbers import declared_numbers, number_value
from llm_judge._objects import FoundObject, find_objects, holders, matches
from llm_judge._protocol import JudgeProtocol
from llm_judge._reading import Reading, Rejected
from llm_judge._result import JudgeResult, JudgeStatus
from llm_judge._scale import LabelScale, NumberScale, Scale

__all__ = ["parse_reply"]

_TRUNCATED = frozenset({"max_tokens", "length", "model_context_window_exceeded"})
_REFUSED = frozenset({"refusal", "content_filter"})
_UNFINISHED = frozenset({"tool_use", "pause_turn", "tool_calls"})

_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)


def parse_reply(completion: Completion, protocol: JudgeProtocol) -> JudgeResult:
    """Read the verdict in one reply.

    A reply that was cut or refused is not read.
    Else a JSON object with the verdict key decides, wherever it stands in the text,
    or a later declaration in the text: the last verdict wins.
    A declaration is "Score: 85/100", "the verdict is WRONG" and the like, or a verdict
    on a line of its own; without any, "The answer is wrong." counts as well.
    A last verdict outside the scale fails the reply; it is not clamped,
    and no earlier mention takes its place.

    >>> from llm_judge import BINARY, GRADED, Completion
    >>> parse_reply(Completion(text='Sure: {"score": 85}'), GRADED).score
    85.0
    >>> parse_reply(Completion(text="The answer is incorrect."), BINARY).label
    'WRONG'
    >>> parse_reply(Completion(text='{"score": 120}'), GRADED).reason
    'the score 120 is not a number from 0 to 100'
    """
    stop = (completion.stop_reason or "").casefold()
    if stop in _TRUNCATED:
        reason = f"the reply was cut ({stop}); raise max_tokens"
        return _failed(JudgeStatus.TRUNCATED, reason, completion, protocol)
    if stop in _REFUSED:
        reason = f"the model declined to judge ({stop})"
        return _failed(JudgeStatus.REFUSED, reason, completion, protocol)
    if stop in _UNFINISHED:
        reason = f"the model stopped before its answer ({stop})"
        return _failed(JudgeStatus.UNPARSED, reason, completion, protocol)
    if not completion.text.strip():
        reason = "the reply is empty"
        return _failed(JudgeStatus.UNPARSED, reason, completion, protocol)
    reading, explanation = _read(completion.text, protocol)
    if isinstance(reading, Rejected):
        return _failed(JudgeStatus.UNPARSED, reading.reason, completion, protocol)
    return JudgeResult(
        status=JudgeStatus.OK,
        signature=protocol.signature,
        score=reading.score,
        label=reading.label,
        explanation=explanation,
        completion=completion,
    )


def _failed(
    status: JudgeStatus,
    reason: str,
    completion: Completion,
    protocol: JudgeProtocol,
) -> JudgeResult:
    return JudgeResult(
        status=status,
        signature=protocol.signature,
        reason=reason,
        completion=completion,
    )


def _read(reply: str, protocol: JudgeProtocol) -> tuple[Reading, str]:
    text = _THOUGHTS.sub("", reply).strip()
    objects = list(find_objects(text))
    prose = _without(text, objects)
    in_json = [
        (found.start, *verdict)
        for found in objects
        if (verdict := _read_object(found, protocol)) is not None
    ]
    in_prose = [
        (position, reading, text)
        for position, reading in _declared(prose, protocol.verdict_key, protocol.scale)
    ]
    verdicts = sorted([*in_json, *in_prose], key=lambda verdict: verdict[0])
    # A piece of broken JSON may quote the answer it judges, unescaped, after its own
    # verdict: which of two verdicts is the judge's cannot be told there.
    if "{" in prose and len({reading for _, reading, _ in verdicts}) > 1:
        return Rejected("the JSON is broken and holds different verdicts"), ""
    if verdicts:
        return verdicts[-1][1:]
    said = (
        sentence_label(prose, protocol.scale)
        if isinstance(protocol.scale, LabelScale)
        else None
    )
    return said or Rejected("the reply holds no verdict"), text


def _without(text: str, objects: list[FoundObject]) -> str:
    """Blank the objects out, so that positions stay and their strings are not read."""
    parts, end = [], 0
    for found in objects:
        parts += [text[end : found.start], " " * (found.end - found.start)]
        end = found.end
    return "".join([*parts, text[end:]])


def _read_object(
    found: FoundObject, protocol: JudgeProtocol
) -> tuple[Reading, str] | None:
    holding = holders(found.value, protocol.verdict_key)
    if not holding:
        return None
    readings = {
        _value(_get(holder, protocol.verdict_key), protocol.scale) for holder in holding
    }
    if len(readings) > 1:
        return Rejected("one JSON object holds different verdicts"), ""
    explanation = _get(holding[0], protocol.explanation_key)
    return readings.pop(), explanation if isinstance(explanation, str) else ""


def _get(holder: dict[str, JsonValue], key: str) -> JsonValue:
    values = [value for name, value in holder.items() if matches(name, key)]
    return values[-1] if values else None


def _value(value: JsonValue, scale: Scale) -> Reading:
    match scale:
        case NumberScale():
            return number_value(value, scale)
        case LabelScale():
            return label_value(value, scale)
        case _:
            assert_never(scale)


def _declared(text: str, key: str, scale: Scale) -> Iterator[tuple[int, Reading]]:
    match scale:
        case NumberScale():
            return declared_numbers(text, key, scale)
        case LabelScale():
            return declared_labels(text, key, scale)
        case _:
            assert_never(scale)
