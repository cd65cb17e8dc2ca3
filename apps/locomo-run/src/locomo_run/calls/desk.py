"""The desk at which a run's calls are made: lanes, purse, models, and when to stop."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field

from llm_judge import Complete

from locomo_run.calls.lane import Lane, Sleep, Stop
from locomo_run.calls.models import open_model
from locomo_run.calls.tries import Limits
from locomo_run.config import CallOptions
from locomo_run.errors import InterruptedRunError, UsageError
from locomo_run.ledger.store import COMMIT_SECONDS, Ledger
from locomo_run.money.prices import load_prices, note_prices
from locomo_run.money.purse import Purse
from locomo_run.progress import Event, Traffic

MEMORY_ATTEMPTS = 3
"""How often a memory is asked for one entry before that is given up."""

STALLED_SECONDS = 60.0
"""A call that takes longer is named in the display."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the stages of a run share."""

    ledger: Ledger
    purse: Purse
    stop: Stop
    memory: Lane
    """Calls to the memory, which never wait behind a model."""
    models: Lane
    """Calls to models."""
    options: CallOptions
    observe: Callable[[Event], None]
    closing: AsyncExitStack
    _open: dict[str, Complete] = field(default_factory=dict)

    def model(self, name: str) -> Complete:
        """Return what answers prompts under the name of a model.

        One connection serves all models of one endpoint.

        Raises:
            RunError: it cannot be reached as things are set up.
        """
        endpoint = name.partition(":")[0] if ":" in name else ""
        key = name if endpoint else endpoint
        if key not in self._open:
            complete = open_model(name, timeout=self.models.limits.timeout)
            self._open[key] = complete
            if close := getattr(complete, "aclose", None):
                self.closing.push_async_callback(close)
        return self._open[key]


@asynccontextmanager
async def open_desk(
    ledger: Ledger,
    options: CallOptions,
    observe: Callable[[Event], None],
    *,
    sleep: Sleep = asyncio.sleep,
) -> AsyncIterator[Desk]:
    """Open a desk: commit in time, tell how it goes, and drain on Ctrl-C.

    The first Ctrl-C lets the calls in flight end, the second one stops at once.

    Args:
        ledger: Open for writing.
        options: How models are called.
        observe: Called with each step, for the display.
        sleep: Waits between attempts.

    Raises:
        RunError: why the run was stopped before its end, if it was.
    """
    batches = ledger.batches.open()
    if batches and not options.batch:
        raise UsageError(
            f"{sum(batch.requests for batch in batches):,} requests of this run are in "
            f"{len(batches):,} message batches: collect them with --batch, or see "
            f"`locomo-run batch status {ledger.directory}`"
        )
    stop = Stop()
    prices = load_prices(options.prices)
    note_prices(ledger, prices)
    purse = Purse(
        prices,
        options.max_cost,
        ledger.bills(),
        lost=ledger.lost(),
    )
    purse.reserved = sum(batch.cost for batch in batches)
    limits = Limits(
        in_flight=options.in_flight,
        minutes=options.retry_minutes,
        timeout=options.call_timeout,
    )
    async with AsyncExitStack() as closing:
        desk = Desk(
            ledger=ledger,
            purse=purse,
            stop=stop,
            memory=Lane(
                name="memory",
                ledger=ledger,
                limits=Limits(attempts=MEMORY_ATTEMPTS, timeout=options.call_timeout),
                stop=stop,
                retry_failed=options.retry_failed,
                sleep=sleep,
            ),
            models=Lane(
                name="model",
                ledger=ledger,
                limits=limits,
                stop=stop,
                purse=purse,
                retry_failed=options.retry_failed,
                sleep=sleep,
            ),
            options=options,
            observe=observe,
            closing=closing,
        )
        try:
            async with _watched(desk):
                yield desk
        except asyncio.CancelledError:
            if stop.reason is None:
                raise
        if stop.reason is not None:
            raise stop.reason


@asynccontextmanager
async def _watched(desk: Desk) -> AsyncIterator[None]:
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        if desk.stop.reason is None:
            waiting = ", ".join(
                f"{lane.in_flight} to {whom}"
                for lane, whom in ((desk.models, "models"), (desk.memory, "the memory"))
                if lane.in_flight
            )
            desk.stop.set(
                InterruptedRunError(
                    f"stopped; everything stored so far is kept in "
                    f"{desk.ledger.directory}, and the same command goes on from there"
                    f"{_left_behind(desk)}"
                )
            )
            if waiting:
                print(  # noqa: T201  # a word to who pressed the keys
                    f"waiting for calls: {waiting}; Ctrl-C again stops at once",
                    file=sys.stderr,
                )
        elif task is not None:
            task.cancel()

    handled = []
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, interrupt)  # not everywhere, not in threads
            handled.append(number)
    ticker = asyncio.create_task(_tick(desk))
    try:
        yield
    finally:
        ticker.cancel()
        for number in handled:
            loop.remove_signal_handler(number)
        desk.ledger.commit()


def _left_behind(desk: Desk) -> str:
    batches = desk.ledger.batches.open()
    requests = sum(batch.requests for batch in batches)
    if not batches:
        return ""
    return (
        f"; {requests:,} requests in {len(batches):,} message batches go on at the "
        "endpoint, and it collects them"
    )


async def _tick(desk: Desk) -> None:
    """Make replies durable soon after they came, and tell how the calls go."""
    while True:
        await asyncio.sleep(COMMIT_SECONDS)
        desk.ledger.commit()
        if desk.models.in_flight:
            desk.observe(traffic(desk))


def traffic(desk: Desk) -> Traffic:
    """Tell how the calls to models go at the moment."""
    longest = desk.models.longest()
    stalled = longest is not None and longest[1] > STALLED_SECONDS
    return Traffic(
        in_flight=desk.models.in_flight,
        overloads=desk.models.overloads,
        spent=desk.purse.spent,
        cap=desk.purse.cap,
        stalled=f"{longest[0]} for {longest[1]:.0f} s" if longest and stalled else "",
    )
