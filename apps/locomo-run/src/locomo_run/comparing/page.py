"""A comparison as pages, each of two runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from eval_report.page import Comparison as ComparedPages
from eval_report.page import Page, difference_chart

from locomo_run.comparing.comparison import Comparison, one_by_one
from locomo_run.comparing.report import (
    comparison_remarks,
    comparison_sections,
    pair_title,
    part_name,
)
from locomo_run.errors import UsageError


def comparison_pages(
    comparison: Comparison, pages: Mapping[str, Page]
) -> tuple[ComparedPages, ...]:
    """Put each run beside the base, on a page of its own; the base is subtracted.

    Args:
        comparison: Of two runs or more.
        pages: The page of each run, by its name in the comparison.

    Raises:
        UsageError: two of the runs were made on different data sets.
    """
    return tuple(_page(part, pages) for part in one_by_one(comparison))


def numbered(path: Path, number: int) -> Path:
    """Return the path of one of several pages: the first has the path as it is.

    >>> numbered(Path("diff.html"), 1).name, numbered(Path("diff.html"), 2).name
    ('diff.html', 'diff-2.html')
    """
    if number == 1:
        return path
    return path.with_name(f"{path.stem}-{number}{path.suffix}")


def _page(comparison: Comparison, pages: Mapping[str, Page]) -> ComparedPages:
    base, (other,) = comparison.base, comparison.others
    try:
        return ComparedPages(
            title=f"{other.name} minus {base.name}",
            a=_named(other.name, pages),
            b=_named(base.name, pages),
            remarks=comparison_remarks(comparison),
            charts=tuple(
                difference_chart(
                    {part_name(n): part.paired for n, part in pair.parts.items()},
                    title=pair_title(pair, base),
                    full_mark=pair.metric.full_mark,
                )
                for pair in comparison.pairs
            ),
            sections=comparison_sections(comparison, changes=0),
        )
    except ValueError as error:
        raise UsageError(
            f"a page cannot show {other.name} beside {base.name}: {error}"
        ) from error


def _named(name: str, pages: Mapping[str, Page]) -> Page:
    return replace(pages[name], name=name)
