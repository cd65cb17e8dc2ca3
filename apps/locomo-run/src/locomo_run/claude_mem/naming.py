"""Names at the worker: projects, sessions, files, and the hits made of its rows."""

from __future__ import annotations

import re

_HIT = re.compile(r"s(\d+)/\d+")
_MEMORY_SESSION = re.compile(r"[a-z]+-(.+)-\d+")


def project_name(namespace: str, sample_id: str) -> str:
    """Name the project of a conversation.

    >>> project_name("locomo", "conv-26")
    'locomo-eval-conv-26'
    """
    return f"{namespace}-eval-{sample_id}"


def session_name(namespace: str, sample_id: str, number: int) -> str:
    """Name the worker session of a dialogue session.

    >>> session_name("locomo", "conv-26", 3)
    'locomo-conv-26-s3'
    """
    return f"{namespace}-{sample_id}-s{number}"


def session_behind(memory_session: str | None) -> str | None:
    """Return the session's name within the worker's own id of it, None without one.

    Older workers rename a session when they are started again, and then know the id in
    its earlier rows no more.

    >>> session_behind("openrouter-locomo-conv-26-s3-1796044850188")
    'locomo-conv-26-s3'
    """
    found = _MEMORY_SESSION.fullmatch(memory_session or "")
    return found[1] if found else None


def is_own_project(namespace: str, project: str) -> bool:
    """Tell whether a project's name is one that runs of this namespace give.

    >>> is_own_project("locomo", "locomo-eval-conv-26")
    True
    """
    return project.startswith(f"{namespace}-eval-")


def transcript_path(number: int) -> str:
    """Name the file that a transcript is said to be read from.

    >>> transcript_path(3)
    'conversation-transcript/session-3.txt'
    """
    return f"conversation-transcript/session-{number}.txt"


def item_name(sample_id: str, number: int) -> str:
    """Name the ledger's item of a session.

    >>> item_name("conv-26", 3)
    'conv-26/s3'
    """
    return f"{sample_id}/s{number}"


def hit_name(row: int, session: int | None) -> str:
    """Name a hit after its row, and after its dialogue session where that is known.

    >>> hit_name(120, 3), hit_name(120, None)
    ('s3/120', '120')
    """
    return str(row) if session is None else f"s{session}/{row}"


def session_of(hit_id: str) -> int | None:
    """Return the dialogue session in a hit's name, None if it names none.

    >>> session_of("s3/120"), session_of("120")
    (3, None)
    """
    found = _HIT.fullmatch(hit_id)
    return int(found[1]) if found else None
