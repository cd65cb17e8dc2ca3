"""`locomo-run status`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import click

from locomo_run.cli.options import DATASET_OF_RUN, JSON, RUN


@click.command
@RUN
@DATASET_OF_RUN
@JSON
def status(directory: Path, dataset: str | None, *, as_json: bool) -> None:
    """Say how far a run is; works while another process writes it."""
    from locomo_run.status import read_status

    found = read_status(directory, dataset)
    if as_json:
        click.echo(json.dumps(found, indent=1))
    else:
        judges = cast(list[dict[str, object]], found.pop("judges"))
        for name, value in found.items():
            click.echo(f"{name}: {_shown(value)}")
        for judge in judges:
            told = ", ".join(f"{name} {_shown(value)}" for name, value in judge.items())
            click.echo(f"judge: {told}")


def _shown(value: object) -> str:
    if value is None:
        return "n/a"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
