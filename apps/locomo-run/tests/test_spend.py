from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from locomo_run.ledger.entry import (
    MAY_HAVE_COST,
    Attempt,
    Request,
    Stage,
    Status,
    Usage,
)
from locomo_run.ledger.rows import Bill
from locomo_run.ledger.store import Ledger
from locomo_run.money.prices import load_prices
from locomo_run.money.spend import Spend, spend, total
from locomo_run.reporting.results import Results
from locomo_run.reporting.spend_table import spend_json, spend_tables

Scored = Callable[..., Results]

OPUS, SONNET = "claude-opus-4-6", "claude-sonnet-4-6"
PRICES = load_prices()
BILLS = (
    Bill(stage=Stage.JUDGE, model=SONNET, usage=Usage(input=1000, output=100)),
    Bill(
        stage=Stage.ANSWER,
        model=OPUS,
        usage=Usage(input=100, output=10, cache_write=200, cache_read=400),
    ),
    Bill(stage=Stage.ANSWER, model=OPUS, usage=Usage(input=1000), used=False),
    Bill(
        stage=Stage.JUDGE, model=SONNET, usage=Usage(input=500, output=60, batch=True)
    ),
    Bill(stage=Stage.JUDGE, model=SONNET, usage=Usage(), untold=1),
)


@pytest.fixture
def paid(scored: Scored) -> Results:
    return replace(scored(), bills=BILLS, lost=0.02)


def attempt(status: Status, tokens: int) -> Attempt:
    return Attempt(status=status, model=OPUS, usage=Usage(input=tokens))


def test_bills_are_summed_by_stage_in_the_order_of_the_stages() -> None:
    answers, verdicts = spend(BILLS, PRICES)

    assert (answers.stage, answers.model) == (Stage.ANSWER, OPUS)
    assert (answers.calls, answers.wasted, answers.batched) == (2, 1, 0)
    assert (answers.input, answers.output) == (1100, 10)
    assert (answers.cache_write, answers.cache_read) == (200, 400)
    assert answers.dollars == pytest.approx(0.0005 + 0.00025 + 0.00125 + 0.0002 + 0.005)
    assert answers.wasted_dollars == pytest.approx(0.005)

    assert (verdicts.stage, verdicts.model) == (Stage.JUDGE, SONNET)
    assert (verdicts.calls, verdicts.wasted, verdicts.batched) == (3, 0, 1)
    assert (verdicts.input, verdicts.output, verdicts.untold) == (1500, 160, 1)
    assert verdicts.dollars == pytest.approx(0.003 + 0.0015 + (0.0015 + 0.0009) / 2)


def test_the_attempts_of_a_ledger_are_billed_by_kind(tmp_path: Path) -> None:
    told = [
        Usage(input=7, output=2, cache_read=5),
        Usage(input=3),
        Usage(),
        Usage(output=4, batch=True),
        None,
    ]
    with Ledger.write(tmp_path) as ledger:
        for number, usage in enumerate(told):
            ledger.append(
                Request(stage=Stage.JUDGE, item=f"q:{number}", content={}),
                Attempt(status=Status.OK, model=SONNET, usage=usage),
            )

        bills = sorted(ledger.bills(), key=lambda bill: bill.usage.batch)

    assert bills == [
        Bill(
            stage=Stage.JUDGE,
            model=SONNET,
            usage=Usage(input=10, output=2, cache_read=5),
            calls=3,
            untold=1,
        ),
        Bill(stage=Stage.JUDGE, model=SONNET, usage=Usage(output=4, batch=True)),
    ]


def test_the_total_is_over_all_stages() -> None:
    whole = total(spend(BILLS, PRICES))

    assert (whole.calls, whole.wasted, whole.input) == (5, 1, 2600)
    assert whole.dollars == pytest.approx(0.0072 + 0.0057)


def test_nothing_bought_is_nothing_spent() -> None:
    assert spend((), PRICES) == ()
    assert total(()) == Spend(stage=None)


def test_a_model_without_a_price_makes_the_sum_unknown_not_zero() -> None:
    bills = (*BILLS, Bill(stage=Stage.ANSWER, model="other", usage=Usage(input=1)))
    spent = spend(bills, PRICES)

    assert [one.dollars is None for one in spent] == [False, True, False]
    assert total(spent).dollars is None
    assert total(spent).wasted_dollars == pytest.approx(0.005)


@pytest.mark.parametrize(
    ("made", "used"),
    [
        ([Status.OK], [True]),
        ([Status.UNPARSED, Status.OK], [False, True]),
        ([Status.OK, Status.OK], [False, True]),
        ([Status.OK, Status.UNPARSED], [True, False]),
        ([Status.UNPARSED, Status.TRUNCATED], [False, True]),
        ([Status.TRUNCATED, Status.REFUSED, Status.REFUSED], [False, False, True]),
    ],
)
def test_a_reply_is_wasted_if_another_one_is_the_entry(
    made: list[Status], used: list[bool], tmp_path: Path
) -> None:
    request = Request(stage=Stage.ANSWER, item="a", content={})
    other = Request(stage=Stage.ANSWER, item="b", content={})
    with Ledger.write(tmp_path) as ledger:
        for number, status in enumerate(made):
            ledger.append(request, attempt(status, number))
            ledger.append(other, Attempt(status=Status.INFRA_ERROR))
        bills = list(ledger.bills())

    told = {bill.used: (bill.calls, bill.usage.input) for bill in bills}
    for kind in (True, False):
        numbers = [n for n, each in enumerate(used) if each is kind]
        assert told.get(kind) == ((len(numbers), sum(numbers)) if numbers else None)


def test_a_good_reply_is_used_although_a_call_failed_after_it(tmp_path: Path) -> None:
    request = Request(stage=Stage.ANSWER, item="a", content={})
    lost = Attempt(status=Status.INFRA_ERROR, reply={MAY_HAVE_COST: 0.5})
    with Ledger.write(tmp_path) as ledger:
        ledger.append(request, attempt(Status.OK, 1))
        ledger.append(request, lost)

        assert [bill.used for bill in ledger.bills()] == [True]
        assert ledger.lost() == 0.5


def test_the_table_holds_every_kind_of_token_and_the_waste(paid: Results) -> None:
    (table,) = spend_tables(paid)

    assert table.rows == (
        ("answer", OPUS, "2", "1,100", "200", "400", "10", "0.0072", "1", "0.0050"),
        ("judge", SONNET, "3", "1,500", "0", "0", "160", "0.0057", "0", "0.00"),
        ("total", "", "5", "2,600", "200", "400", "170", "0.0129", "1", "0.0050"),
    )
    notes = "\n".join(table.notes)
    for said in (
        "prices of 2026-11-30",
        "1 calls were made in message batches, at 0.5 of the price",
        "1 calls are not in the sums",
        "Up to $0.0200 on top, for replies that never came.",
    ):
        assert said in notes


def test_a_run_without_models_has_no_spend_table(scored: Scored) -> None:
    assert spend_tables(scored()) == ()
    assert spend_json(scored())["stages"] == []


def test_results_hold_the_spend_unrounded(paid: Results) -> None:
    found = spend_json(paid)

    assert found["prices_date"] == "2026-11-30"
    assert found["lost_dollars_at_most"] == 0.02
    assert found["total"] == {
        "calls": 5,
        "batched_calls": 1,
        "input_tokens": 2600,
        "cache_write_tokens": 200,
        "cache_read_tokens": 400,
        "output_tokens": 170,
        "dollars": pytest.approx(0.0129),
        "wasted_calls": 1,
        "wasted_dollars": pytest.approx(0.005),
        "calls_without_usage": 1,
    }
