"""What every table of a run says in the same words."""

from __future__ import annotations

from locomo_dataset import Category

from locomo_run.reporting.results import Mean, Results

NOT_KNOWN = "n/a"


def label(number: int) -> str:
    """Name a category, with its number in the data set.

    >>> label(4)
    'single-hop (4)'
    """
    return f"{Category(number).label} ({number})"


def subset_mark(results: Results) -> str:
    """Say `subset, n = ...` when less than the whole was asked, else nothing."""
    return "" if results.whole else f"subset, n = {len(results.answerable):,}"


def titled(title: str, results: Results) -> str:
    """Return a title, with the mark of a subset behind it where less was asked."""
    mark = subset_mark(results)
    return f"{title} ({mark})" if mark else title


def system_name(results: Results) -> str:
    """Name the system under test: its memory and who answers."""
    memory = results.facts.identity["memory"].get("name", NOT_KNOWN)
    answerer = results.facts.identity["answerer"].get("name", NOT_KNOWN)
    return f"{memory} + {answerer}"


def recall_cells(mean: Mean) -> tuple[str, str]:
    """Return the n and the mean of a recall."""
    return count_cell(mean.count), mean_cell(mean.value)


def mean_cell(value: float | None) -> str:
    """Print a mean."""
    return NOT_KNOWN if value is None else f"{value:.3f}"


def setting_cell(value: object) -> str:
    """Print a setting.

    >>> setting_cell(True), setting_cell(10), setting_cell(None)
    ('yes', '10', 'n/a')
    """
    if value is None:
        return NOT_KNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def percent_cell(value: float | None, scale: float) -> str:
    """Print a mean on a scale of 0 to 100.

    >>> percent_cell(0.5, 100), percent_cell(None, 100)
    ('50.0', 'n/a')
    """
    return NOT_KNOWN if value is None else f"{value * scale:.1f}"


def runs_said(runs: int) -> str:
    """Say how many runs.

    >>> runs_said(1), runs_said(3)
    ('1 run', '3 runs')
    """
    return "1 run" if runs == 1 else f"{runs:,} runs"


def count_cell(value: int) -> str:
    """Print a count."""
    return f"{value:,}"
