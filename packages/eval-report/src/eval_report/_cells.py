"""Cells: numbers as text, the only place where they are rounded."""

from collections.abc import Iterable
from decimal import Decimal

from eval_report._intervals import Interval

NOTHING = "–"
"""Where nothing is to be expected: a source that prints no such figure."""

NOT_KNOWN = "n/a"
"""Where a figure of ours cannot be computed: too few questions, runs or clusters."""


def number(value: float | None, decimals: int, *, signed: bool = False) -> str:
    """Return a number with fixed decimals, or n/a where there is none.

    Example:
        >>> number(0.7166, 3), number(2.5, 1, signed=True), number(None, 3)
        ('0.717', '+2.5', 'n/a')
    """
    if value is None:
        return NOT_KNOWN
    # z: what rounds to zero has no sign
    return f"{value:+z,.{decimals}f}" if signed else f"{value:z,.{decimals}f}"


def printed(value: Decimal | None, spread: Decimal | None = None) -> str:
    """Return a published number with the decimals of its source.

    Example:
        >>> printed(Decimal("42.00")), printed(Decimal("66.88"), Decimal("0.15"))
        ('42.00', '66.88 ±0.15')
    """
    if value is None:
        return NOTHING
    return f"{value}" if spread is None else f"{value} ±{spread}"


def spread(value: float | None, decimals: int) -> str:
    """Return ` ±x`, or nothing where there is no spread.

    Example:
        >>> spread(0.154, 2), spread(None, 2)
        (' ±0.15', '')
    """
    return "" if value is None else f" ±{number(value, decimals)}"


def span(interval: Interval | None, scale: float, decimals: int) -> str:
    """Return ` [low, high]` times a scale.

    Example:
        >>> span(Interval(0.25, 0.5), 100, 1), span(None, 100, 1)
        (' [25.0, 50.0]', ' [n/a]')
    """
    if interval is None:
        return f" [{NOT_KNOWN}]"
    low, high = interval.low * scale, interval.high * scale
    return f" [{number(low, decimals)}, {number(high, decimals)}]"


def counted(count: int, missing: int) -> str:
    """Return how many questions have a score, and how many have none.

    Example:
        >>> counted(1538, 2), counted(96, 0)
        ('1,538; 2 unscored', '96')
    """
    return f"{count:,}; {missing:,} unscored" if missing else f"{count:,}"


def titled(title: str, marks: Iterable[str]) -> str:
    """Return a title with its distinct marks behind it.

    Example:
        >>> titled("Token F1", ["", "subset, n = 20 of 1,986"])
        'Token F1 (subset, n = 20 of 1,986)'
    """
    distinct = list(dict.fromkeys(mark for mark in marks if mark))
    return f"{title} ({'; '.join(distinct)})" if distinct else title
