"""Memories by name: those built in, and those that other distributions register.

A distribution registers a memory by an entry point of the group
`locomo_run.memories` that names a callable without arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

from locomo_run.calls.lane import one_line
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.errors import RunError, UsageError
from locomo_run.ledger.entry import canonical
from locomo_run.memory import Memory

GROUP = "locomo_run.memories"
BUILT_IN = ("embedded", "claude-mem", "full-context", "oracle", "none")


def names() -> tuple[str, ...]:
    """Return the names of all memories that can be opened."""
    plugged = sorted(entry.name for entry in entry_points(group=GROUP))
    return BUILT_IN + tuple(name for name in plugged if name not in BUILT_IN)


def open_memory(
    name: str, *, neighbours: int = 0, claude_mem: ClaudeMemOptions | None = None
) -> Memory:
    """Open a memory by its name.

    Args:
        name: One of `names()`.
        neighbours: For `embedded`: turns around a hit that come along with it.
        claude_mem: For `claude-mem`: how it is filled and searched.

    Raises:
        UsageError: there is no memory of that name.
        RunError: it is there but cannot be opened, or does not describe itself.
    """
    if name in BUILT_IN:
        return _built_in(name, neighbours, claude_mem or ClaudeMemOptions())
    for entry in entry_points(group=GROUP, name=name):
        try:
            factory: Callable[[], Memory] = entry.load()
            memory = factory()
            canonical(memory.describe())
        except Exception as error:
            what = one_line(f"{type(error).__name__}: {error}")
            raise RunError(
                f"memory {name!r} ({entry.value}) cannot be opened: {what}"
            ) from error
        return memory
    raise UsageError(f"no memory {name!r}; there are {', '.join(names())}")


def _built_in(name: str, neighbours: int, claude_mem: ClaudeMemOptions) -> Memory:
    match name:
        case "claude-mem":
            from locomo_run.claude_mem.memory import open_claude_mem

            return open_claude_mem(claude_mem)
        case "embedded":
            from locomo_run.memory.embedded import EmbeddedMemory

            return EmbeddedMemory(neighbours=neighbours)
        case "full-context":
            from locomo_run.memory.full_context import FullContextMemory

            return FullContextMemory()
        case "oracle":
            from locomo_run.memory.oracle import OracleMemory

            return OracleMemory()
        case _:
            from locomo_run.memory.nothing import NoMemory

            return NoMemory()
