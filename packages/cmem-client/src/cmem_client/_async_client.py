"""The asynchronous face: the same methods as `Client`, awaited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from types import TracebackType
from typing import Self, TypeVar

import httpx
from pydantic import JsonValue

from . import _endpoints as endpoints
from . import _listing as listing
from . import _records as records
from ._connection import Connection
from ._errors import CmemError
from ._face import Face
from ._models import (
    CompleteReceipt,
    Features,
    Health,
    InitReceipt,
    MemoryReceipt,
    Observation,
    ProcessingStatus,
    QueueReceipt,
    SearchResult,
    SessionStatus,
    VectorIndex,
)
from ._records import ImportReceipt, ObservationRecord, SessionRecord
from ._transport import (
    MAX_REPLY_BYTES,
    arguments,
    configuration,
    translated_errors,
)
from ._waiting import Cooldown, Limits, WaitReport
from ._watch import cooldown, wait_for_processing
from ._wire import Flow, Reply, Request

T = TypeVar("T")


class AsyncClient(Face):
    """The asynchronous face of `Client`: the same arguments and methods, awaited.

    Without an address the constructor looks for the worker with blocking calls of at
    most two seconds; call `resolve` elsewhere beforehand if that matters.
    """

    def __init__(
        self,
        address: str | Connection | None = None,
        *,
        token: str | None = None,
        timeout: float = 60.0,
        budget: float | None = None,
        max_reply_bytes: int = MAX_REPLY_BYTES,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__(
            address,
            token=token,
            timeout=timeout,
            budget=budget,
            max_reply_bytes=max_reply_bytes,
            clock=clock,
        )
        self._sleep = sleep
        self._http = httpx.AsyncClient(
            **configuration(self._connection, timeout), transport=transport
        )

    async def health(self) -> Health:
        """Await what `Client.health` returns."""
        return await self._run(endpoints.health())

    async def vector_index(self) -> VectorIndex:
        """Await what `Client.vector_index` returns."""
        return await self._run(endpoints.vector_index())

    async def features(self) -> Features:
        """Await what `Client.features` returns."""
        return await self._run(endpoints.features())

    async def init_session(
        self, content_session_id: str, project: str, prompt: str
    ) -> InitReceipt:
        """Await what `Client.init_session` returns."""
        return await self._run(
            endpoints.init_session(content_session_id, project, prompt)
        )

    async def queue_observation(
        self,
        content_session_id: str,
        tool_name: str,
        tool_input: JsonValue,
        tool_response: JsonValue,
        *,
        cwd: str | None = None,
        tool_use_id: str | None = None,
        attempt: int = 1,
    ) -> QueueReceipt:
        """Await what `Client.queue_observation` returns."""
        return await self._run(
            endpoints.queue_observation(
                content_session_id,
                tool_name,
                tool_input,
                tool_response,
                cwd=cwd,
                tool_use_id=tool_use_id,
                attempt=attempt,
            )
        )

    async def complete_session(self, content_session_id: str) -> CompleteReceipt:
        """Await what `Client.complete_session` returns."""
        return await self._run(endpoints.complete_session(content_session_id))

    async def session_status(self, content_session_id: str) -> SessionStatus:
        """Await what `Client.session_status` returns."""
        return await self._run(endpoints.session_status(content_session_id))

    async def processing_status(self) -> ProcessingStatus:
        """Await what `Client.processing_status` returns."""
        return await self._run(endpoints.processing_status())

    async def cooldown(self) -> Cooldown | None:
        """Await what `Client.cooldown` returns."""
        return await self._run(cooldown())

    async def wait_for_processing(
        self,
        project: str,
        sessions: Iterable[str],
        *,
        timeout: float = 180.0,  # noqa: ASYNC109 - expiry must say what is missing
        stall: float = 120.0,
        poll: float = 2.0,
        observations: int = 1,
        searchable: bool = False,
    ) -> WaitReport:
        """Await what `Client.wait_for_processing` returns."""
        limits = Limits(
            timeout=timeout, stall=stall, poll=poll, observations=observations
        )
        return await self._run(
            wait_for_processing(
                project,
                tuple(sessions),
                limits,
                searchable=searchable,
                clock=self._clock,
            )
        )

    async def search(self, query: str, project: str, limit: int = 10) -> SearchResult:
        """Await what `Client.search` returns."""
        return await self._run(endpoints.search(query, project, limit))

    async def list_observations(self, project: str) -> tuple[Observation, ...]:
        """Await what `Client.list_observations` returns."""
        return await self._run(listing.list_observations(project))

    async def observations_by_session(
        self, project: str
    ) -> dict[str | None, tuple[Observation, ...]]:
        """Await what `Client.observations_by_session` returns."""
        return await self._run(listing.observations_by_session(project))

    async def count_observations(self, project: str | None = None) -> int:
        """Await what `Client.count_observations` returns."""
        return await self._run(listing.count_observations(project))

    async def projects(self) -> tuple[str, ...]:
        """Await what `Client.projects` returns."""
        return await self._run(endpoints.projects())

    async def session_context(self, project: str) -> str:
        """Await what `Client.session_context` returns."""
        return await self._run(endpoints.session_context(project))

    async def save_memory(
        self, text: str, project: str, *, title: str | None = None
    ) -> MemoryReceipt:
        """Await what `Client.save_memory` returns."""
        return await self._run(endpoints.save_memory(text, project, title=title))

    async def import_records(
        self,
        sessions: Sequence[SessionRecord],
        observations: Sequence[ObservationRecord],
    ) -> ImportReceipt:
        """Await what `Client.import_records` returns."""
        return await self._run(records.import_records(sessions, observations))

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _run(self, flow: Flow[T]) -> T:
        steps = endpoints.explained(flow)
        try:
            request = next(steps)
            while True:
                try:
                    reply = await self._send(request)
                except CmemError as error:
                    request = steps.throw(error)
                else:
                    request = steps.send(reply)
        except StopIteration as end:
            result: T = end.value
            return result

    async def _send(self, request: Request) -> Reply:
        if request.after_s > 0:
            await self._sleep(request.after_s)
        seconds = self._time_for(request)
        values = arguments(request, seconds)
        intake = self._intake(request, seconds)
        with translated_errors(request, self._connection):
            async with self._http.stream(**values) as response:
                async for chunk in response.aiter_bytes():
                    if not intake.take(chunk, is_error=response.is_error):
                        break
                return intake.reply(response)
