"""`locomo-run ingest`."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import click

from locomo_run.cli.claude_mem_options import NAME as CLAUDE_MEM
from locomo_run.cli.claude_mem_options import asked_to_go_on
from locomo_run.cli.options import JSON
from locomo_run.cli.run_options import run_config, run_options
from locomo_run.cli.values import option
from locomo_run.errors import UsageError


@click.command
@run_options
@option("--quiet", is_flag=True, help="Show no progress.")
@JSON
@click.pass_context
def ingest(ctx: click.Context, /, *, quiet: bool, as_json: bool, **_: object) -> None:
    """Bring conversations into a claude-mem worker, and prove that they are there.

    It is the first part of `run --memory claude-mem` with the same options, and keeps
    its record in the same folder. Repeated, it ingests only what is missing.
    """
    from locomo_run.claude_mem.stage import ingest_run
    from locomo_run.display import display
    from locomo_run.progress import duration

    config = replace(run_config(ctx), memory=CLAUDE_MEM)
    chosen = ctx.get_parameter_source("memory")
    if (
        ctx.params["memory"] != CLAUDE_MEM
        and chosen is click.core.ParameterSource.COMMANDLINE
    ):
        raise UsageError("ingest fills claude-mem; other memories are filled by run")
    config = replace(config, claude_mem=asked_to_go_on(config.claude_mem))
    started = time.monotonic()

    def opened(directory: Path) -> None:
        click.echo(f"run: {directory}", err=True)

    with display(quiet=quiet) as observe:
        directory, account = ingest_run(config, opened=opened, observe=observe)
    if as_json:
        click.echo(json.dumps({"run": str(directory), **account}, indent=1))
        return
    ingestion = cast(Mapping[str, Mapping[str, int]], account["ingestion"])
    for sample_id, each in ingestion.items():
        click.echo(
            f"{sample_id}: {each['stored']} of {each['sessions']} sessions, "
            f"{each['observations']:,} observations"
        )
    total = sum(each["observations"] for each in ingestion.values())
    took = duration(time.monotonic() - started)
    click.echo(f"{len(ingestion)} conversations, {total:,} observations, {took}")
    for remark in cast(list[str], account["remarks"]):
        click.echo(remark, err=True)
