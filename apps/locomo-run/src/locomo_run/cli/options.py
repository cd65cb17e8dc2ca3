"""Options that several commands share; each has an environment variable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

import click

from locomo_run.config import (
    OFFLINE,
    AnswerOptions,
    CallOptions,
    JudgeOptions,
    RunConfig,
    load_config_file,
    load_recipe,
)
from locomo_run.errors import RunError
from locomo_run.ledger.entry import Json
from locomo_run.selection import Selection, parse_category

F = TypeVar("F", bound=Callable[..., Any])

PREFIX = "LOCOMO_RUN_"


def option(*names: str, **attributes: Any) -> Callable[[F], F]:
    """Declare an option that an environment variable can set as well."""
    long = next(name for name in names if name.startswith("--"))
    variable = long.partition("/")[0].removeprefix("--").replace("-", "_").upper()
    return click.option(*names, envvar=f"{PREFIX}{variable}", **attributes)


class CategoryName(click.ParamType[int]):
    """A category by number or name."""

    name = "CATEGORY"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the category's number."""
        try:
            return int(parse_category(str(value)))
        except RunError as error:
            self.fail(str(error), param, ctx)


class Temperature(click.ParamType[float | str]):
    """A temperature, or `default` for the endpoint's own."""

    name = "FLOAT|default"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | str:
        """Return the temperature, or `default`."""
        if value == "default":
            return "default"
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 <= number <= 2:
            self.fail(f"{value!r} is neither 0 to 2 nor 'default'", param, ctx)
        return number


class Number(click.FloatRange):
    """A finite number within bounds."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return number


MOST = 1_000_000
"""Largest count that an option takes."""

COUNT = click.IntRange(1, MOST)
COUNT_OR_NONE = click.IntRange(0, MOST)
SHARE = Number(0, 1)
TEMPERATURE = Temperature()

RUN_ARGUMENT = "directory"

RUN = click.argument(
    RUN_ARGUMENT, metavar="RUN", type=click.Path(path_type=Path, file_okay=False)
)

JSON = option("--json", "as_json", is_flag=True, help="Print JSON on standard output.")

DATASET_OF_RUN = option(
    "--dataset",
    metavar="PATH|NAME",
    help="Where the run's data set is now, if it has moved.",
)

YES = option(
    "--yes",
    is_flag=True,
    help="Ask nothing: neither before money is spent, nor about a worker that holds "
    "other projects.",
)

ERRATA = option(
    "--errata",
    metavar="PATH",
    help="The audit's list of wrong golds, for a second line of scores without them. "
    " [what `dataset fetch errata` brought]",
)

_SELECTION = (
    option(
        "--conversation",
        metavar="ID",
        multiple=True,
        help="Only this conversation; may be repeated.",
    ),
    option(
        "--category",
        type=CategoryName(),
        multiple=True,
        help="Only this category, by number or name; may be repeated.",
    ),
    option(
        "--question",
        metavar="ID",
        multiple=True,
        help="Only this question, such as conv-26:12; may be repeated.",
    ),
    option(
        "--per-category",
        type=COUNT,
        metavar="N",
        help="At most N questions of each category, drawn by --seed.",
    ),
    option("--seed", type=int, metavar="S", default=0, help="Of --per-category.  [0]"),
    option(
        "--limit",
        type=COUNT,
        metavar="N",
        help="At most N questions in all, the first ones.",
    ),
    option(
        "--adversarial/--no-adversarial",
        default=None,
        help="Ask adversarial questions too.",
    ),
)

_LAYERS = (
    option(
        "--recipe",
        metavar="NAME",
        is_eager=True,
        expose_value=False,
        callback=lambda ctx, _, value: _use_layers(ctx, recipe=value),
        help="The named configuration to start from.  [offline]",
    ),
    option(
        "--config",
        metavar="FILE",
        type=click.Path(path_type=Path),
        is_eager=True,
        expose_value=False,
        callback=lambda ctx, _, value: _use_layers(ctx, file=value),
        help="TOML file with options by name; wins over the recipe.",
    ),
)

_RUN = (
    option(
        "--dataset",
        metavar="PATH|NAME",
        help="Path of a data set, or mini, or locomo10 once it has been fetched.",
    ),
    option(
        "--memory",
        metavar="NAME",
        help="The memory under test: embedded, claude-mem, full-context, oracle, none, "
        "or one that another distribution brings.",
    ),
    option(
        "--answerer",
        metavar="NAME",
        help="What reads and answers: extractive, or the name of a model.",
    ),
    option(
        "--answer-runs",
        type=COUNT,
        metavar="N",
        help="How often each question is answered; scores are means over the answers.",
    ),
    option(
        "--answer-temperature",
        type=TEMPERATURE,
        help="Of the answering model; default leaves it to the endpoint.",
    ),
    option(
        "--answer-max-tokens",
        type=COUNT,
        metavar="N",
        help="Longest answer of the model.",
    ),
    option(
        "--category-hints/--no-category-hints",
        default=None,
        help="Tell the answering model what the gold category means; printed in the "
        "report, since it gives the category away.",
    ),
    option(
        "--search-limit",
        type=COUNT,
        metavar="N",
        help="Hits asked of the memory for each question.",
    ),
    option(
        "--context-chars",
        type=COUNT,
        metavar="N",
        help="Budget of the context in characters; a hit is read whole or not at all.",
    ),
    option(
        "--neighbours",
        type=COUNT_OR_NONE,
        metavar="N",
        help="Turns on either side of a hit of the embedded memory that come along, "
        "within the search limit.",
    ),
    option(
        "--headline",
        type=click.Choice(("locomo", "mem0", "standard", "squad", "squad2")),
        help="The F1 profile that is shown first.",
    ),
    option(
        "--error-budget",
        type=SHARE,
        metavar="SHARE",
        help="Largest share of failed questions of a valid run.",
    ),
    option(
        "--out",
        metavar="DIR",
        type=click.Path(path_type=Path, file_okay=False),
        help="Run directory.  [runs/<recipe>-<hash of what identifies the run>]",
    ),
)


_JUDGE = (
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

_JUDGE_RUNS = (
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

_CALLS = (
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


def run_options(function: F) -> F:
    """Add the options that make up a run's configuration."""
    from locomo_run.cli.claude_mem_options import CLAUDE_MEM  # it builds on this module

    return _decorated(
        function,
        (
            *_LAYERS,
            *_RUN,
            *CLAUDE_MEM,
            *_JUDGE,
            *_JUDGE_RUNS,
            *_CALLS,
            *_SELECTION,
        ),
    )


