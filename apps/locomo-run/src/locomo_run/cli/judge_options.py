"""The options of who judges, and of how models are called."""

from __future__ import annotations

from pathlib import Path

import click

from locomo_run.cli.layers import LAYERS
from locomo_run.cli.values import (
    COUNT,
    COUNT_OR_NONE,
    TEMPERATURE,
    F,
    Number,
    decorated,
    option,
)
from locomo_run.config import CallOptions, JudgeOptions

JUDGE = (
    option(
        "--judge",
        metavar="MODEL|none",
        help="The model that judges the answers; none for token F1 alone.",
    ),
    option(
        "--judge-protocol",
        metavar="NAME|FILE",
        multiple=True,
        help="graded, binary, strict or a TOML file; may be repeated.",
    ),
    option(
        "--judge-temperature",
        type=TEMPERATURE,
        help="Of the judging model; default leaves it to the endpoint.",
    ),
    option(
        "--judge-max-tokens",
        type=COUNT,
        metavar="N",
        help="Longest reply of the judge.",
    ),
)

JUDGE_RUNS = (
    option(
        "--judge-runs",
        type=COUNT,
        metavar="N",
        help="How often each answer is judged.",
    ),
    option(
        "--judge-extra",
        type=COUNT_OR_NONE,
        metavar="N",
        help="More runs for the questions whose first ones differ; they count for "
        "reliability only, not for J.",
    ),
    option(
        "--judge-refusals",
        is_flag=True,
        help="Let the judge see the answers to adversarial questions too, once each: "
        "did they decline, or fall for the trap?",
    ),
)

CALLS = (
    option(
        "--in-flight",
        type=COUNT,
        metavar="N",
        help="Calls to a model at once, at the most.",
    ),
    option(
        "--call-timeout",
        type=Number(min=0, min_open=True),
        metavar="SECONDS",
        help="Longest time for one call to a model.",
    ),
    option(
        "--retry-minutes",
        type=Number(min=0),
        metavar="MINUTES",
        help="How long a call that fails is repeated.",
    ),
    option(
        "--retry-failed",
        is_flag=True,
        help="Ask again what ended refused, cut off or unreadable.",
    ),
    option(
        "--max-cost",
        type=Number(min=0),
        metavar="USD",
        help="Stop before the call that could pass this, with exit code 4.",
    ),
    option(
        "--prices",
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Price table (TOML) that wins over the one that comes with the program.",
    ),
    option(
        "--batch",
        is_flag=True,
        help="Ask models through message batches: half the price, within a day. "
        "Ctrl-C stops waiting only; the same command collects.",
    ),
    option(
        "--batch-size",
        type=click.IntRange(1, 100_000),
        metavar="N",
        default=1000,
        help="The most requests in one batch.  [1000]",
    ),
    option(
        "--batch-poll",
        type=Number(min=0, min_open=True),
        metavar="SECONDS",
        default=30.0,
        help="Time between two looks at the batches in flight.  [30]",
    ),
)


def judge_options(function: F) -> F:
    """Add the options of who judges, and how models are called."""
    return decorated(function, (*LAYERS, *JUDGE, *JUDGE_RUNS, *CALLS))


def judge_once_options(function: F) -> F:
    """Add the options of who judges everything once, and how models are called."""
    return decorated(function, (*LAYERS, *JUDGE, *CALLS))


def judging_of(ctx: click.Context) -> JudgeOptions:
    """Return who judges."""
    given = ctx.params
    return JudgeOptions(
        model=None if given["judge"] == "none" else given["judge"],
        protocols=given["judge_protocol"],
        runs=given.get("judge_runs", 1),
        extra=given.get("judge_extra", 0),
        refusals=given.get("judge_refusals", False),
        temperature=temperature_of(given["judge_temperature"]),
        max_tokens=given["judge_max_tokens"],
    )


def temperature_of(given: float | str) -> float | None:
    """Return a temperature, None for the endpoint's own."""
    return None if isinstance(given, str) else given


def calls_of(ctx: click.Context) -> CallOptions:
    """Return how models are called."""
    given = ctx.params
    return CallOptions(
        in_flight=given["in_flight"],
        call_timeout=given["call_timeout"],
        retry_minutes=given["retry_minutes"],
        retry_failed=given["retry_failed"],
        max_cost=given["max_cost"],
        prices=given["prices"],
        batch=given["batch"],
        batch_size=given["batch_size"],
        batch_poll=given["batch_poll"],
    )
