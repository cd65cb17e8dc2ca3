"""Write the command reference from the commands themselves.

uv run python docs/generate_commands.py
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import Path

import click
from locomo_run.cli import root

PAGE = Path(__file__).with_name("commands.md")

HEAD = """# Commands

Every option can also be set by an environment variable.
`--search-limit` is set by `LOCOMO_RUN_SEARCH_LIMIT`.
Standard output carries the result, standard error the progress.
`--json` prints the result for machines.

| exit code | meaning |
| --- | --- |
| 0 | done |
| 1 | failed |
| 2 | the words of the call are off |
| 3 | the run ended but its number must not be published |
| 4 | stopped by the cost cap |
| 130 | interrupted; everything stored is kept |

What stands in brackets is the default or the range of an option.
Defaults that a recipe sets are in `locomo-run config show`.
This page is written by `docs/generate_commands.py`, and a test compares the two."""

SHARED = 10
"""From so many options in common with `run` on, they are named and not repeated."""


def command_reference() -> str:
    """Return the page, in Markdown."""
    context = click.Context(root, info_name="locomo-run")
    run = root.get_command(context, "run")
    assert run is not None  # noqa: S101  # the page would be empty without it
    options_of_run = _options(run, context)
    blocks = [HEAD]
    for command, within in _walk(root, context):
        blocks += _section(command, within, options_of_run)
    return "\n\n".join(blocks) + "\n"


def _walk(
    command: click.Command, context: click.Context
) -> Iterator[tuple[click.Command, click.Context]]:
    if not isinstance(command, click.Group):
        yield command, context
        return
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        assert child is not None  # noqa: S101  # the group has just named it
        yield from _walk(child, click.Context(child, info_name=name, parent=context))


def _section(
    command: click.Command, context: click.Context, options_of_run: dict[str, str]
) -> Iterator[str]:
    usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
    yield f"## {context.command_path}"
    yield f"```text\n{usage}\n```"
    for paragraph in (command.help or "").split("\n\n"):
        yield _plain(" ".join(paragraph.split()))
    options = _options(command, context)
    shared = [name for name in options if options_of_run.get(name) == options[name]]
    if context.info_name != "run" and len(shared) >= SHARED:
        options = {n: text for n, text in options.items() if n not in shared}
        names = ", ".join(f"`{name.split()[0]}`" for name in shared)
        yield f"Takes these options of [`run`](#locomo-run-run): {names}."
    if options:
        yield "\n".join(f"- `{name}`: {_plain(text)}" for name, text in options.items())


def _options(command: click.Command, context: click.Context) -> dict[str, str]:
    """Return the options of a command as they are written, each with its help."""
    options = (each for each in command.params if isinstance(each, click.Option))
    records = (option.get_help_record(context) for option in options)
    return {name: " ".join(text.split()) for name, text in filter(None, records)}


def _plain(text: str) -> str:
    """Escape a text for Markdown, and leave what stands between backticks alone."""
    pieces = text.split("`")
    for i in range(0, len(pieces), 2):
        pieces[i] = html.escape(pieces[i], quote=False).replace("[", r"\[")
    return "`".join(pieces)


if __name__ == "__main__":
    PAGE.write_text(command_reference(), encoding="utf-8", newline="\n")
