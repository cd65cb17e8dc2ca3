import pytest
from hypothesis import given
from hypothesis import strategies as st
from locomo_run.ledger.entry import MAY_HAVE_COST, Attempt, Stage, Status, Usage
from locomo_run.ledger.rows import Bill
from locomo_run.money.prices import load_prices
from locomo_run.money.purse import Purse

MODEL = "claude-opus-4-6"
PRICES = load_prices()


def bought(output: int) -> Attempt:
    return Attempt(status=Status.OK, model=MODEL, usage=Usage(input=0, output=output))


def test_what_was_bought_before_counts() -> None:
    bill = Bill(stage=Stage.ANSWER, model=MODEL, usage=Usage(output=40_000))

    assert Purse(PRICES, bills=[bill, bill]).spent == pytest.approx(2.0)


def test_a_call_is_refused_that_could_pass_the_cap() -> None:
    purse = Purse(PRICES, cap=1.0)
    assert purse.reserve(0.6) is None

    refusal = purse.reserve(0.5)

    assert refusal is not None
    assert refusal.exit_code == 4
    assert "cap $1; " in str(refusal)
    assert "up to $0.6000 in flight" in str(refusal)
    assert "--max-cost" in str(refusal)
    assert purse.reserve(0.4) is None


def test_a_call_that_cost_less_makes_room() -> None:
    purse = Purse(PRICES, cap=1.0)
    purse.reserve(1.0)
    purse.release(1.0)
    purse.pay(bought(4000))  # $0.10

    assert purse.spent == pytest.approx(0.1)
    assert purse.reserve(0.89) is None


def test_a_reply_that_never_came_counts_as_paid() -> None:
    lost = Attempt(status=Status.INFRA_ERROR, reply={MAY_HAVE_COST: 0.7})
    purse = Purse(PRICES, cap=1.0, lost=0.1)
    purse.pay(lost)

    refusal = purse.reserve(0.3)

    assert purse.spent == 0.0
    assert purse.lost == pytest.approx(0.8)
    assert "up to $0.8000 for replies that never came" in str(refusal)


def test_without_a_cap_nothing_is_refused() -> None:
    assert Purse(PRICES).reserve(1e9) is None


def test_a_cap_of_nothing_allows_what_is_free() -> None:
    purse = Purse(PRICES, cap=0.0)

    assert purse.reserve(0.0) is None
    assert purse.reserve(0.0001) is not None


@given(
    cap=st.floats(0, 1),
    calls=st.lists(st.tuples(st.integers(0, 4000), st.floats(0, 1)), max_size=30),
)
def test_the_cap_is_never_passed_if_no_call_costs_more_than_was_put_aside(
    cap: float, calls: list[tuple[int, float]]
) -> None:
    purse = Purse(PRICES, cap=cap)
    for output, share in calls:
        cost = PRICES.cost(MODEL, Usage(output=output))
        assert cost is not None
        if purse.reserve(cost) is None:
            purse.release(cost)
            purse.pay(bought(int(output * share)))

    assert purse.spent <= cap
