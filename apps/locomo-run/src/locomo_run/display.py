"""Progress on standard error: live on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from locomo_run.progress import (
    Answered,
    Event,
    Judged,
    Progress,
    advance,
    judge_line,
    line,
    notice,
)

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
    """Writes a line for each conversation, and one now and then."""

    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self._stream = stream
        self._clock = clock
        self._state = Progress()
        self._started = self._last = clock()

    def __call__(self, event: Event) -> None:
        self._state = state = advance(self._state, event)
        now = self._clock()
        if said := notice(event, now - self._started):
            self._last = now
            print(said, file=self._stream, flush=True)
        elif _ends_something(event, state) or now - self._last >= PLAIN_SECONDS:
            self._last = now
            write = line if not state.protocol else judge_line
            print(write(state, now - self._started), file=self._stream, flush=True)


def _ends_something(event: Event, state: Progress) -> bool:
    match event:
        case Answered():
            return state.sample_asked == state.sample_questions
        case Judged():
            return state.judged == state.judge_calls
        case _:
            return False


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
    )
    started = time.monotonic()
    with bars:
        ingest = bars.add_task("ingest", total=None, note="", visible=False)
        answer = bars.add_task("answer", total=None, note="", visible=False)
        judge = bars.add_task("judge", total=None, note="", visible=False)

        def observe(event: Event) -> None:
            nonlocal state
            state = advance(state, event)
            if said := notice(event, time.monotonic() - started):
                bars.console.print(said, markup=False, highlight=False)
            begun, judging = state.questions > 0, bool(state.protocol)
            bars.update(
                ingest,
                total=state.conversations,
                completed=state.ingested,
                visible=begun,
            )
            bars.update(
                answer,
                total=state.questions,
                completed=state.asked,
                note=_note(state),
                visible=begun,
            )
            bars.update(
                judge,
                total=state.judge_calls,
                completed=state.judged,
                note=_judge_note(state),
                visible=judging,
            )

        yield observe


def _note(state: Progress) -> str:
    f1 = "n/a" if state.f1 is None else format(state.f1, ".3f")
    failed = f"  failed {state.failed}" if state.failed else ""
    stored = f"  from the ledger {state.stored}" if state.stored else ""
    return f"F1 {f1}{failed}{stored}{_traffic(state)}"


def _judge_note(state: Progress) -> str:
    mean = "n/a" if state.j is None else format(state.j, ".2f")
    failed = f"  without score {state.judge_failed}" if state.judge_failed else ""
    return f"{state.protocol} J {mean}{failed}{_traffic(state)}"


def _traffic(state: Progress) -> str:
    traffic = state.traffic
    if traffic is None:
        return ""
    cap = "" if traffic.cap is None else f"/{traffic.cap:.2f}"
    slowed = f"  slowed down {traffic.overloads}x" if traffic.overloads else ""
    stalled = f"  waiting for {traffic.stalled}" if traffic.stalled else ""
    flight = state.in_batches or traffic.in_flight
    return f"  ${traffic.spent:.2f}{cap}  in flight {flight}{slowed}{stalled}"
