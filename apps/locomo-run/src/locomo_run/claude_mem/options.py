"""What a run over claude-mem is told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from locomo_run.errors import UsageError

Via = Literal["observation", "import"]
"""How conversations get in: through the worker's compression, or word for word."""

SearchMode = Literal["auto", "question", "keywords"]
"""What is sent as query; `auto` decides by what the worker searches with."""

_NAMESPACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeMemOptions:
    """How claude-mem is filled and searched.

    Raises:
        UsageError: the namespace is none that project names can begin with.
    """

    namespace: str = "locomo"
    """What the names of projects and sessions begin with."""
    worker: str | None = None
    """`host:port` or URL; None to look for it."""
    via: Via = "observation"
    search: SearchMode = "auto"
    captions: bool = True
    """Whether the captions of shared images are ingested."""
    reuse_memories: bool = False
    """Whether rows that another run stored are taken as this run's."""
    allow_incomplete: bool = False
    """Whether questions are asked although sessions are missing."""
    foreign_projects: bool = False
    """Whether to write into a worker that holds other projects."""
    ingest_workers: int = 2
    """Conversations that are ingested at once."""
    session_posts: int = 3
    """Times that one session is posted in one call of the program, at the most."""
    session_timeout: float = 180.0
    """Seconds to wait for the rows of one session."""
    stall: float = 120.0
    """Seconds without any change after which the queue counts as stuck."""
    poll: float = 3.0
    """Seconds between looks at the worker."""
    index_timeout: float = 3600.0
    """Seconds to wait for the vector index of one project."""

    def __post_init__(self) -> None:
        if not _NAMESPACE.fullmatch(self.namespace):
            raise UsageError(
                f"--namespace {self.namespace!r} cannot be used: give a letter or a "
                "digit and up to 63 more letters, digits, dots, dashes and underscores"
            )
