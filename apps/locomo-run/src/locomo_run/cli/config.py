"""`locomo-run config`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from locomo_run.cli.layers import source_of
from locomo_run.cli.options import JSON
from locomo_run.cli.run_options import run_options
from locomo_run.config import recipe_notes


@click.group
def config() -> None:
    """See the configuration of a run and where each part of it comes from."""


@config.command
@run_options
@JSON
@click.pass_context
def show(ctx: click.Context, /, *, as_json: bool, **_: object) -> None:
    """Print the configuration that `run` would use with the same options.

    Option wins over environment, environment over configuration file, configuration
    file over recipe. The output is TOML that --config reads.
    """
    shown = {
        name: (_plain(value), source_of(ctx, name))
        for name, value in ctx.params.items()
        if name != "as_json"
    }
    if as_json:
        click.echo(
            json.dumps(
                {
                    "recipe": ctx.meta["recipe"],
                    **{n: {"value": v, "from": s} for n, (v, s) in shown.items()},
                },
                indent=1,
            )
        )
        return
    for note in recipe_notes(ctx.meta["recipe"]):
        click.echo(f"# {note}")
    click.echo(f"recipe = {json.dumps(ctx.meta['recipe'])}")
    for name, (value, source) in shown.items():
        if value is None:
            click.echo(f"# {name} is not set")
        else:
            click.echo(f"{name} = {json.dumps(value)}  # {source}")


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [int(v) if isinstance(v, int) else str(v) for v in value]
    return str(value) if isinstance(value, Path) else value
