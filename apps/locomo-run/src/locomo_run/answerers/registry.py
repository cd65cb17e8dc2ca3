"""Answerers by name."""

from __future__ import annotations

from locomo_run.answerers import Answerer
from locomo_run.errors import UsageError

BUILT_IN = ("extractive",)


def open_answerer(name: str) -> Answerer:
    """Open an answerer by its name.

    Raises:
        UsageError: there is no answerer of that name.
    """
    if name not in BUILT_IN:
        raise UsageError(f"no answerer {name!r}; there is {', '.join(BUILT_IN)}")
    from locomo_run.answerers.extractive import ExtractiveAnswerer

    return ExtractiveAnswerer()
