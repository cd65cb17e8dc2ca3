"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

from locomo_run.cli.values import option

RUN_ARGUMENT = "directory"

RUN = click.argument(
    RUN_ARGUMENT, metavar="RUN", type=click.Path(path_type=Path, file_okay=False)
)

JSON = option("--json", "as_json", is_flag=True, help="Print JSON on standard output.")

DATASET_OF_RUN = option(
    "--dataset",
    metavar="PATH|NAME",
    help="Where the run's data set is now, if it has moved.",
)

YES = option(
    "--yes",
    is_flag=True,
    help="Ask nothing: neither before money is spent, nor about a worker that holds "
    "other projects.",
)

ERRATA = option(
    "--errata",
    metavar="PATH",
    help="The audit's list of wrong golds, for a second line of scores without them. "
    " [what `dataset fetch errata` brought]",
)
