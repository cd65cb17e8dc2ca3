"""`locomo-run estimate`."""

from __future__ import annotations

import json

import click

from locomo_run.cli.options import JSON
from locomo_run.cli.run_options import run_config, run_options


@click.command
@run_options
@JSON
@click.pass_context
def estimate(ctx: click.Context, /, *, as_json: bool, **_: object) -> None:
    """Say what `run` with the same options would cost, and buy nothing.

    What the run has stored already is left out. With a key, the endpoint counts the
    tokens of a sample, which is free; without one they are estimated.
    """
    from eval_report import render_text

    from locomo_run.money.counting import count_samples
    from locomo_run.money.prices import load_prices
    from locomo_run.money.prospect import prospect_of_run
    from locomo_run.reporting.estimate_table import as_json as to_json
    from locomo_run.reporting.estimate_table import cost_table

    config = run_config(ctx)
    prices = load_prices(config.calls.prices)
    prospect = prospect_of_run(config)
    counted, why_not = count_samples(prospect.jobs)
    found = prospect.estimate(prices, counted)
    if why_not:
        click.echo(why_not, err=True)
    if as_json:
        run = str(prospect.directory) if prospect.directory else None
        click.echo(json.dumps({"run": run, **to_json(found)}, indent=1))
        return
    if prospect.directory:
        click.echo(f"run: {prospect.directory}", err=True)
    click.echo(render_text(cost_table(found)), nl=False)
