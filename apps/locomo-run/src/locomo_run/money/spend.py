"""What a run has cost: its bills, summed by stage, model and kind of token."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from locomo_run.ledger.entry import Stage
from locomo_run.ledger.rows import Bill
from locomo_run.money.prices import Prices


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """What calls of one stage to one model have cost."""

    stage: Stage | None
    """None for all stages."""
    model: str = ""
    calls: int = 0
    batched: int = 0
    """Calls among them that were made in message batches."""
    wasted: int = 0
    """Calls among them whose reply is not the entry's: it was bought again."""
    untold: int = 0
    """Calls among them for which the endpoint did not say what it counted."""
    input: int = 0
    cache_write: int = 0
    cache_read: int = 0
    output: int = 0
    dollars: float | None = 0.0
    """None if the model has no price."""
    wasted_dollars: float | None = 0.0


def spend(bills: Iterable[Bill], prices: Prices) -> tuple[Spend, ...]:
    """Sum bills by stage and model, in the order of the stages.

    >>> from locomo_run.ledger.entry import Usage
    >>> from locomo_run.money.prices import load_prices
    >>> bill = Bill(
    ...     stage=Stage.ANSWER,
    ...     model="claude-opus-4-6",
    ...     usage=Usage(input=1000, output=40),
    ...     used=False,
    ... )
    >>> (one,) = spend([bill, bill], load_prices())
    >>> one.calls, one.input, one.dollars, one.wasted
    (2, 2000, 0.012, 2)
    """
    sums: dict[tuple[Stage, str], Spend] = {}
    for bill in bills:
        key = bill.stage, bill.model
        before = sums.get(key, Spend(stage=bill.stage, model=bill.model))
        sums[key] = _joined(before, _of(bill, prices))
    order = list(Stage)
    return tuple(
        sums[key] for key in sorted(sums, key=lambda k: (order.index(k[0]), k))
    )


def total(spent: Iterable[Spend]) -> Spend:
    """Sum over stages and models; a price that is not known makes the sum unknown."""
    whole = Spend(stage=None)
    for one in spent:
        whole = _joined(whole, one)
    return whole


def _of(bill: Bill, prices: Prices) -> Spend:
    usage, dollars = bill.usage, prices.cost(bill.model, bill.usage)
    return Spend(
        stage=bill.stage,
        model=bill.model,
        calls=bill.calls,
        batched=bill.calls * usage.batch,
        wasted=bill.calls * (not bill.used),
        untold=bill.untold,
        input=usage.input or 0,
        cache_write=usage.cache_write or 0,
        cache_read=usage.cache_read or 0,
        output=usage.output or 0,
        dollars=dollars,
        wasted_dollars=0.0 if bill.used else dollars,
    )


def _joined(one: Spend, other: Spend) -> Spend:
    return replace(
        one,
        calls=one.calls + other.calls,
        batched=one.batched + other.batched,
        wasted=one.wasted + other.wasted,
        untold=one.untold + other.untold,
        input=one.input + other.input,
        cache_write=one.cache_write + other.cache_write,
        cache_read=one.cache_read + other.cache_read,
        output=one.output + other.output,
        dollars=_sum(one.dollars, other.dollars),
        wasted_dollars=_sum(one.wasted_dollars, other.wasted_dollars),
    )


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other
