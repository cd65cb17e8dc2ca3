import statistics
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_judge.testing import Fault, FaultPlan, Latency

BODIES = [f"body {number}" for number in range(4000)]


def test_a_script_goes_by_arrival_and_before_the_rates() -> None:
    plan = FaultPlan(script=[None, Fault.HTML], rates={Fault.HANG: 1.0})

    assert [plan.choose(arrival, "b", 0, 0) for arrival in range(3)] == [
        None,
        Fault.HTML,
        Fault.HANG,
    ]


def test_faults_come_at_their_rates() -> None:
    plan = FaultPlan(rates={Fault.OVERLOADED: 0.1, Fault.DROPPED: 0.05})
    seen = Counter(plan.choose(0, body, 0, 0) for body in BODIES)

    assert set(seen) == {None, Fault.OVERLOADED, Fault.DROPPED}
    assert seen[Fault.OVERLOADED] / len(BODIES) == pytest.approx(0.1, abs=0.02)
    assert seen[Fault.DROPPED] / len(BODIES) == pytest.approx(0.05, abs=0.02)


def test_the_order_of_arrival_decides_nothing_and_the_seed_does() -> None:
    rates = {Fault.OVERLOADED: 0.5}
    first = [FaultPlan(rates=rates).choose(0, body, 0, 0) for body in BODIES]
    later = [FaultPlan(rates=rates).choose(99, body, 0, 0) for body in BODIES]
    other = [FaultPlan(rates=rates, seed=1).choose(0, body, 0, 0) for body in BODIES]

    assert first == later
    assert first != other


@given(st.text(), st.integers(0, 5), st.integers(0, 20))
def test_one_body_never_meets_more_faults_than_allowed(
    body: str, allowed: int, seed: int
) -> None:
    plan = FaultPlan(rates={Fault.OVERLOADED: 0.9}, seed=seed, per_body=allowed)
    faults = 0
    for repeat in range(20):
        faults += plan.choose(0, body, repeat, faults) is not None

    assert faults <= allowed


@pytest.mark.parametrize(
    "rates", [{Fault.HTML: -0.1}, {Fault.HTML: 0.6, Fault.HANG: 0.6}]
)
def test_rates_that_are_no_shares_are_refused(rates: dict[Fault, float]) -> None:
    with pytest.raises(ValueError, match="add up to at most 1"):
        FaultPlan(rates=rates)


def test_a_latency_without_spread_is_constant() -> None:
    latency = Latency(median=0.25)

    assert {latency.seconds(body, 0) for body in BODIES[:9]} == {0.25}


def test_a_spread_gives_a_long_tail_around_the_median() -> None:
    drawn = [Latency(median=0.2, spread=1.0).seconds(body, 0) for body in BODIES]

    assert statistics.median(drawn) == pytest.approx(0.2, rel=0.1)
    assert statistics.quantiles(drawn, n=100)[94] == pytest.approx(1.04, rel=0.2)
    assert drawn == [Latency(median=0.2, spread=1.0).seconds(b, 0) for b in BODIES]