def judge_options(function: F) -> F:
    """Add the options of who judges, and how models are called."""
    return _decorated(function, (*_LAYERS, *_JUDGE, *_JUDGE_RUNS, *_CALLS))


def judge_once_options(function: F) -> F:
    """Add the options of who judges everything once, and how models are called."""
    return _decorated(function, (*_LAYERS, *_JUDGE, *_CALLS))


def _decorated(function: F, decorators: Sequence[Callable[[F], F]]) -> F:
    for decorate in reversed(decorators):
        function = decorate(function)
    return function


def run_config(ctx: click.Context) -> RunConfig:
    """Return the configuration that a command's options make up."""
    from locomo_run.cli.claude_mem_options import claude_mem_of

    given = ctx.params
    return RunConfig(
        recipe=ctx.meta["recipe"],
        dataset=given["dataset"],
        memory=given["memory"],
        neighbours=given["neighbours"],
        search_limit=given["search_limit"],
        context_chars=given["context_chars"],
        headline=given["headline"],
        error_budget=given["error_budget"],
        out=given["out"],
        answering=AnswerOptions(
            answerer=given["answerer"],
            temperature=_temperature(given["answer_temperature"]),
            max_tokens=given["answer_max_tokens"],
            runs=given["answer_runs"],
            hints=given["category_hints"],
        ),
        judging=judging_of(ctx),
        calls=calls_of(ctx),
        claude_mem=claude_mem_of(ctx),
        selection=Selection(
            conversations=given["conversation"],
            categories=given["category"],
            questions=given["question"],
            per_category=given["per_category"],
            seed=given["seed"],
            limit=given["limit"],
            adversarial=given["adversarial"],
        ),
    )


def judging_of(ctx: click.Context) -> JudgeOptions:
    """Return who judges."""
    given = ctx.params
    return JudgeOptions(
        model=None if given["judge"] == "none" else given["judge"],
        protocols=given["judge_protocol"],
        runs=given.get("judge_runs", 1),
        extra=given.get("judge_extra", 0),
        refusals=given.get("judge_refusals", False),
        temperature=_temperature(given["judge_temperature"]),
        max_tokens=given["judge_max_tokens"],
    )


def _temperature(given: float | str) -> float | None:
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


def source_of(ctx: click.Context, name: str) -> str:
    """Say where the value of an option comes from."""
    match ctx.get_parameter_source(name):
        case click.core.ParameterSource.COMMANDLINE:
            return "option"
        case click.core.ParameterSource.ENVIRONMENT:
            return "environment"
        case click.core.ParameterSource.DEFAULT_MAP:
            in_file = name in ctx.meta["config_file"]
            return "configuration file" if in_file else f"recipe {ctx.meta['recipe']}"
        case _:
            return "default"


def _use_layers(
    ctx: click.Context, *, recipe: str | None = None, file: Path | None = None
) -> None:
    """Put the recipe, and the configuration file over it, below the options."""
    known = {p.name for p in ctx.command.params if p.name} - {"config"}
    if file is not None:
        lists = {p.name for p in ctx.command.params if p.name and p.multiple}
        ctx.meta["config_file"] = load_config_file(file, known, lists)
    if recipe is not None:
        ctx.meta["recipe_option"] = recipe
    settings: dict[str, Json] = dict(ctx.meta.setdefault("config_file", {}))
    name = ctx.meta.get("recipe_option") or settings.pop("recipe", OFFLINE)
    ctx.meta["recipe"] = str(name)
    given = load_recipe(str(name))
    if RUN_ARGUMENT in {p.name for p in ctx.command.params if p.required}:
        del given["dataset"]  # a run knows its own
    ctx.default_map = {**given, **settings}
