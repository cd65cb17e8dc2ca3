"""What the worker's own files tell: its model, its mode, a quota cooldown.

They can be read only where the worker runs on this machine and its data directory is
known (`CLAUDE_MEM_DATA_DIR`, else `~/.claude-mem`).
A worker whose environment overrides its `settings.json` is not seen through: the rows
that it stores tell more (`mode_of_rows`).
Of `settings.json` nothing is read but the keys named here, since it also holds
credentials.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from cmem_client import Connection, Cooldown, Observation

DEFAULT_MODE = "code"
COOLDOWN = timedelta(minutes=30)
TOLERANCE = timedelta(minutes=1)
"""Between the clock of a worker and this one."""

CODE_TYPES = frozenset(
    {"bugfix", "feature", "refactor", "change", "discovery", "decision"}
)
"""Types of the rows that the worker's mode for programming makes."""

_MODEL_KEYS: Mapping[str, str] = {
    "claude": "CLAUDE_MEM_MODEL",
    "gemini": "CLAUDE_MEM_GEMINI_MODEL",
    "openrouter": "CLAUDE_MEM_OPENROUTER_MODEL",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings:
    """What a worker on this machine was told; None where its files do not say."""

    directory: Path
    mode: str
    provider: str | None
    model: str | None

    def cooldown_until(self, now: datetime) -> datetime | None:
        """Return when the worker will call its model again; None if it does so now."""
        listed = _json(self.directory / "quota-cooldown.json")
        armed = [
            entry.get("armedAtMs")
            for entry in (listed if isinstance(listed, list) else [])
            if isinstance(entry, dict)
        ]
        ends = [
            datetime.fromtimestamp(ms / 1000, UTC) + COOLDOWN
            for ms in armed
            if isinstance(ms, int | float)
        ]
        return max((end for end in ends if end > now), default=None)


def end_of(cooldown: Cooldown | None, now: datetime) -> datetime | None:
    """Return when a cooldown ends that a worker's log tells of; None if it is over.

    An end that is further away than a cooldown lasts was written in another time zone.
    """
    if cooldown is None or not now < cooldown.until <= now + COOLDOWN + TOLERANCE:
        return None
    return cooldown.until.astimezone(UTC)


def read_settings(
    connection: Connection, environ: Mapping[str, str], home: Path
) -> WorkerSettings | None:
    """Return what the files of the worker at an address say.

    None for a worker elsewhere, and where the data directory is another worker's.
    """
    if not connection.is_loopback:
        return None
    directory = data_directory(environ, home)
    told = _object(directory / "settings.json")
    process = _object(directory / "worker.pid")
    ports = {str(told.get("CLAUDE_MEM_WORKER_PORT")), str(process.get("port"))}
    if str(urlsplit(connection.url).port) not in ports:
        return None
    provider = _text(told.get("CLAUDE_MEM_PROVIDER"))
    return WorkerSettings(
        directory=directory,
        mode=_text(told.get("CLAUDE_MEM_MODE")) or DEFAULT_MODE,
        provider=provider,
        model=_text(told.get(_MODEL_KEYS.get(provider or "claude", ""))),
    )


def mode_of_rows(rows: Iterable[Observation]) -> str | None:
    """Say by the types of a worker's rows whether its mode is that for programming.

    `code` if every row has one of its types, `other` if none has; None for a mixture
    and for no rows, which prove nothing.
    """
    kinds = {row.type in CODE_TYPES for row in rows if row.type}
    if len(kinds) != 1:
        return None
    return DEFAULT_MODE if kinds == {True} else "other"


def data_directory(environ: Mapping[str, str], home: Path) -> Path:
    """Return where a worker of this user keeps its files, as far as it tells."""
    default = home / ".claude-mem"
    named = environ.get("CLAUDE_MEM_DATA_DIR") or _text(
        _object(default / "settings.json").get("CLAUDE_MEM_DATA_DIR")
    )
    return Path(named).expanduser() if named else default


def _object(path: Path) -> Mapping[str, object]:
    value = _json(path)
    return value if isinstance(value, dict) else {}


def _json(path: Path) -> object:
    """Read a file of the worker; what cannot be read says nothing."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig", errors="replace"))
    except (OSError, ValueError, RecursionError):
        return None


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None
