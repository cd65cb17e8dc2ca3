"""Ingestion as a step of its own: the first part of a run, kept in its folder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from locomo_dataset import Dataset

from locomo_run.calls.desk import open_desk
from locomo_run.claude_mem.account import read_account
from locomo_run.claude_mem.memory import ClaudeMemMemory, open_claude_mem
from locomo_run.config import RunConfig
from locomo_run.dataset_source import open_dataset
from locomo_run.identity import run_name
from locomo_run.ledger.entry import Json
from locomo_run.ledger.store import Ledger
from locomo_run.progress import Event
from locomo_run.run_directory import Facts, installed_versions, noted_source, register
from locomo_run.start import RUNS, conversations_of, identity_of


def ingest_run(
    config: RunConfig,
    *,
    opened: Callable[[Path], None],
    observe: Callable[[Event], None],
) -> tuple[Path, dict[str, Json]]:
    """Do the first part of the run that the same configuration would make.

    No question is noted as asked: a later `run` may ask fewer than were ingested for.

    Args:
        config: The configuration of the run; its memory must be claude-mem.
        opened: Called with the run directory before anything is posted.
        observe: Called with each step, for the display.

    Returns:
        The run directory, and what the run tells about its worker.

    Raises:
        RunError: see `locomo_run.errors`.
        DatasetError: the data set cannot be read.
    """
    dataset = open_dataset(config.dataset)
    with closing(open_claude_mem(config.claude_mem)) as memory:
        identity = identity_of(config, dataset, memory)
        directory = config.out or RUNS / run_name(config.recipe, identity)
        facts = Facts(
            recipe=config.recipe,
            identity=identity,
            source=noted_source(config.dataset),
            selections=(),
            headline=config.headline,
            versions=(installed_versions(),),
        )
        config.selection.resolve(dataset)  # says what is wrong before anything exists
        with Ledger.write(directory) as ledger:
            register(ledger, facts)
            opened(directory)
            asyncio.run(_prepare(config, dataset, memory, ledger, observe))
            return directory, read_account(ledger)


async def _prepare(
    config: RunConfig,
    dataset: Dataset,
    memory: ClaudeMemMemory,
    ledger: Ledger,
    observe: Callable[[Event], None],
) -> None:
    conversations = conversations_of(dataset, config.selection.resolve(dataset))
    async with open_desk(ledger, config.calls, observe) as desk:
        await memory.prepare(conversations, desk)
