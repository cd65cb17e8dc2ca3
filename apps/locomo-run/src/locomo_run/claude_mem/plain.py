"""Texts fit for a terminal: those of a worker or its model, and things in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from locomo_run.calls.lane import one_line
from locomo_run.ledger.entry import Json


def plain(text: str, limit: int = 500) -> str:
    r"""Put a text into one line, cut it, and take what could steer a terminal.

    >>> plain("a\n b\x1b[31m")
    'a b�[31m'
    """
    line = one_line(text, limit)
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


def counted(count: int, noun: str) -> str:
    """Count something in words.

    >>> counted(1, "session"), counted(1540, "question")
    ('1 session', '1,540 questions')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def not_in_the_memory(missing: int) -> str:
    """Say how many sessions are missing.

    >>> not_in_the_memory(1)
    '1 session is not in the memory'
    """
    verb = "is" if missing == 1 else "are"
    return f"{counted(missing, 'session')} {verb} not in the memory"


def processes(workers: Iterable[Mapping[str, Json]]) -> str:
    """Name the processes of a worker in their order.

    >>> processes([{"version": "13.4.0", "pid": 1}, {"version": "13.25.3", "pid": 2}])
    '13.4.0 (pid 1), then 13.25.3 (pid 2)'
    """
    return ", then ".join(f"{each['version']} (pid {each['pid']})" for each in workers)
