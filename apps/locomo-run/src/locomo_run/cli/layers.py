"""Where options take their values from: a recipe, and a file over it."""

from __future__ import annotations

from pathlib import Path

import click

from locomo_run.cli.options import RUN_ARGUMENT
from locomo_run.cli.values import option
from locomo_run.config import OFFLINE, load_config_file, load_recipe
from locomo_run.ledger.entry import Json

LAYERS = (
    option(
        "--recipe",
        metavar="NAME",
        is_eager=True,
        expose_value=False,
        callback=lambda ctx, _, value: _use_layers(ctx, recipe=value),
        help="The named configuration to start from.  [offline]",
    ),
    option(
        "--config",
        metavar="FILE",
        type=click.Path(path_type=Path),
        is_eager=True,
        expose_value=False,
        callback=lambda ctx, _, value: _use_layers(ctx, file=value),
        help="TOML file with options by name; wins over the recipe.",
    ),
)


def source_of(ctx: click.Context, name: str) -> str:
    """Say where the value of an option comes from."""
    match ctx.get_parameter_source(name):
        case click.core.ParameterSource.COMMANDLINE:
            return "option"
        case click.core.ParameterSource.ENVIRONMENT:
            return "environment"
        case click.core.ParameterSource.DEFAULT_MAP:
            in_file = name in ctx.meta["config_file"]
            return "configuration file" if in_file else f"recipe {ctx.meta['recipe']}"
        case _:
            return "default"


def _use_layers(
    ctx: click.Context, *, recipe: str | None = None, file: Path | None = None
) -> None:
    """Put the recipe, and the configuration file over it, below the options."""
    known = {p.name for p in ctx.command.params if p.name} - {"config"}
    if file is not None:
        lists = {p.name for p in ctx.command.params if p.name and p.multiple}
        ctx.meta["config_file"] = load_config_file(file, known, lists)
    if recipe is not None:
        ctx.meta["recipe_option"] = recipe
    settings: dict[str, Json] = dict(ctx.meta.setdefault("config_file", {}))
    name = ctx.meta.get("recipe_option") or settings.pop("recipe", OFFLINE)
    ctx.meta["recipe"] = str(name)
    given = load_recipe(str(name))
    if RUN_ARGUMENT in {p.name for p in ctx.command.params if p.required}:
        del given["dataset"]  # a run knows its own
    ctx.default_map = {**given, **settings}
