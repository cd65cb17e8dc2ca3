"""`locomo-run prompt`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from locomo_run.cli.judge_options import judging_of
from locomo_run.cli.options import JSON
from locomo_run.cli.run_options import run_config, run_options

if TYPE_CHECKING:
    from locomo_run.ledger.entry import Json
    from locomo_run.previews import Preview


@click.group
def prompt() -> None:
    """See what models are asked."""


@prompt.command
@click.argument("question_id", metavar="QUESTION_ID")
@click.argument(
    "directory",
    metavar="[RUN]",
    required=False,
    type=click.Path(path_type=Path, file_okay=False),
)
@run_options
@JSON
@click.pass_context
def show(
    ctx: click.Context,
    /,
    question_id: str,
    directory: Path | None,
    *,
    as_json: bool,
    **_: object,
) -> None:
    """Print what is sent for a question such as conv-26:12, and send nothing.

    With a RUN, its stored hits and its answer are used; without one, the memory is
    filled and searched as `run` with the same options would do. JSON holds the texts
    exactly; on a terminal, control characters are replaced.
    """
    from locomo_run.judging.judge_run import judges_of
    from locomo_run.previews import previews_of_options, previews_of_run

    if directory is None:
        found = previews_of_options(question_id, run_config(ctx))
    else:
        found = previews_of_run(
            question_id,
            directory,
            more=judges_of(judging_of(ctx)),
            dataset=_given_dataset(ctx),
        )
    if as_json:
        click.echo(json.dumps([_plain(one) for one in found], indent=1))
    else:
        click.echo("\n".join(_text(one) for one in found), nl=False)


def _given_dataset(ctx: click.Context) -> str | None:
    """Return the data set if it was named; a recipe's is no answer for a run."""
    source = ctx.get_parameter_source("dataset")
    given = source is not click.core.ParameterSource.DEFAULT_MAP
    return ctx.params["dataset"] if given else None


def _plain(one: Preview) -> dict[str, Json]:
    from locomo_run.calls.messages_api import SCHEMA_OUTPUT

    shown: dict[str, Json] = {"call": one.name, "remark": one.remark or None}
    if one.settings is None or one.prompt is None:
        return shown
    return {
        **shown,
        "settings": one.settings.model_dump(mode="json"),
        "system": one.prompt.system,
        "user": one.prompt.user,
        "reply_schema": one.prompt.reply_schema if SCHEMA_OUTPUT else None,
        "sha256": one.prompt.sha256,
    }


def _text(one: Preview) -> str:
    shown = _plain(one)
    lines = [f"== {one.name}"]
    if one.remark:
        lines.append(f"({one.remark})")
    if one.settings is not None and one.prompt is not None:
        lines += [
            f"settings: {one.settings.signature}",
            f"reply schema: {_schema(shown['reply_schema'])}",
            f"sha256 of the prompt: {one.prompt.sha256}",
            "-- system",
            _visible(one.prompt.system),
            "-- user",
            _visible(one.prompt.user),
        ]
    return "\n".join(lines) + "\n"


def _schema(schema: Json) -> str:
    return "none is sent" if schema is None else json.dumps(schema)


def _visible(text: str) -> str:
    """Keep text of others from steering the terminal."""
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else "\ufffd"
        for letter in text
    )
