"""Progress on standard error: live on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from locomo_run.progress import Event, Progress, advance, line

PLAIN_SECONDS = 10.0
"""How often a plain line is written, besides one for each conversation."""


@contextmanager
def display(
    *,
    quiet: bool = False,
    stream: TextIO | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Callable[[Event], None]]:
    """Show progress while the block runs.

    Args:
        quiet: Show nothing.
        stream: Where to; standard error by default.
        clock: Seconds.

    Yields:
        A function that takes the runner's events.
    """
    stream = stream or sys.stderr
    if quiet:
        yield lambda event: None
    elif stream.isatty():
        with _live(stream) as observe:
            yield observe
    else:
        yield _Plain(stream, clock)


class _Plain:
    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self._stream = stream
        self._clock = clock
        self._state = Progress()
        self._started = self._last = clock()

    def __call__(self, event: Event) -> None:
        self._state = state = advance(self._state, event)
        now = self._clock()
        ended = 0 < state.sample_questions == state.sample_asked
        if ended or (state.asked and now - self._last >= PLAIN_SECONDS):
            self._last = now
            print(line(state, now - self._started), file=self._stream, flush=True)


@contextmanager
def _live(stream: TextIO) -> Iterator[Callable[[Event], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars

    state = Progress()
    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        TextColumn("ETA"),
        TimeRemainingColumn(),
        console=Console(file=stream),
        transient=False,
    )
    with bars:
        ingest = bars.add_task("ingest", total=None, note="")
        answer = bars.add_task("answer", total=None, note="")

        def observe(event: Event) -> None:
            nonlocal state
            state = advance(state, event)
            bars.update(ingest, total=state.conversations, completed=state.ingested)
            bars.update(
                answer, total=state.questions, completed=state.asked, note=_note(state)
            )

        yield observe


def _note(state: Progress) -> str:
    f1 = "n/a" if state.f1 is None else format(state.f1, ".3f")
    failed = f"  failed {state.failed}" if state.failed else ""
    stored = f"  from the ledger {state.stored}" if state.stored else ""
    return f"F1 {f1}{failed}{stored}"
