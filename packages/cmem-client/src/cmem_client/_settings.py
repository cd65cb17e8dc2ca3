"""The worker's own files: `settings.json`, `worker.pid` and `.env`.

A file that cannot be read is left out and said so in a note: it must not keep a caller
from a worker that runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TOKEN_KEYS = ("CLAUDE_MEM_AUTH_TOKEN", "AUTH_TOKEN")
"""The only keys of `.env` that are looked at: the others are model credentials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the data directory says about the address."""

    host: str | None
    port: int | None
    """The port in `settings.json`."""
    bound_port: int | None
    """The port in `worker.pid`: the one really bound, if that worker still runs."""
    notes: tuple[str, ...]


def port_number(value: object) -> int | None:
    """Return a usable port number, written as a number or as a text.

    Example:
        >>> port_number("37777"), port_number("no"), port_number(0)
        (37777, None, None)
    """
    text = str(value).strip()
    if not (text.isascii() and text.isdigit()) or len(text) > 5:
        return None
    number = int(text)
    return number if 0 < number < 65536 else None


def _read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8-sig", errors="replace")


def _read_object(path: Path) -> tuple[Mapping[str, object], tuple[str, ...]]:
    try:
        value = json.loads(_read_text(path))
    except FileNotFoundError:
        return {}, ()
    except OSError as error:
        return {}, (f"{path.name} ignored: {error.strerror}",)
    except (ValueError, RecursionError):
        return {}, (f"{path.name} ignored: no valid JSON",)
    if not isinstance(value, dict):
        return {}, (f"{path.name} ignored: no JSON object",)
    return value, ()


def data_directory(environ: Mapping[str, str], home: Path) -> Path:
    """Return the worker's data directory: environment, settings, then the default."""
    default = home / ".claude-mem"
    named = environ.get("CLAUDE_MEM_DATA_DIR")
    if not named:
        settings, _ = _read_object(default / "settings.json")
        named = str(settings.get("CLAUDE_MEM_DATA_DIR") or "")
    if named.startswith("~/"):
        return home / named[2:]
    return Path(named) if named else default


def read_settings(directory: Path) -> Settings:
    """Read what a data directory says about the address."""
    settings, notes = _read_object(directory / "settings.json")
    process, more_notes = _read_object(directory / "worker.pid")
    host = settings.get("CLAUDE_MEM_WORKER_HOST")
    return Settings(
        host=host.strip() or None if isinstance(host, str) else None,
        port=port_number(settings.get("CLAUDE_MEM_WORKER_PORT")),
        bound_port=port_number(process.get("port")),
        notes=notes + more_notes,
    )


def read_token(path: Path) -> str | None:
    """Read the worker's token from an `.env` file, and nothing else of it."""
    try:
        text = _read_text(path)
    except OSError:
        return None
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = line.strip().removeprefix("export ").partition("=")
        if key.strip() in TOKEN_KEYS:
            found[key.strip()] = value.strip().strip("'\"")
    return next((found[key] for key in TOKEN_KEYS if found.get(key)), None)
