"""Turn ids, and what can be read out of the evidence strings of the file."""

import re
from collections.abc import Container, Iterable
from typing import NamedTuple

_ID = re.compile(r"D([1-9][0-9]{0,5}):([1-9][0-9]{0,5})")
_PART = re.compile(r"D:?0*([1-9][0-9]{0,5}):0*([1-9][0-9]{0,5})")
_SEPARATORS = re.compile(r"[\s;,]+")


class TurnRef(NamedTuple):
    """The place of a turn in its conversation: session number, then turn number.

    References sort in the order of the dialogue, and `str` gives the id as the
    file writes it.

    Example:
        >>> str(TurnRef(1, 3)), TurnRef(2, 1) > TurnRef(1, 10)
        ('D1:3', True)
    """

    session: int
    number: int

    def __str__(self) -> str:
        return f"D{self.session}:{self.number}"


def parse_turn_id(text: str) -> TurnRef | None:
    """Read an id that is written exactly as `D<session>:<turn>`.

    Example:
        >>> parse_turn_id("D8:6"), parse_turn_id("D8:06")
        (TurnRef(session=8, number=6), None)
    """
    match = _ID.fullmatch(text)
    return None if match is None else TurnRef(int(match[1]), int(match[2]))


def resolve(text: str, turns: Container[TurnRef]) -> tuple[TurnRef, ...]:
    """Read one evidence string, as far as it has exactly one reading.

    An id counts when it names one of `turns`. Beyond exact ids this reads several
    ids in one string (apart by spaces, `;` or `,`), leading zeros (`D30:05`) and
    one stray colon after the D (`D:11:26`). Either every part of the string names
    a turn or none of it is taken: a half-read string is a guess.

    Example:
        >>> turns = {TurnRef(8, 6), TurnRef(9, 17)}
        >>> resolve("D8:6; D9:17", turns)
        (TurnRef(session=8, number=6), TurnRef(session=9, number=17))
        >>> resolve("D8:6 D10:19", turns)
        ()
    """
    found: list[TurnRef] = []
    for part in filter(None, _SEPARATORS.split(text)):
        match = _PART.fullmatch(part)
        if match is None:
            return ()
        ref = TurnRef(int(match[1]), int(match[2]))
        if ref not in turns:
            return ()
        found.append(ref)
    return tuple(found)


def resolve_all(texts: Iterable[str], turns: Container[TurnRef]) -> tuple[TurnRef, ...]:
    """Read evidence strings in their order; a turn named twice counts once."""
    return tuple(dict.fromkeys(ref for text in texts for ref in resolve(text, turns)))
