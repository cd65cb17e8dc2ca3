"""From a configuration to a finished run: opens things, runs, writes the files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from locomo_dataset.errata import Errata

from locomo_run.answerers.registry import open_answerer
from locomo_run.config import RunConfig
from locomo_run.dataset_source import open_dataset
from locomo_run.identity import Identity, run_name
from locomo_run.ledger import Ledger
from locomo_run.memory.registry import open_memory
from locomo_run.progress import Event
from locomo_run.results import Results, compute
from locomo_run.run_directory import (
    Facts,
    installed_versions,
    noted_source,
    register,
)
from locomo_run.runner import Plan, run

UNBOUNDED = frozenset({"full-context", "oracle"})
"""Memories whose hits are all read, whatever the search limit and context budget."""

RUNS = Path("runs")


def start(
    config: RunConfig,
    *,
    opened: Callable[[Path], None],
    observe: Callable[[Event], None],
    errata: Errata | None = None,
) -> tuple[Path, Results]:
    """Run, or continue, what a configuration asks for.

    Args:
        config: The configuration.
        opened: Called with the run directory before anything is asked.
        observe: Called with each step, for the display.
        errata: The audit of the golds, for the second line of scores.

    Returns:
        The run directory, and the results of all that the run was ever asked for.

    Raises:
        RunError: see `locomo_run.errors`.
        DatasetError: the data set cannot be read.
    """
    dataset = open_dataset(config.dataset)
    questions = config.selection.resolve(dataset)
    answerer = open_answerer(config.answerer)
    with closing(open_memory(config.memory, neighbours=config.neighbours)) as memory:
        bounded = config.memory not in UNBOUNDED
        plan = Plan(
            dataset=dataset,
            questions=questions,
            memory=memory,
            answerer=answerer,
            search_limit=config.search_limit if bounded else None,
            context_chars=config.context_chars if bounded else None,
            headline=config.headline,
        )
        identity = identify(plan)
        directory = config.out or RUNS / run_name(config.recipe, identity)
        with Ledger.write(directory) as ledger:
            facts = register(
                ledger,
                Facts(
                    recipe=config.recipe,
                    identity=identity,
                    source=noted_source(config.dataset),
                    selections=(config.selection,),
                    headline=config.headline,
                    versions=(installed_versions(),),
                ),
            )
            opened(directory)
            run(plan, ledger, observe)
            return directory, compute(facts, dataset, ledger, errata)


def identify(plan: Plan) -> Identity:
    """Return what makes a run of this plan the run that it is."""
    return {
        "dataset": {"sha256": plan.dataset.sha256},
        "memory": plan.memory.describe(),
        "search": {"limit": plan.search_limit},
        "context": {"chars": plan.context_chars},
        "answerer": plan.answerer.describe(),
    }
