"""The mode for a worker that is to remember conversations.

A claude-mem worker compresses what it is given by the prompts of its active mode.
The one it starts with is made for programming and tells the model to skip what is not:
on ordinary talk it keeps little.
The mode here is this project's own (`conversation.toml`); it says what people tell each
other is worth keeping, and that the date of a session stands in its transcript.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

from cmem_client import AsyncClient, CmemError

from locomo_run.claude_mem.account import CODE_MODE
from locomo_run.claude_mem.checks import Check, passed, warned
from locomo_run.claude_mem.settings import DEFAULT_MODE, WorkerSettings
from locomo_run.errors import RunError

MODE = "conversation"
"""Its name: that of its file, and the value of `CLAUDE_MEM_MODE`."""

_ACTIVE = re.compile(r"^Mode: .* \(([^()\s]+)\)$", re.MULTILINE)

_HINT = """\
To activate the mode:
1. Set "CLAUDE_MEM_MODE": "{mode}" in {settings}
   (a variable of that name in the worker's environment wins over the file).
2. Restart the worker: bun plugin/scripts/worker-service.cjs restart
3. Ingest into fresh projects: what is stored already stays as it is.
A worker older than 13.15 looks for modes in its own package alone: copy the file into
its plugin/modes folder.
A worker that does not find the mode goes on in its mode for code; its log then says
"falling back to 'code'".
"""


def mode_json() -> str:
    """Return the text of the mode file.

    >>> [each["id"] for each in json.loads(mode_json())["observation_types"]]
    ['event', 'plan', 'fact', 'preference', 'relationship']
    """
    source = files("locomo_run.claude_mem").joinpath("conversation.toml")
    mode = tomllib.loads(source.read_text(encoding="utf-8"))
    return json.dumps(mode, ensure_ascii=False, indent=2) + "\n"


def write_mode(data_dir: Path, *, overwrite: bool = False) -> Path:
    """Write the mode to where a worker looks for it, and return the file.

    Writing it again changes nothing.

    Args:
        data_dir: The worker's data directory.
        overwrite: Replace a file of that name that holds something else.

    Raises:
        RunError: There is no such directory, it cannot be written to, or there is
            another mode of that name.
    """
    if not data_dir.is_dir():
        raise RunError(
            f"no worker's data directory at {data_dir}: start the worker once, or "
            "name its directory (CLAUDE_MEM_DATA_DIR of the worker)"
        )
    path = data_dir / "modes" / f"{MODE}.json"
    text = mode_json()
    try:
        if path.exists() and not overwrite and path.read_bytes() != text.encode():
            raise RunError(
                f"{path} holds another mode: move it away, or overwrite it on purpose"
            )
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        reason = error.strerror or error
        raise RunError(
            f"cannot write {path}: {reason}; check who owns the folder"
        ) from error
    return path


def activation_hint(path: Path) -> str:
    """Say how a worker is brought to use the mode file that `write_mode` wrote."""
    return _HINT.format(mode=MODE, settings=path.parent.parent / "settings.json")


def active_mode(context: str) -> str | None:
    r"""Return the mode that a worker names in the context it offers to a session.

    Args:
        context: The reply to `GET /api/context/inject?project=...`. Workers from
            13.15 on name their mode there, once the project has rows.

    Returns:
        The mode's name as in `CLAUDE_MEM_MODE`; None if the worker does not tell.

    >>> active_mode("# [trip] recent context\nMode: Conversation (conversation)\n")
    'conversation'
    """
    found = _ACTIVE.search(context)
    return found[1] if found else None


def check_mode(told: str | None, settings: WorkerSettings | None) -> Check:
    """Check the mode: by the worker's own word, else by its settings.

    Args:
        told: What `active_mode` read.
        settings: What the worker's files say, where they can be read.
    """
    known = told or (settings.mode if settings else None)
    if known is None:
        return warned(
            "mode",
            "not known: the worker does not tell, and its data directory is not on "
            "this machine, or CLAUDE_MEM_DATA_DIR does not name it",
            "make sure that it is not code, which discards talk",
        )
    if told and settings and told != settings.mode:
        file = settings.directory / "modes" / f"{settings.mode}.json"
        return warned(
            "mode",
            f"the worker works in {told}, but its settings name {settings.mode}",
            f"{file} is missing, misnamed or broken (`locomo-run worker-mode` writes "
            f"the one for conversations), the worker's environment names {told}, or "
            "it was not restarted since: mend that and restart it",
        )
    shown = known if told else f"{known} by its settings; the worker does not tell"
    if known == DEFAULT_MODE:
        return warned("mode", shown, CODE_MODE)
    return passed("mode", shown)


async def ask_mode(client: AsyncClient, projects: Iterable[str]) -> str | None:
    """Ask a worker for its mode; None if it tells in none of the projects.

    Asks no further once it does not answer: an older one never does, and one that
    hangs would be waited for again and again.
    """
    with suppress(CmemError):
        for project in projects:
            if told := active_mode(await client.session_context(project)):
                return told
    return None
