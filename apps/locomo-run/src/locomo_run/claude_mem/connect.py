"""Finding the worker, and putting its errors into this program's words."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cmem_client import Client, CmemError, Connection, RouteMissing, resolve

from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.claude_mem.settings import WorkerSettings, read_settings
from locomo_run.errors import RunError


@contextmanager
def in_our_words() -> Iterator[None]:
    """Turn an error of the worker's client into one that stops the command.

    Raises:
        RunError: with the same message.
    """
    try:
        yield
    except CmemError as error:
        raise RunError(f"claude-mem: {error}") from error


def locate(options: ClaudeMemOptions) -> tuple[Connection, WorkerSettings | None]:
    """Find the worker, and what its files say where they can be read.

    Raises:
        RunError: an address or token cannot be used.
    """
    with in_our_words():
        connection = resolve(options.worker)
    return connection, read_settings(connection, os.environ, Path.home())


def has_vectors(client: Client) -> bool:
    """Ask whether the worker searches by vectors; old ones cannot say and do not."""
    try:
        return client.vector_index().healthy
    except RouteMissing:
        return False
