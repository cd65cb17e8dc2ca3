"""Plain text: tables for a terminal."""

import unicodedata
from collections.abc import Sequence

from eval_report._table import Table
from eval_report._visible import visible


def render_text(table: Table) -> str:
    """Return a table as aligned plain text: title, table, notes.

    Control characters are replaced, so that no cell can steer the terminal.

    Example:
        >>> table = Table(title="T", columns=("a", "n"), rows=(("x", "12"),))
        >>> print(render_text(table))
        T
        <BLANKLINE>
        a   n
        -  --
        x  12
        <BLANKLINE>
    """
    grid = [[visible(cell) for cell in row] for row in (table.columns, *table.rows)]
    widths = [
        max(_width(cell) for cell in column) for column in zip(*grid, strict=True)
    ]
    right = [table.is_numeric(column) for column in range(len(widths))]
    header, *rows = (_line(row, widths, right) for row in grid)
    rule = "  ".join("-" * width for width in widths)
    lines = [visible(table.title), "", header, rule, *rows]
    if table.notes:
        lines += ["", *(f"- {visible(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for cell, width, is_right in zip(cells, widths, right, strict=True):
        space = " " * (width - _width(cell))
        padded.append(space + cell if is_right else cell + space)
    return "  ".join(padded).rstrip()


def _width(text: str) -> int:
    """Return the number of terminal columns of a text."""
    return sum(
        0
        if unicodedata.combining(char)
        or unicodedata.category(char) in {"Me", "Mn", "Cf"}
        else 1 + (unicodedata.east_asian_width(char) in {"F", "W"})
        for char in text
    )
