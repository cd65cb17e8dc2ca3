"""`locomo-run doctor`."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from locomo_run.cli.claude_mem_options import may_write
from locomo_run.cli.options import JSON
from locomo_run.cli.run_options import run_config, run_options
from locomo_run.cli.values import option
from locomo_run.errors import RunError

if TYPE_CHECKING:
    from locomo_run.claude_mem.checks import Check
    from locomo_run.config import RunConfig

REQUEST_SECONDS = 2.0
"""Longest wait for one answer of a worker that should answer at once."""

CHECK_SECONDS = 4.0
"""All answers before the canary, with the search for the worker; the data set and the
folder are looked at in what is left of five seconds."""


@click.command
@run_options
@option(
    "--canary/--no-canary",
    default=True,
    help="Send one observation through the worker's own compression: two short calls "
    "of its model.  [canary]",
)
@JSON
@click.pass_context
def doctor(ctx: click.Context, /, *, canary: bool, as_json: bool, **_: object) -> None:
    """Check that a claude-mem worker, and everything else, is fit for a run.

    Exits with 1 if a check fails. To see whether search works it stores one row, and
    the canary sends one short talk through the worker's own compression, which makes
    two short calls of its model; both go into a project of their own. A worker that
    holds other projects is not written to unless you say yes, or --yes.
    """
    from locomo_run.claude_mem.checks import failures

    checks = []
    for check in _checks(run_config(ctx), canary=canary):
        checks.append(check)
        if not as_json:
            click.echo(check.line())
    if as_json:
        click.echo(json.dumps([check.spec() for check in checks], indent=1))
    if failed := failures(checks):
        raise RunError(f"not fit for a run: {', '.join(failed)}")


def _checks(config: RunConfig, *, canary: bool) -> Iterator[Check]:
    from cmem_client import Client

    from locomo_run.claude_mem.canary import CANARY_SECONDS
    from locomo_run.claude_mem.canary import canary as send_canary
    from locomo_run.claude_mem.connect import in_our_words, locate
    from locomo_run.claude_mem.doctor import check_storing, check_worker, not_tried
    from locomo_run.claude_mem.surroundings import check_surroundings, default_folder

    options, ends = config.claude_mem, time.monotonic() + CHECK_SECONDS
    connection, settings = locate(options)

    def opened() -> Client:
        left = ends - time.monotonic()
        return Client(connection, timeout=REQUEST_SECONDS, budget=left)

    with in_our_words(), opened() as client:
        seen = check_worker(client, options, settings)
    yield from seen.checks
    asked = time.monotonic()
    write = seen.answers and may_write(options, seen.foreign)
    ends += time.monotonic() - asked  # nobody has to answer at once
    if seen.answers:
        with in_our_words(), opened() as client:
            yield from check_storing(client, options, settings, write=write)
    yield from check_surroundings(
        config.dataset, default_folder(config.out), connection, os.environ
    )
    if canary and seen.answers and not write:
        yield not_tried("canary", "it would store rows")
    elif canary and seen.answers:
        click.echo(
            "sending one short talk through the worker: two short model calls ...",
            err=True,
        )
        with (
            in_our_words(),
            Client(connection, timeout=CANARY_SECONDS, budget=CANARY_SECONDS) as client,
        ):
            yield send_canary(client, options, name=secrets.token_hex(4))
