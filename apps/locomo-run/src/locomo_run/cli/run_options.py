"""The options that make up a run's configuration."""

from __future__ import annotations

from pathlib import Path

import click

from locomo_run.cli.claude_mem_options import CLAUDE_MEM, claude_mem_of
from locomo_run.cli.judge_options import (
    CALLS,
    JUDGE,
    JUDGE_RUNS,
    calls_of,
    judging_of,
    temperature_of,
)
from locomo_run.cli.layers import LAYERS
from locomo_run.cli.values import (
    COUNT,
    COUNT_OR_NONE,
    SHARE,
    TEMPERATURE,
    CategoryName,
    F,
    decorated,
    option,
)
from locomo_run.config import AnswerOptions, RunConfig
from locomo_run.selection import Selection

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


def run_options(function: F) -> F:
    """Add the options that make up a run's configuration."""
    return decorated(
        function,
        (
            *LAYERS,
            *_RUN,
            *CLAUDE_MEM,
            *JUDGE,
            *JUDGE_RUNS,
            *CALLS,
            *_SELECTION,
        ),
    )


def run_config(ctx: click.Context) -> RunConfig:
    """Return the configuration that a command's options make up."""
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
            temperature=temperature_of(given["answer_temperature"]),
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
