"""`locomo-run validate`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from locomo_run.cli.options import DATASET_OF_RUN, JSON, RUN
from locomo_run.cli.values import SHARE, option
from locomo_run.errors import InvalidRunError


@click.command
@RUN
@DATASET_OF_RUN
@option(
    "--error-budget",
    type=SHARE,
    metavar="SHARE",
    default=0.02,
    help="Largest share of questions that may have failed, or have no J.  [0.02]",
)
@JSON
def validate(
    directory: Path, dataset: str | None, *, error_budget: float, as_json: bool
) -> None:
    """Check that the number of a run is fit to be published; exit 3 if not."""
    from locomo_run.ledger.store import Ledger
    from locomo_run.reporting.results import compute
    from locomo_run.reporting.validation import Verdict
    from locomo_run.reporting.validation import validate as check
    from locomo_run.run_directory import dataset_of, read_facts

    with Ledger.read(directory) as ledger:
        facts = read_facts(ledger)
        results = compute(facts, dataset_of(facts, dataset), ledger)
    checks = check(results, error_budget)
    if as_json:
        click.echo(json.dumps([asdict(each) for each in checks], indent=1))
    else:
        for each in checks:
            click.echo(f"{each.verdict}  {each.name}: {each.found}")
    failed = [each.name for each in checks if each.verdict is Verdict.FAIL]
    if failed:
        raise InvalidRunError(f"{directory} is not valid: {', '.join(failed)}")
