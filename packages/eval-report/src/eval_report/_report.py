"""Report: sections of text and tables as one Markdown document."""

from collections.abc import Sequence
from dataclasses import dataclass

from eval_report._markdown import escape_line, escape_markdown, render_markdown
from eval_report._table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Hold a heading with its paragraphs and tables, in this order."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()


def format_full_report(title: str, sections: Sequence[Section]) -> str:
    """Return a Markdown document of the sections that the caller has results for.

    All text is escaped: a paragraph is one line of plain text, not Markdown. A
    section without paragraphs and tables is an error, since an empty heading reads
    like a result that is not there.

    Raises:
        ValueError: A section is empty.

    Example:
        >>> section = Section(heading="F1", paragraphs=("None.",))
        >>> print(format_full_report("Run", [section]))
        # Run
        <BLANKLINE>
        ## F1
        <BLANKLINE>
        None.
        <BLANKLINE>
    """
    blocks = [f"# {escape_markdown(title)}\n"]
    for section in sections:
        if not section.paragraphs and not section.tables:
            msg = f"section {section.heading!r} is empty: leave it out"
            raise ValueError(msg)
        blocks.append(f"## {escape_markdown(section.heading)}\n")
        blocks += [f"{escape_line(paragraph)}\n" for paragraph in section.paragraphs]
        blocks += [render_markdown(table) for table in section.tables]
    return "\n".join(blocks)
