"""Markdown: tables and text with everything escaped that Markdown would act on."""

import re
from collections.abc import Iterable

from eval_report._table import Table
from eval_report._visible import visible

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_ACTIVE = re.compile(r"[\\`*_\[\]|~$#]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_BLOCK_START = re.compile(r"^([-+=]|\d+(?=[.)]))")


def escape_markdown(text: str) -> str:
    r"""Return text on one line that Markdown prints as it is.

    Line breaks become spaces. Control characters, text direction overrides and
    lone surrogates become U+FFFD. HTML, emphasis, code, links (bare addresses
    too), table pipes, headings and formulas are escaped.

    Example:
        >>> print(escape_markdown("a|b\n<i>*c*</i>"))
        a\|b &lt;i&gt;\*c\*&lt;/i&gt;
    """
    plain = visible(text).translate(_ENTITIES)
    return _ACTIVE.sub(lambda match: "\\" + match.group(), plain)


def render_markdown(table: Table) -> str:
    r"""Return a table as GitHub-flavoured Markdown: heading, table, notes as a list.

    Example:
        >>> table = Table(title="T", columns=("a", "n"), rows=(("x", "1"),))
        >>> print(render_markdown(table))
        ### T
        <BLANKLINE>
        | a | n |
        | --- | ---: |
        | x | 1 |
        <BLANKLINE>
    """
    rules = (
        "---:" if table.is_numeric(column) else "---"
        for column in range(len(table.columns))
    )
    lines = [
        f"### {escape_markdown(table.title)}",
        "",
        _row(escape_markdown(column) for column in table.columns),
        _row(rules),
        *(_row(escape_markdown(cell) for cell in row) for row in table.rows),
    ]
    if table.notes:
        lines += ["", *(f"- {escape_line(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def escape_line(text: str) -> str:
    r"""Return text that may stand at the start of a line or of a list item.

    Example:
        >>> print(escape_line("1. - not a list"))
        1\. - not a list
    """
    escaped = escape_markdown(text)
    match = _BLOCK_START.match(escaped)
    if match is None:
        return escaped
    marker = match.group()
    if marker.isdecimal():
        return f"{marker}\\{escaped[len(marker) :]}"
    return "\\" + escaped


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
