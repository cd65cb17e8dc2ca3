"""Model calls in message batches: half the price, within a day instead of at once.

What keeps a batch from being lost or bought twice is the order of things:

1. it is planned: its requests, their number and the digest of their ids are durable;
2. it is posted, and the endpoint's id is durable before anybody asks for it;
3. it is collected once it has ended: each result becomes an attempt, as live.

A command that is started again finds batches of state 1 by the rule of `adoption`, and
collects those of state 2; a request in an open batch is never part of another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

from llm_judge.anthropic import BatchRequest, BatchStatus, ErrorKind, ModelError

from locomo_run.batches.adoption import Adoption, BatchModel, total
from locomo_run.batches.jobs import Lot, Todo
from locomo_run.batches.ledger import Batch, BatchState, custom_id, ids_digest, key_of
from locomo_run.batches.results import attempt_of, endpoint_of, worth_another
from locomo_run.calls.desk import Desk, traffic
from locomo_run.calls.lane import Stopped
from locomo_run.calls.models import ask
from locomo_run.calls.patience import Patience
from locomo_run.errors import RunError, UsageError
from locomo_run.ledger.entry import Attempt, Request, Status
from locomo_run.replies import with_more

PERHAPS_TAKEN = frozenset(
    (ErrorKind.SERVER, ErrorKind.CONNECTION, ErrorKind.TIMEOUT, ErrorKind.BAD_REPLY)
)
"""Failures of a post after which the batch may exist all the same."""


async def buy(lot: Lot, desk: Desk) -> None:
    """Bring the ledger to the point where every job of a lot has an entry.

    Ends quietly when the run is stopped; batches in flight go on at the endpoint.

    Raises:
        RunError: the endpoint takes no batches, or cannot be asked for them.
    """
    batches = desk.ledger.batches
    todo = Todo(
        lot,
        desk.ledger,
        batches.expected(),
        unusable=desk.models.limits.unusable,
        retry_failed=desk.options.retry_failed,
    )
    if not todo and not batches.open(lot.purpose):
        return
    model = desk.model(lot.settings.model)
    if not isinstance(model, BatchModel):
        raise UsageError(
            f"--batch: the endpoint of {lot.settings.model} takes no message batches"
        )
    with suppress(Stopped):
        await _Buyer(lot, todo, desk, model).buy()


class _Buyer:
    """Buys one lot: posts what is missing, waits, and collects."""

    def __init__(self, lot: Lot, todo: Todo, desk: Desk, model: BatchModel) -> None:
        self._lot = lot
        self._todo = todo
        self._desk = desk
        self._model = model
        self._ledger = desk.ledger
        self._batches = desk.ledger.batches
        self._endpoint = endpoint_of(model)
        self._adoption = Adoption(model, self._batches, desk.models.clock)
        self._withheld: tuple[str, ...] | None = None
        """What the endpoint refuses; None before it has been asked anything."""
        lane = desk.models
        self._patience = Patience(lane.limits.minutes, lane.clock, lane.pause)

    async def buy(self) -> None:
        while True:
            self._desk.stop.check()
            await self._post_what_fits()
            waiting = self._open()
            self._tell(waiting)
            if not waiting and not self._todo:
                return
            if not any([await self._advance(batch) for batch in waiting]):
                await self._desk.models.pause(self._desk.options.batch_poll)

    # posting

    async def _post_what_fits(self) -> None:
        if self._todo and self._withheld is None:
            (key,) = self._todo.first(1)
            if not self._affordable(self._todo[key].cost) and self._open():
                return
            await self._ask_one()
        while self._todo:
            chunk, cost = self._take()
            if not chunk or not await self._post(chunk, cost):
                return

    async def _ask_one(self) -> None:
        """Make one call live: what is wrong with all of them shows at once.

        Its latency is left out, since one figure says nothing of those in batches.
        """
        (key,) = self._todo.first(1)
        self._todo.take(1)
        job, lot = self._todo[key], self._lot
        complete = self._desk.model(lot.settings.model)
        asked = False

        async def call() -> Attempt:
            nonlocal asked
            asked = True
            completion, _ = await ask(complete, job.prompt, lot.settings)
            self._withheld = completion.withheld
            return with_more(lot.read(completion, None), lot.about(job.request))

        entry = await self._desk.models.obtain(job.request, call, job.cost)
        self._withheld = self._withheld or ()
        if asked:
            self._todo.tried(key, entry, hopeless=True)
        else:  # live calls do not repeat it over several commands
            self._todo.sort(key, entry)

    def _affordable(self, cost: float) -> bool:
        refusal = self._desk.purse.reserve(cost)
        if refusal is None:
            self._desk.purse.release(cost)
        return refusal is None

    def _take(self) -> tuple[list[str], float]:
        """Take the requests of the next batch, and put its money aside.

        Where the money is not enough for all of them, the batches in flight come first:
        they cost less than was put aside.
        """
        purse = self._desk.purse
        keys = self._todo.first(self._desk.options.batch_size)
        cost = 0.0
        for count, key in enumerate(keys):
            each = self._todo[key].cost * purse.prices.batch
            if refusal := purse.reserve(each):
                if self._open():
                    purse.release(cost)
                    return [], 0.0
                if not count:
                    self._desk.stop.set(refusal)
                    raise Stopped
                keys = keys[:count]
                break
            cost += each
        self._todo.take(len(keys))
        return keys, cost

    async def _post(self, keys: Sequence[str], cost: float) -> bool:
        """Post a batch; tell whether the endpoint has taken it."""
        ours = uuid4().hex[:16]
        jobs = {key: self._todo[key] for key in keys}
        requests = [
            BatchRequest(custom_id(ours, key), job.prompt) for key, job in jobs.items()
        ]
        batch = Batch(
            id=ours,
            stage=self._lot.stage,
            purpose=self._lot.purpose,
            settings=self._lot.settings,
            endpoint=self._endpoint,
            requests=len(requests),
            ids_digest=ids_digest([request.custom_id for request in requests]),
            cost=cost,
            withheld=self._withheld or (),
            planned_at=datetime.now(UTC),
        )
        self._batches.plan(batch, {key: job.request for key, job in jobs.items()})
        try:
            info = await self._model.create_batch(requests, self._lot.settings)
        except ModelError as error:
            if error.kind not in PERHAPS_TAKEN:
                self._abandon(batch)
            if error.kind is ErrorKind.NOT_FOUND:
                raise RunError(
                    f"{self._endpoint} takes no message batches: leave --batch away"
                ) from error
            await self._patience.bear(error)
            return False
        except ValueError as error:
            self._abandon(batch)
            raise RunError(f"{error}; try a smaller --batch-size") from error
        self._batches.post(batch, info.id, info.withheld)
        self._patience.renew()
        return True

    # waiting and collecting

    def _open(self) -> list[Batch]:
        return self._batches.open(self._lot.purpose)

    async def _advance(self, batch: Batch) -> bool:
        """Bring a batch one step further; tell whether that was possible."""
        self._desk.stop.check()
        if batch.endpoint != self._endpoint:
            raise UsageError(
                f"a batch of {batch.requests:,} requests was posted to "
                f"{batch.endpoint}, and models are asked at {self._endpoint} now: set "
                "ANTHROPIC_BASE_URL as it was"
            )
        try:
            if batch.posted_id is None:
                moved = await self._settle(batch)
            else:
                moved = await self._collect(batch, batch.posted_id)
        except ModelError as error:
            if batch.posted_id and error.kind is ErrorKind.NOT_FOUND:
                raise _unknown(batch) from error
            await self._patience.bear(error)
            return False
        self._patience.renew()
        return moved

    async def _settle(self, batch: Batch) -> bool:
        decided, found = await self._adoption.find(batch)
        if found is not None:
            self._batches.post(batch, found)
        elif decided:
            self._abandon(batch)
        return decided

    async def _collect(self, batch: Batch, posted_id: str) -> bool:
        info = await self._model.batch(posted_id)
        if info.status is not BatchStatus.ENDED:
            return False
        missing = self._batches.outstanding(batch)
        rows = 0
        async for row in self._model.results(posted_id, withheld=batch.withheld):
            rows += 1
            key = key_of(batch.id, row.custom_id)
            if key is not None and (request := missing.pop(key, None)) is not None:
                attempt = attempt_of(row, self._lot.read)
                if row.completion is not None:
                    attempt = with_more(attempt, self._lot.about(request))
                self._store(batch, request, attempt, hopeless=not worth_another(row))
                if row.error is not None and row.error.fatal:
                    self._desk.stop.set(RunError(f"message batches: {row.error}"))
        if rows < total(info):
            raise ModelError(
                ErrorKind.BAD_REPLY,
                f"batch {posted_id} gave {rows:,} of its {total(info):,} results",
            )
        for request in missing.values():
            lost = Attempt(status=Status.INFRA_ERROR, reason="not among the results")
            self._store(batch, request, lost, hopeless=False)
        self._end(batch, BatchState.COLLECTED)
        return True

    def _store(
        self, batch: Batch, request: Request, attempt: Attempt, *, hopeless: bool
    ) -> None:
        entry = self._ledger.append(request, attempt, batch=batch.id)
        self._desk.purse.pay(attempt)
        self._todo.tried(request.key, entry, hopeless=hopeless)

    def _abandon(self, batch: Batch) -> None:
        """Take back a batch that does not exist."""
        missing = self._batches.outstanding(batch)
        self._end(batch, BatchState.ABANDONED)
        for key, request in missing.items():
            self._todo.sort(key, self._ledger.entry(request))

    def _end(self, batch: Batch, state: BatchState) -> None:
        self._batches.end(batch, state)
        self._desk.purse.release(batch.cost)

    def _tell(self, waiting: Sequence[Batch]) -> None:
        self._desk.observe(
            replace(
                traffic(self._desk),
                batches=len(waiting),
                batched=sum(batch.requests for batch in waiting),
            )
        )


def _unknown(batch: Batch) -> RunError:
    return RunError(
        f"batch {batch.posted_id} ({batch.requests:,} requests) is not known at "
        f"{batch.endpoint}: use a key of the workspace that bought it; results are "
        "kept there for 29 days. `locomo-run batch cancel RUN --forget` gives it up, "
        "and its requests are bought again"
    )
