"""The command line: options to a frozen configuration, one call, output, exit code.

Commands are imported when they are called, and import what they need when they run,
so that `--help` stays quick.
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
    "agreement": (
        "locomo_run.cli.agreement:agreement",
        "Say how far the judge's runs agree, and what more of them would buy.",
    ),
    "batch": (
        "locomo_run.cli.batch:batch",
        "See and cancel the message batches of a run.",
    ),
    "calibrate": (
        "locomo_run.cli.calibrate:calibrate",
        "Put answers before the judge whose verdict is known, and count its errors.",
    ),
    "compare": (
        "locomo_run.cli.compare:compare",
        "Set runs beside the first of them, question by question.",
    ),
    "config": (
        "locomo_run.cli.config:config",
        "See the configuration of a run and where each part of it comes from.",
    ),
    "conversations": (
        "locomo_run.cli.conversations:conversations",
        "Set out the scores of a run by conversation, from the easiest to the hardest.",
    ),
    "dataset": ("locomo_run.cli.dataset:dataset", "Fetch, count and check data sets."),
    "doctor": (
        "locomo_run.cli.doctor:doctor",
        "Check that a claude-mem worker, and everything else, is fit for a run.",
    ),
    "estimate": (
        "locomo_run.cli.estimate:estimate",
        "Say what `run` with the same options would cost, and buy nothing.",
    ),
    "import": (
        "locomo_run.cli.import_results:import_results",
        "Turn published results of another harness into a run.",
    ),
    "ingest": (
        "locomo_run.cli.ingest:ingest",
        "Bring conversations into a claude-mem worker, and prove that they are there.",
    ),
    "judge": (
        "locomo_run.cli.judge:judge",
        "Judge the stored answers of a run, or go on doing so.",
    ),
    "merge": (
        "locomo_run.cli.merge:merge",
        "Join runs of the same settings into the run directory OUT.",
    ),
    "prompt": ("locomo_run.cli.prompt:prompt", "See what models are asked."),
    "report": (
        "locomo_run.cli.report:report",
        "Print the report of a run, made anew from its ledger.",
    ),
    "run": (
        "locomo_run.cli.run:run",
        "Run the whole pipeline, or go on with a run that was stopped.",
    ),
    "runs": (
        "locomo_run.cli.runs:runs",
        "List the runs in a folder (`runs` by default).",
    ),
    "status": (
        "locomo_run.cli.status:status",
        "Say how far a run is; works while another process writes it.",
    ),
    "validate": (
        "locomo_run.cli.validate:validate",
        "Check that the number of a run is fit to be published; exit 3 if not.",
    ),
    "verify": (
        "locomo_run.cli.verify:verify",
        "Show what a claude-mem worker holds of the data set, and ask three questions.",
    ),
    "worker-mode": (
        "locomo_run.cli.worker_mode:worker_mode",
        "Write a mode for conversations, and say how to activate it.",
    ),
}
"""Where each command is, and what the list of commands says of it."""


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
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command)  # noqa: S101  # the table above
        return command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, said) for name, (_, said) in COMMANDS.items()])

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
