"""Whether a batch that was planned exists: the rule by which it is adopted.

A command that is killed after it posted a batch and before it noted the endpoint's id
leaves a batch that may exist or not, and posting it again could buy it twice. The
endpoint's list names batches by id, time and number of requests, and only the results
of a batch that has ended say which requests it holds. So the rule is:

1. Wait for `SETTLING` from the time at which this command met the batch: a post that
   was under way has arrived or is lost by then.
2. List the batches once. Suspects are those with the same number of requests, made
   within `CLOCK_ERROR` of the plan, that the ledger does not know as others. Nobody
   posts the batch any more, so that none can join them later.
3. Wait for each suspect to end, which the endpoint promises within a day, and read its
   results. Custom ids carry the batch's own random id: if those of the results have the
   digest that was planned, the suspect is the batch; otherwise it is somebody else's.
4. Once no suspect is left, the batch does not exist, and its requests are free again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from datetime import timedelta
from typing import Protocol, runtime_checkable

from llm_judge import JudgeSettings
from llm_judge.anthropic import (
    BatchInfo,
    BatchRequest,
    BatchResult,
    BatchStatus,
    ErrorKind,
    ModelError,
)

from locomo_run.batches.ledger import Batch, BatchLedger, ids_digest, key_of

SETTLING = 120.0
"""Seconds after which an endpoint has made a batch of a post that reached it."""

CLOCK_ERROR = timedelta(days=1)
"""How far the clocks of this machine and of the endpoint may be apart."""


@runtime_checkable
class BatchModel(Protocol):
    """A model whose endpoint takes batches, as `llm_judge.anthropic` does."""

    async def create_batch(
        self, requests: Sequence[BatchRequest], settings: JudgeSettings
    ) -> BatchInfo:
        """Post a batch."""
        ...

    async def batch(self, batch_id: str) -> BatchInfo:
        """Look a batch up."""
        ...

    async def list_batches(self) -> list[BatchInfo]:
        """Return all batches of the workspace."""
        ...

    def results(
        self, batch_id: str, *, withheld: Sequence[str] = ()
    ) -> AsyncIterator[BatchResult]:
        """Yield the results of a batch that has ended."""
        ...

    async def cancel(self, batch_id: str) -> BatchInfo:
        """Ask for the end of a batch."""
        ...


def suspects(
    batch: Batch, infos: Iterable[BatchInfo], known: Iterable[str | None]
) -> list[str]:
    """Return the ids of the batches at the endpoint that could be a planned one.

    Args:
        batch: In state planned.
        infos: What the endpoint lists.
        known: Ids that the ledger has for other batches.
    """
    others = set(known)
    return [
        info.id
        for info in infos
        if info.id not in others
        and total(info) == batch.requests
        and abs(info.created_at - batch.planned_at) <= CLOCK_ERROR
    ]


def total(info: BatchInfo) -> int:
    """Return the number of requests of a batch."""
    counts = info.counts
    return (
        counts.processing
        + counts.succeeded
        + counts.errored
        + counts.canceled
        + counts.expired
    )


class Adoption:
    """Applies the rule to the planned batches of a ledger.

    Args:
        model: Where the batches may be.
        batches: Of the ledger.
        clock: Seconds.
    """

    def __init__(
        self,
        model: BatchModel,
        batches: BatchLedger,
        clock: Callable[[], float],
    ) -> None:
        self._model = model
        self._batches = batches
        self._clock = clock
        self._met: dict[str, float] = {}
        self._suspects: dict[str, list[str]] = {}

    async def find(self, batch: Batch) -> tuple[bool, str | None]:
        """Look for a planned batch at the endpoint.

        Returns:
            Whether that is decided, and the batch's id there, None if it does not exist
            or is not decided yet.

        Raises:
            ModelError: the endpoint could not be asked.
        """
        if batch.id not in self._suspects:
            met = self._met.setdefault(batch.id, self._clock())
            if self._clock() - met < SETTLING:
                return False, None
            known = [other.posted_id for other in self._batches.all()]
            infos = await self._model.list_batches()
            self._suspects[batch.id] = suspects(batch, infos, known)
        waiting = self._suspects[batch.id]
        for suspect in list(waiting):
            match await self._is(suspect, batch):
                case True:
                    return True, suspect
                case False:
                    waiting.remove(suspect)
        return not waiting, None

    async def _is(self, suspect: str, batch: Batch) -> bool | None:
        """Tell whether a suspect is the batch; None as long as it has not ended."""
        names = []
        try:
            info = await self._model.batch(suspect)
            if info.status is not BatchStatus.ENDED:
                return None
            async for row in self._model.results(suspect):
                if key_of(batch.id, row.custom_id) is None:
                    return False
                names.append(row.custom_id)
        except ModelError as error:
            if error.kind is ErrorKind.NOT_FOUND:
                return False  # deleted: nothing of it can be collected any more
            raise
        return ids_digest(names) == batch.ids_digest
