"""JSON objects in the text of a reply, whatever stands around them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

__all__ = ["FoundObject", "find_objects", "holders"]

_DECODER = json.JSONDecoder(strict=False)  # models put raw newlines into strings


@dataclass(frozen=True, slots=True)
class FoundObject:
    """An outermost JSON object and where it stands in the text."""

    start: int
    end: int
    value: dict[str, JsonValue]


def find_objects(text: str) -> Iterator[FoundObject]:
    """Yield the outermost JSON objects in order; what is not JSON is passed over.

    >>> [found.value for found in find_objects('so: {"a": 1} {oops {"b": {"c": 2}}')]
    [{'a': 1}, {'b': {'c': 2}}]
    """
    start = text.find("{")
    while start >= 0:
        try:
            value, end = _DECODER.raw_decode(text, start)
        except ValueError:
            end = start + 1
        except RecursionError:  # no reply that means anything is nested like this
            return
        else:
            yield FoundObject(start, end, value)
        start = text.find("{", end)


def holders(value: JsonValue, key: str) -> list[dict[str, JsonValue]]:
    """Return the objects that hold `key` at the shallowest depth where any does.

    Keys are compared without regard to case.

    >>> holders({"result": {"Label": "x"}, "more": [{"deep": {"label": "y"}}]}, "label")
    [{'Label': 'x'}]
    """
    level: list[JsonValue] = [value]
    while level:
        objects = [item for item in level if isinstance(item, dict)]
        found = [item for item in objects if any(matches(name, key) for name in item)]
        if found:
            return found
        level = [child for item in level for child in _children(item)]
    return []


def matches(name: str, key: str) -> bool:
    """Say whether a key of a reply is the key that was asked for."""
    return name.strip().casefold() == key.casefold()


def _children(value: JsonValue) -> list[JsonValue]:
    if isinstance(value, dict):
        return [*value.values()]
    return value if isinstance(value, list) else []
