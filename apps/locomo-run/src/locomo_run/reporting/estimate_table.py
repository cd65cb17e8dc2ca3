"""An estimate, as a table, as plain values and in one line."""

from __future__ import annotations

from eval_report import Table

from locomo_run.ledger.entry import Json
from locomo_run.money.estimate import EXPECTED_OUTPUT, Amount, Estimate, Line
from locomo_run.money.tokens import CHARS_PER_TOKEN, FEWEST_BYTES_PER_TOKEN

NOT_KNOWN = "n/a"


def cost_table(estimate: Estimate) -> Table:
    """Set out what is still to be bought, job by job."""
    return Table(
        title="What is still to be bought",
        columns=(
            "Stage",
            "Model",
            "Calls",
            "Tokens in",
            "Tokens out",
            "Expected, $",
            "In batches, $",
            "At most, $",
        ),
        rows=(
            *(
                (line.name, line.model, *_cells(line.expected, line.most))
                for line in estimate.lines
            ),
            ("total", "", *_cells(estimate.expected, estimate.most)),
        ),
        notes=tuple(_notes(estimate)),
    )


def as_json(estimate: Estimate) -> dict[str, Json]:
    """Return an estimate as plain values; dollars of None have no known price."""
    return {
        "prices_date": estimate.prices_date,
        "currency": "USD",
        "stages": [_line(line) for line in estimate.lines],
        "total": _pair(estimate.expected, estimate.most),
        "bought_already": estimate.bought,
        "billed_elsewhere": {"sessions": estimate.sessions},
        "contexts_taken_as_full": estimate.drawn,
        "assumptions": {
            "characters_per_token": CHARS_PER_TOKEN,
            "bytes_per_token_at_most": FEWEST_BYTES_PER_TOKEN,
            "expected_output_tokens": {
                stage.value: tokens for stage, tokens in EXPECTED_OUTPUT.items()
            },
        },
    }


def in_one_line(
    estimate: Estimate, *, batched: bool = False, cap: float | None = None
) -> str:
    """Say what is about to be spent.

    Args:
        estimate: Of what is still to be bought.
        batched: Whether the calls are made in message batches.
        cap: The most that may be spent in all, in dollars.
    """
    expected, most = estimate.expected, estimate.most
    calls = ", ".join(
        f"{line.expected.calls:,} {line.name} calls"
        for line in estimate.lines
        if line.most.calls
    )
    if not most.calls:
        return f"cost: nothing left to buy ({estimate.bought:,} calls are stored)"
    usual, longest = (
        dollars(amount.batched if batched else amount.dollars)
        for amount in (expected, most)
    )
    how = "in batches, " if batched else ""
    said = (
        f"cost: about {usual}, at most {longest}, {how}prices of "
        f"{estimate.prices_date}, for {calls}"
    )
    if estimate.unpriced:
        said += f"; no price for {', '.join(estimate.unpriced)}: see --prices"
    return said if cap is None else f"{said}; cap {dollars(cap)}"


def dollars(value: float | None) -> str:
    """Write dollars with their sign.

    >>> dollars(1234.5), dollars(0.0123), dollars(None)
    ('$1,234.50', '$0.0123', 'n/a')
    """
    return NOT_KNOWN if value is None else f"${amount(value)}"


def amount(value: float | None) -> str:
    """Write dollars without their sign; more digits below one.

    >>> amount(1234.5), amount(0.0123), amount(0.0), amount(None)
    ('1,234.50', '0.0123', '0.00', 'n/a')
    """
    if value is None:
        return NOT_KNOWN
    return f"{value:,.4f}" if 0 < value < 1 else f"{value:,.2f}"


def _cells(expected: Amount, most: Amount) -> tuple[str, ...]:
    calls = f"{expected.calls:,}"
    if most.calls != expected.calls:
        calls += f" to {most.calls:,}"
    return (
        calls,
        f"{expected.input:,}",
        f"{expected.output:,}",
        amount(expected.dollars),
        amount(expected.batched),
        amount(most.dollars),
    )


def _notes(estimate: Estimate) -> list[str]:
    if not estimate.lines:
        return ["No model is asked."]
    stages = dict.fromkeys(line.stage for line in estimate.lines)
    assumed = ", ".join(f"{EXPECTED_OUTPUT[s]} per {s} call" for s in stages)
    bytes_per_token = f"{FEWEST_BYTES_PER_TOKEN:g}"
    notes = [
        f"US dollars, prices of {estimate.prices_date}; --prices names another table.",
        _counting(estimate),
        f"Tokens out: expected are {assumed}; at most is what the settings allow.",
        f"At most: {bytes_per_token} bytes per token; repeated calls come on top.",
    ]
    if estimate.drawn:
        notes.append(
            "The memory has not been asked yet: its contexts are taken as full."
        )
    if estimate.bought:
        notes.append(f"Left out: {estimate.bought:,} calls that are stored already.")
    if estimate.sessions:
        notes.append(
            f"Billed elsewhere: the worker compresses {estimate.sessions:,} sessions "
            "with a model of its own, at least one call each."
        )
    if estimate.unpriced:
        notes.append(f"No price is known for {', '.join(estimate.unpriced)}.")
    return notes


def _counting(estimate: Estimate) -> str:
    guess = f"estimated at {CHARS_PER_TOKEN:g} characters each"
    counted = [line for line in estimate.lines if line.counted]
    if not counted:
        return f"Tokens in: {guess}."
    said = ", ".join(
        f"{line.name} from {line.counted.prompts:,} prompts, "
        f"{line.counted.ratio:.2f} times the estimate"
        for line in counted
        if line.counted
    )
    rest = "" if len(counted) == len(estimate.lines) else f"; the others {guess}"
    return f"Tokens in: counted by the endpoint on a sample ({said}){rest}."


def _line(line: Line) -> dict[str, Json]:
    counted = line.counted
    return {
        "stage": line.stage.value,
        "name": line.name,
        "model": line.model,
        **_pair(line.expected, line.most),
        "counted_prompts": counted.prompts if counted else 0,
        "counted_ratio": counted.ratio if counted else None,
    }


def _pair(expected: Amount, most: Amount) -> dict[str, Json]:
    return {"expected": _amount(expected), "at_most": _amount(most)}


def _amount(value: Amount) -> dict[str, Json]:
    return {
        "calls": value.calls,
        "input_tokens": value.input,
        "output_tokens": value.output,
        "dollars": value.dollars,
        "dollars_batched": value.batched,
    }
