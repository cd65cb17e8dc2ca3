"""`--max-cost`, from the command line to what the endpoint has sold."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from llm_judge.testing import (
    FakeCounts,
    FakeMessagesAPI,
    FakeReply,
    FakeRequest,
    Fault,
    FaultPlan,
    Latency,
)
from locomo_run.ledger.entry import Stage, Usage
from locomo_run.ledger.store import Ledger
from locomo_run.money.prices import load_prices

Call = Callable[..., Result]
Endpoint = Callable[..., FakeMessagesAPI]

ANSWERED = ("run", "--answerer", "claude-opus-4-6", "--out", "here", "--in-flight", "8")
JUDGED = (*ANSWERED, "--judge", "claude-opus-4-6", "--no-adversarial")
"""One model for both, so that the endpoint's own counts are all at one price."""

FAILING = FaultPlan(
    rates={
        Fault.SERVER_ERROR: 0.1,
        Fault.DROPPED: 0.1,
        Fault.CUT_SHORT: 0.1,
        Fault.TRUNCATED: 0.1,
        Fault.WRONG_JSON: 0.05,
    },
    seed=3,
)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("locomo_run.calls.pace.FIRST_PAUSE", 0.001)


def price_of(counts: FakeCounts) -> float:
    """What the endpoint has sold, by its own counts."""
    tokens = Usage(input=counts.input_tokens, output=counts.output_tokens)
    dollars = load_prices().cost("claude-opus-4-6", tokens)
    assert dollars is not None
    return dollars


def longest(request: FakeRequest) -> str | FakeReply:
    """As many tokens as are allowed, so that ceilings are tried."""
    if "<predicted_answer>" in request.user:
        return json.dumps({"explanation": "e" * 900, "score": 50})
    return "a" * 1000


def stored(stage: Stage) -> int:
    with Ledger.read(Path("here")) as ledger:
        return sum(entry.ok for entry in ledger.entries(stage))


def spend() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path("here/results.json").read_text("utf-8"))
    return found["spend"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("cap", [0.001, 0.05, 0.2])
@pytest.mark.parametrize("faults", [FaultPlan(), FAILING], ids=["well", "failing"])
def test_the_endpoint_never_sells_more_than_the_cap(
    cap: float, faults: FaultPlan, call: Call, endpoint: Endpoint
) -> None:
    api = endpoint(longest, faults=faults, latency=Latency(median=0.002, spread=1))

    result = call(*JUDGED, "--max-cost", cap)

    assert result.exit_code == 4
    assert "stopped before a call that could pass the cost cap" in result.stderr
    assert price_of(api.counts) <= cap
    assert api.counts.bought > 0 or cap == 0.001


def test_the_same_command_with_a_higher_cap_goes_on_and_buys_nothing_twice(
    call: Call, endpoint: Endpoint
) -> None:
    api = endpoint()
    options = (*JUDGED, "--judge-runs", "2")
    bought = 0
    for cap in (0.05, 0.1, 0.15):
        assert call(*options, "--max-cost", cap).exit_code == 4
        assert price_of(api.counts) <= cap
        assert stored(Stage.ANSWER) + stored(Stage.JUDGE) == api.counts.bought > bought
        bought = api.counts.bought

    assert call(*options, "--max-cost", 100).exit_code == 0

    assert api.counts.bought == 47 + 2 * 47
    assert spend()["total"]["dollars"] == pytest.approx(price_of(api.counts))


def test_a_cap_that_is_not_reached_changes_nothing(
    call: Call, endpoint: Endpoint
) -> None:
    endpoint()
    capped = call(*ANSWERED, "--max-cost", 50)

    assert capped.exit_code == 0
    assert "cap $50.00" in capped.stderr


def test_a_cap_below_what_is_spent_already_buys_nothing_more(
    call: Call, endpoint: Endpoint
) -> None:
    api = endpoint()
    call(*ANSWERED, "--limit", 4)
    bought = api.counts.bought

    result = call(*ANSWERED, "--limit", 8, "--max-cost", 0.0001)

    assert (result.exit_code, api.counts.bought) == (4, bought)
    assert call(*ANSWERED, "--limit", 4, "--max-cost", 0.0001).exit_code == 0


def test_the_judge_command_keeps_the_cap_over_the_whole_run(
    call: Call, endpoint: Endpoint
) -> None:
    api = endpoint()
    call(*ANSWERED, "--no-adversarial")
    cap = price_of(api.counts) + 0.05

    judge = ("judge", "here", "--judge", "claude-opus-4-6", "--max-cost", cap)
    result = call(*judge)

    assert result.exit_code == 4
    assert cap - 0.05 < price_of(api.counts) <= cap


def test_replies_that_were_paid_for_and_lost_are_counted_in_the_report(
    call: Call, endpoint: Endpoint
) -> None:
    api = endpoint(faults=FaultPlan(script=[Fault.CUT_SHORT, Fault.TRUNCATED]))
    call(*ANSWERED, "--limit", 4, "--in-flight", 1)

    found, told = spend(), spend()["total"]
    assert api.counts.bought == 6
    assert told["calls"] == 5
    assert told["wasted_calls"] == 1
    assert told["dollars"] < price_of(api.counts)
    assert told["dollars"] + found["lost_dollars_at_most"] >= price_of(api.counts)
    report = Path("here/report.md").read_text("utf-8")
    assert "## Spend" in report
    assert "for replies that never came" in report
