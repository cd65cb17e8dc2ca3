"""`locomo-run agreement`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from locomo_run.cli.options import DATASET_OF_RUN, JSON, RUN
from locomo_run.errors import RunError


@click.command
@RUN
@DATASET_OF_RUN
@JSON
def agreement(directory: Path, dataset: str | None, *, as_json: bool) -> None:
    """Say how far the judge's runs agree, and what more of them would buy."""
    from eval_report import render_text

    from locomo_run.judging.agreement import agreement_spec, agreement_tables
    from locomo_run.ledger.store import Ledger
    from locomo_run.reporting.judge_tables import reliability_table
    from locomo_run.reporting.results import compute
    from locomo_run.run_directory import dataset_of, read_facts

    with Ledger.read(directory) as ledger:
        facts = read_facts(ledger)
        results = compute(facts, dataset_of(facts, dataset), ledger)
    if not results.judged:
        raise RunError(
            f"{directory} has not been judged; `locomo-run judge {directory} "
            "--judge MODEL` does that"
        )
    if as_json:
        specs = {e.judge.signature: agreement_spec(e) for e in results.judged}
        click.echo(json.dumps(specs, indent=1))
        return
    tables = (reliability_table(results), *agreement_tables(results))
    click.echo("\n".join(render_text(table) for table in tables))
