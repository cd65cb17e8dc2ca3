"""What can go wrong in a way that the user can mend.

```text
RunError                  exit 1: what, where, what to do
├── UsageError            exit 2: the words of the call are off
├── InvalidRunError       exit 3: the run ended, its number must not be published
├── CostCapError          exit 4: the next call could pass --max-cost
├── InterruptedRunError   exit 130: stopped by the user; everything stored is kept
└── CallError             one search or answer failed; stored, tried again, counted
```
"""

from __future__ import annotations

MEMORY_THREAD = "locomo-run-memory"
"""Name of the thread that calls the memory, and may hang in it."""


class RunError(Exception):
    """Something that stops the command, said in one message."""

    exit_code = 1


class UsageError(RunError):
    """The call cannot be carried out as it was put."""

    exit_code = 2


class InvalidRunError(RunError):
    """The run has ended but fails a condition of a publishable number."""

    exit_code = 3


class CostCapError(RunError):
    """The next call could pass the cost cap; everything stored is kept."""

    exit_code = 4


class InterruptedRunError(RunError):
    """The user stopped the run."""

    exit_code = 130


class CallError(RunError):
    """One call to a memory or an answerer failed; a memory or answerer raises it."""
