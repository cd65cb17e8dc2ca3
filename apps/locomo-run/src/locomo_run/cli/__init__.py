"""The command line: options to a frozen configuration, one call, output, exit code.

Commands are imported when they are called or listed, and import what they need when
they run, so that `--help` stays quick.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from importlib import import_module
from types import FrameType
from typing import Any

import click
from locomo_dataset import DatasetError

from locomo_run.errors import MEMORY_THREAD, RunError

COMMANDS = {
    "agreement": "locomo_run.cli.agreement:agreement",
    "calibrate": "locomo_run.cli.calibrate:calibrate",
    "batch": "locomo_run.cli.batch:batch",
    "compare": "locomo_run.cli.compare:compare",
    "config": "locomo_run.cli.config:config",
    "conversations": "locomo_run.cli.conversations:conversations",
    "dataset": "locomo_run.cli.dataset:dataset",
    "doctor": "locomo_run.cli.doctor:doctor",
    "estimate": "locomo_run.cli.estimate:estimate",
    "ingest": "locomo_run.cli.ingest:ingest",
    "import": "locomo_run.cli.import_results:import_results",
    "judge": "locomo_run.cli.judge:judge",
    "merge": "locomo_run.cli.merge:merge",
    "prompt": "locomo_run.cli.prompt:prompt",
    "report": "locomo_run.cli.report:report",
    "run": "locomo_run.cli.run:run",
    "runs": "locomo_run.cli.runs:runs",
    "status": "locomo_run.cli.status:status",
    "validate": "locomo_run.cli.validate:validate",
    "verify": "locomo_run.cli.verify:verify",
    "worker-mode": "locomo_run.cli.worker_mode:worker_mode",
}


class Failure(click.ClickException):
    """A failure that has said what it has to say."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]  # click reads the instance's


class Root(click.Group):
    """Finds commands by name, and turns our errors into messages and exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command)  # noqa: S101  # the table above
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; say what went wrong in one message, without a traceback."""
        try:
            return super().invoke(ctx)
        except RunError as error:
            raise Failure(str(error), error.exit_code) from error
        except DatasetError as error:
            raise Failure(str(error), 1) from error
        except KeyboardInterrupt:
            raise Failure("interrupted", 130) from None


def _show_version(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    """Print what is installed, and end."""
    if not wanted or ctx.resilient_parsing:
        return
    from locomo_run.versions import version_lines

    click.echo("\n".join(version_lines()))
    ctx.exit()


@click.group(
    cls=Root,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Every option can be set by an environment variable: --search-limit by "
    "LOCOMO_RUN_SEARCH_LIMIT. "
    "Exit codes: 0 done, 1 failed, 2 usage, 3 the run is not valid, 4 stopped by the "
    "cost cap, 130 interrupted.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the versions of all members and the signatures of all that scores.",
)
def root() -> None:
    """Evaluate the memory of an LLM agent on LoCoMo.

    `locomo-run run` evaluates an embedded memory on a small data set that comes with
    the program; it needs no key, no worker and no download.
    """


def main() -> None:
    """Start the program."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        root()
    except SystemExit as ended:
        _leave(ended.code)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _leave(code: str | int | None) -> None:
    """End the process, even if a call to a memory hangs in its thread."""
    if any(each.name.startswith(MEMORY_THREAD) for each in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)
    sys.exit(code)
