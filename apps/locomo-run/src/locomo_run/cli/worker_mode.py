"""`locomo-run worker-mode`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from locomo_run.cli.values import option


@click.command("worker-mode")
@option(
    "--data-dir",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="The worker's data directory.  [CLAUDE_MEM_DATA_DIR, else ~/.claude-mem]",
)
@option("--overwrite", is_flag=True, help="Replace another mode of the same name.")
@option("--print", "as_text", is_flag=True, help="Print the mode and write nothing.")
def worker_mode(data_dir: Path | None, *, overwrite: bool, as_text: bool) -> None:
    """Write a mode for conversations, and say how to activate it.

    In its own mode for programming a claude-mem worker tells its model to skip talk.
    """
    from locomo_run.claude_mem.mode import activation_hint, mode_json, write_mode
    from locomo_run.claude_mem.settings import data_directory

    if as_text:
        click.echo(mode_json(), nl=False)
        return
    folder = data_dir or data_directory(os.environ, Path.home())
    path = write_mode(folder, overwrite=overwrite)
    click.echo(f"mode: {path}")
    click.echo(activation_hint(path), nl=False, err=True)
