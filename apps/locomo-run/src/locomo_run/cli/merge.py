"""`locomo-run merge`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from locomo_run.cli.options import DATASET_OF_RUN, ERRATA, JSON

SHOWN = 10
"""Conflicts that the text names; `--json` has them all."""


@click.command
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path, file_okay=False))
@click.argument(
    "runs",
    metavar="RUN...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
)
@DATASET_OF_RUN
@ERRATA
@JSON
def merge(
    out: Path,
    runs: tuple[Path, ...],
    dataset: str | None,
    errata: str | None,
    *,
    as_json: bool,
) -> None:
    """Join runs of the same settings into the run directory OUT.

    For parts of one run that were made in different places: other conversations, other
    judges, more judge runs. Runs whose settings differ are refused. Where two runs hold
    different replies to the same request, the first run's is used. OUT may be an
    earlier merge, which then grows.
    """
    from locomo_run.dataset_source import open_errata
    from locomo_run.merging.merge import merge as join

    done = join(out, runs, dataset=dataset, errata=open_errata(errata))
    if as_json:
        click.echo(json.dumps(done.spec(), indent=1))
        return
    click.echo(f"{len(done.runs)} runs merged into {out}")
    click.echo(f"entries: {_counts(done.entries)}")
    click.echo(f"in several runs, with the same reply: {_counts(done.duplicates)}")
    click.echo(f"in several runs, with different replies: {len(done.conflicts):,}")
    for each in done.conflicts[:SHOWN]:
        click.echo(
            f"  {each.stage} {each.item}, run {each.run}: "
            f"{each.kept} is used, {each.other} is not"
        )
    if (more := len(done.conflicts) - SHOWN) > 0:
        click.echo(f"  and {more:,} more; --json lists them all")
    for name in done.facts:
        click.echo(f"told differently: {name}; {done.runs[0]} has the say")
    click.echo(f"report: {out / 'report.md'}", err=True)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {stage}" for stage, n in counts.items()) or "none"
