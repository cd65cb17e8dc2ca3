"""Typed, strict access to decoded JSON, with a path for every complaint."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from ._category import Category
from ._errors import DatasetError, quoted

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,60}")
_MAX_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Unusable:
    """Stands where a JSON value was that no reader of the file should accept."""

    description: str


def decode(content: bytes, file: str) -> "Node":
    """Turn the bytes of a file into the root node.

    Raises:
        DatasetError: The bytes are no UTF-8, no JSON, or nested too deep.
    """
    if not content.strip():
        raise DatasetError("the file is empty", file=file)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DatasetError(
            f"not UTF-8 text: byte 0x{content[error.start]:02x} at offset"
            f" {error.start}; expected a JSON file",
            file=file,
        ) from None
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_constant=lambda name: Unusable(f"the constant {name}"),
        )
    except json.JSONDecodeError as error:
        raise DatasetError(
            f"not JSON: {error.msg} at line {error.lineno} column {error.colno};"
            f" the file starts with {quoted(text[:40])}",
            file=file,
        ) from None
    except RecursionError:
        raise DatasetError("not usable: nested too deep", file=file) from None
    return Node(value, "$", file)


def _object(pairs: list[tuple[str, object]]) -> object:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
    return Unusable(f"an object that holds the key {quoted(twice)} more than once")


def _integer(digits: str) -> object:
    if len(digits) > _MAX_DIGITS:
        return Unusable(f"an integer of {len(digits)} digits")
    return int(digits)


@dataclass(frozen=True, slots=True)
class Node:
    """One value of the file and where it stands."""

    value: object
    path: str
    file: str

    def fail(self, expected: str, found: str | None = None) -> NoReturn:
        """Complain about this value."""
        what = _described(self.value) if found is None else found
        raise DatasetError(
            f"{self.path}: expected {expected}, found {what}",
            file=self.file,
            json_path=self.path,
            expected=expected,
            found=what,
        )

    def members(self, expected: str = "an object") -> dict[str, object]:
        """Read an object."""
        if not isinstance(self.value, dict):
            self.fail(expected)
        return self.value

    def items(self, expected: str = "an array") -> "Iterator[Node]":
        """Read an array; its items come one by one."""
        if not isinstance(self.value, list):
            self.fail(expected)
        return (
            Node(item, f"{self.path}[{index}]", self.file)
            for index, item in enumerate(self.value)
        )

    def get(self, key: str) -> "Node | None":
        """Read a member that may be absent."""
        members = self.members()
        if key not in members:
            return None
        return Node(members[key], self.path_of(key), self.file)

    def need(self, key: str) -> "Node":
        """Read a member that must be there."""
        node = self.get(key)
        if node is None:
            self.fail(f"an object with the key {quoted(key)}", "no such key")
        return node

    def text(self) -> str:
        """Read a string that can be written out again as UTF-8."""
        if not isinstance(self.value, str):
            self.fail("a string")
        try:
            self.value.encode("utf-8")
        except UnicodeEncodeError:
            self.fail("text", f"a lone surrogate in {quoted(self.value)}")
        return self.value

    def texts(self) -> tuple[str, ...]:
        """Read an array of strings."""
        return tuple(item.text() for item in self.items("an array of strings"))

    def integer(self, expected: str = "an integer") -> int:
        """Read an integer; true and false are none."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.fail(expected)
        return self.value

    def category(self) -> Category:
        """Read the number of a category."""
        expected = "a category, 1 to 5"
        try:
            return Category(self.integer(expected))
        except ValueError:
            self.fail(expected)

    def path_of(self, key: str) -> str:
        """Write the path of a member."""
        return member_path(self.path, key)


def member_path(path: str, key: str) -> str:
    """Write the path of an object's member.

    Example:
        >>> member_path("$[0]", "qa"), member_path("$", "re-download")
        ('$[0].qa', "$['re-download']")
    """
    if _PLAIN_KEY.fullmatch(key):
        return f"{path}.{key}"
    return f"{path}[{quoted(key)}]"


def _described(value: object) -> str:
    match value:
        case Unusable():
            return value.description
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f"the string {quoted(value)}"
        case dict():
            return f"an object of {len(value)} keys"
        case list():
            return f"an array of {len(value)} items"
        case _:
            return f"the number {value}"
