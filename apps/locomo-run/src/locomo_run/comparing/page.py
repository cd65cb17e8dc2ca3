"""A comparison of two runs as a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from eval_report.page import Comparison as ComparedPages
from eval_report.page import Page, difference_chart

from locomo_run.comparing.comparison import Comparison
from locomo_run.comparing.report import (
    comparison_remarks,
    comparison_sections,
    pair_title,
    part_name,
)
from locomo_run.errors import UsageError


def comparison_page(comparison: Comparison, pages: Mapping[str, Page]) -> ComparedPages:
    """Put two runs side by side for a page; the first run is the one subtracted.

    Args:
        comparison: Of two runs.
        pages: The page of each run, by its name in the comparison.

    Raises:
        UsageError: there are more runs, or they were made on different data sets.
    """
    if len(comparison.others) > 1:
        raise UsageError("a page shows two runs; --html takes no more")
    try:
        return ComparedPages(
            title=f"{comparison.others[0].name} minus {comparison.base.name}",
            a=_named(comparison.others[0].name, pages),
            b=_named(comparison.base.name, pages),
            remarks=comparison_remarks(comparison),
            charts=tuple(
                difference_chart(
                    {part_name(n): part.paired for n, part in pair.parts.items()},
                    title=pair_title(pair, comparison.base),
                    full_mark=pair.metric.full_mark,
                )
                for pair in comparison.pairs
            ),
            sections=comparison_sections(comparison, changes=0),
        )
    except ValueError as error:
        raise UsageError(f"a page cannot show these two runs: {error}") from error


def _named(name: str, pages: Mapping[str, Page]) -> Page:
    return replace(pages[name], name=name)
