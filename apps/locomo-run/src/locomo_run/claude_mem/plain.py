"""Texts of a worker or its model, made fit for a terminal."""

from __future__ import annotations

from locomo_run.calls.lane import one_line


def plain(text: str, limit: int = 500) -> str:
    r"""Put a text into one line, cut it, and take what could steer a terminal.

    >>> plain("a\n b\x1b[31m")
    'a b�[31m'
    """
    line = one_line(text, limit)
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
