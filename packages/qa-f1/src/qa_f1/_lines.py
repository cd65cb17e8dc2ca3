"""Pairs of prediction and gold from the lines of a file."""

import json
from collections.abc import Callable, Iterable, Iterator

Parse = Callable[[str], tuple[str, str]]

_JSON_TYPES = {
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}


class LineError(Exception):
    """A line of the input cannot be read."""


def parse_jsonl(
    text: str, *, prediction_field: str, gold_field: str
) -> tuple[str, str]:
    """Return prediction and gold of a line that holds a JSON object.

    Raises:
        LineError: The line is not a JSON object with these two text fields.
    """
    try:
        record = json.loads(text)
    except json.JSONDecodeError as error:
        msg = f"not JSON: {error.msg} at column {error.colno}"
        raise LineError(msg) from None
    except (RecursionError, ValueError):  # too deep, or a number of too many digits
        msg = "not JSON that can be read"
        raise LineError(msg) from None
    if not isinstance(record, dict):
        msg = f"expected a JSON object, found {_found(record)}"
        raise LineError(msg)
    return (
        _text(record, prediction_field, "--prediction-field"),
        _text(record, gold_field, "--gold-field"),
    )


def _text(record: dict[str, object], field: str, option: str) -> str:
    if field not in record:
        msg = f"no field {field!r}: name the right one with {option}"
        raise LineError(msg)
    value = record[field]
    if not isinstance(value, str):
        msg = f"field {field!r} must be a string, found {_found(value)}"
        raise LineError(msg)
    return value


def _found(value: object) -> str:
    return _JSON_TYPES.get(type(value), "a string")


def parse_tsv(text: str) -> tuple[str, str]:
    """Return prediction and gold of a line that holds them around one tab.

    Raises:
        LineError: The line has fewer or more than two columns.
    """
    columns = text.split("\t")
    if len(columns) != 2:
        msg = f"expected two columns, prediction and gold, found {len(columns)}"
        raise LineError(msg)
    return columns[0], columns[1]


def read_pairs(
    lines: Iterable[bytes], parse: Parse
) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield line number and pair of each line that is not empty.

    Raises:
        LineError: A line is not UTF-8 or cannot be parsed; the message has its number.
    """
    for number, line in enumerate(lines, start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            text = text.removesuffix("\n").removesuffix("\r")
            if text:
                yield number, parse(text)
        except UnicodeDecodeError as error:
            msg = f"line {number}: not UTF-8 at byte {error.start + 1}"
            raise LineError(msg) from None
        except LineError as error:
            msg = f"line {number}: {error}"
            raise LineError(msg) from None
