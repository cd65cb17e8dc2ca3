"""The message batches of a run, looked at and cancelled from outside of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from llm_judge.anthropic import BatchInfo, ErrorKind, ModelError

from locomo_run.batches.adoption import BatchModel
from locomo_run.batches.ledger import OPEN, Batch, BatchState
from locomo_run.batches.results import endpoint_of
from locomo_run.calls.models import open_model
from locomo_run.errors import RunError
from locomo_run.ledger.entry import Json
from locomo_run.ledger.store import Ledger

TIMEOUT = 60.0
"""Seconds for one look-up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A batch, and what its endpoint says of it."""

    batch: Batch
    info: BatchInfo | None = None
    problem: str = ""
    """Why there is no info of a batch that is open; empty otherwise."""
    unknown: bool = False
    """Whether the endpoint says that there is no such batch."""

    def spec(self) -> dict[str, Json]:
        """Return both as plain values."""
        counts = self.info.counts if self.info else None
        return {
            "id": self.batch.posted_id,
            "state": self.batch.state.value,
            "stage": self.batch.stage.value,
            "model": self.batch.settings.model,
            "requests": self.batch.requests,
            "planned_at": self.batch.planned_at.isoformat(timespec="seconds"),
            "at_endpoint": self.info.status.value if self.info else None,
            "succeeded": counts.succeeded if counts else None,
            "errored": counts.errored if counts else None,
            "canceled": counts.canceled if counts else None,
            "expired": counts.expired if counts else None,
            "problem": self.problem or None,
        }


async def look(directory: Path) -> list[Seen]:
    """Return all batches of a run; the open ones as the endpoint describes them.

    Works while another process writes the run.

    Raises:
        RunError: there is no run.
    """
    with Ledger.read(directory) as ledger:
        batches = ledger.batches.all()
    async with _Endpoints() as endpoints:
        return [await endpoints.see(batch) for batch in batches]


async def cancel(directory: Path, *, forget: bool) -> list[str]:
    """Cancel the open batches of a run; return what became of each, in words.

    What is done by then is billed, and collected by the run's own command.

    Args:
        directory: The run directory.
        forget: Whether to give up batches that the endpoint does not know, so that
            their requests can be bought again.

    Raises:
        RunError: there is no run, or a process waits for its batches.
    """
    with Ledger.read(directory) as ledger:
        if writer := ledger.writer():
            raise RunError(
                f"process {writer} is waiting for the batches of {directory} and would "
                "buy them again: stop it first with Ctrl-C"
            )
    with Ledger.write(directory) as ledger:
        async with _Endpoints() as endpoints:
            return [
                await endpoints.cancel(batch, ledger, forget=forget)
                for batch in ledger.batches.open()
            ]


def in_words(seen: list[Seen]) -> Iterator[str]:
    """Put each batch into one line."""
    for each in seen:
        batch, info = each.batch, each.info
        line = (
            f"{batch.posted_id or '(no id yet)'}  {batch.stage}  "
            f"{batch.requests:,} requests  {batch.state}"
        )
        if info is not None:
            counts = info.counts
            line += (
                f"  {info.status}: {counts.succeeded:,} succeeded, "
                f"{counts.errored:,} errored, {counts.canceled:,} canceled, "
                f"{counts.expired:,} expired"
            )
        yield f"{line}  ({each.problem})" if each.problem else line


class _Endpoints:
    """The endpoints of some batches, opened when they are needed."""

    def __init__(self) -> None:
        self._models: dict[str, BatchModel] = {}
        self._closing = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._closing.aclose()

    async def see(self, batch: Batch) -> Seen:
        """Look a batch up, if it is open."""
        if batch.state not in OPEN:
            return Seen(batch=batch)
        if batch.posted_id is None:
            return Seen(batch=batch, problem="posted or not: its command finds out")
        try:
            model = self._model(batch)
            return Seen(batch=batch, info=await model.batch(batch.posted_id))
        except ModelError as error:
            unknown = error.kind is ErrorKind.NOT_FOUND
            return Seen(batch=batch, problem=str(error), unknown=unknown)
        except RunError as error:
            return Seen(batch=batch, problem=str(error))

    async def cancel(self, batch: Batch, ledger: Ledger, *, forget: bool) -> str:
        """Cancel an open batch, or give it up; say which."""
        seen = await self.see(batch)
        name = f"{batch.posted_id or '(no id yet)'}, {batch.requests:,} requests"
        if seen.info is None:
            if forget and (seen.unknown or batch.posted_id is None):
                ledger.batches.end(batch, BatchState.ABANDONED)
                return f"{name}: given up; it may have cost up to ${batch.cost:.2f}"
            return f"{name}: not cancelled: {seen.problem}"
        try:
            after = await self._model(batch).cancel(seen.info.id)
        except ModelError as error:
            return f"{name}: not cancelled: {error}"
        return f"{name}: {after.status}"

    def _model(self, batch: Batch) -> BatchModel:
        name = batch.settings.model
        if name not in self._models:
            opened = open_model(name, timeout=TIMEOUT)
            if close := getattr(opened, "aclose", None):
                self._closing.push_async_callback(close)
            if not isinstance(opened, BatchModel):
                raise RunError(f"the endpoint of {name} takes no message batches")
            self._models[name] = opened
        model = self._models[name]
        if endpoint_of(model) != batch.endpoint:
            raise RunError(f"posted to {batch.endpoint}: set ANTHROPIC_BASE_URL to it")
        return model
