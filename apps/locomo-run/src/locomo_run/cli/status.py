"""`locomo-run status`."""

from __future__ import annotations

import json
from pathlib import Path

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
        for name, value in found.items():
            shown = f"{value:.3f}" if isinstance(value, float) else value
            click.echo(f"{name}: {'n/a' if value is None else shown}")
