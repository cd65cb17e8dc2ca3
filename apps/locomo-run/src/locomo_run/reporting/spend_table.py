"""The spend of a run, as a table and as plain values."""

from __future__ import annotations

from eval_report import Table

from locomo_run.ledger.entry import Json
from locomo_run.money.spend import Spend, spend, total
from locomo_run.reporting.estimate_table import amount, dollars
from locomo_run.reporting.results import Results


def spend_tables(results: Results) -> tuple[Table, ...]:
    """Set out what the run has cost; no table if no model was ever paid."""
    spent = spend(results.bills, results.prices)
    if not spent and not results.lost:
        return ()
    whole = total(spent)
    table = Table(
        title="Spend, every attempt counted",
        columns=(
            "Stage",
            "Model",
            "Calls",
            "Input",
            "Cache write",
            "Cache read",
            "Output",
            "Dollars",
            "Wasted calls",
            "Wasted dollars",
        ),
        rows=(
            *((str(one.stage), one.model, *_cells(one)) for one in spent),
            ("total", "", *_cells(whole)),
        ),
        notes=tuple(_notes(results, whole)),
    )
    return (table,)


def spend_json(results: Results) -> dict[str, Json]:
    """Return the spend as plain values; dollars of None have no known price."""
    spent = spend(results.bills, results.prices)
    return {
        "currency": "USD",
        "prices_date": results.prices.date,
        "stages": [
            {"stage": str(one.stage), "model": one.model, **_plain(one)}
            for one in spent
        ],
        "total": _plain(total(spent)),
        "lost_dollars_at_most": results.lost,
    }


def _cells(spent: Spend) -> tuple[str, ...]:
    return (
        f"{spent.calls:,}",
        f"{spent.input:,}",
        f"{spent.cache_write:,}",
        f"{spent.cache_read:,}",
        f"{spent.output:,}",
        amount(spent.dollars),
        f"{spent.wasted:,}",
        amount(spent.wasted_dollars),
    )


def _notes(results: Results, whole: Spend) -> list[str]:
    share = results.prices.batch
    notes = [
        f"US dollars at the prices of {results.prices.date}.",
        "Wasted: replies that did not become an entry and were bought again.",
    ]
    if whole.batched:
        notes.append(
            f"{whole.batched:,} calls were made in message batches, at {share:g} of "
            "the price."
        )
    if whole.untold:
        notes.append(
            f"{whole.untold:,} calls are not in the sums: the endpoint did not say "
            "what it counted."
        )
    if results.lost:
        notes.append(
            f"Up to {dollars(results.lost)} on top, for replies that never came."
        )
    return notes


def _plain(spent: Spend) -> dict[str, Json]:
    return {
        "calls": spent.calls,
        "batched_calls": spent.batched,
        "input_tokens": spent.input,
        "cache_write_tokens": spent.cache_write,
        "cache_read_tokens": spent.cache_read,
        "output_tokens": spent.output,
        "dollars": spent.dollars,
        "wasted_calls": spent.wasted,
        "wasted_dollars": spent.wasted_dollars,
        "calls_without_usage": spent.untold,
    }
