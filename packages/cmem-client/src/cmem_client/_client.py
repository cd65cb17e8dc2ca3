"""The synchronous face: the same methods as `AsyncClient`, without `await`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
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


class Client(Face):
    """A client of one claude-mem worker.

    It keeps its connections open between calls: use it in a `with` block, or `close`
    it.  Threads may share it.  It repeats no request by itself; the `safe_to_repeat`
    of an error says whether the caller may.

    Every method may raise a `CmemError` and, for arguments that no worker could
    accept, `ValueError`.

    Args:
        address: `host:port`, a URL, or what `resolve` returned.  Without one the
            worker is looked for as `resolve` says, which may take two seconds.
        token: The auth token, if the worker wants one; see `resolve`.
        timeout: Seconds for one request, from its start to the end of its body.
        budget: Seconds for all requests together, from now on; None for no limit.
        max_reply_bytes: The largest reply that is read to its end.
        transport: What carries the requests instead of the network.
        clock: Seconds that only grow; latencies are differences of it.
        sleep: Waits between polls.

    Example:
        >>> from cmem_client.testing import FakeWorker
        >>> with Client("localhost:37777", transport=FakeWorker().transport()) as mem:
        ...     mem.health().status
        'ok'
    """

    def __init__(
        self,
        address: str | Connection | None = None,
        *,
        token: str | None = None,
        timeout: float = 60.0,
        budget: float | None = None,
        max_reply_bytes: int = MAX_REPLY_BYTES,
        transport: httpx.BaseTransport | None = None,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
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
        self._http = httpx.Client(
            **configuration(self._connection, timeout), transport=transport
        )

    def health(self) -> Health:
        """Ask whether the worker lives, and which one it is."""
        return self._run(endpoints.health())

    def vector_index(self) -> VectorIndex:
        """Ask which engine serves searches; `RouteMissing` on old workers."""
        return self._run(endpoints.vector_index())

    def features(self) -> Features:
        """Find out which optional routes this worker has, by asking for them."""
        return self._run(endpoints.features())

    def init_session(
        self, content_session_id: str, project: str, prompt: str
    ) -> InitReceipt:
        """Open a session in a project with its first prompt.

        Check `skipped`: a worker may refuse a prompt with a success.
        """
        return self._run(endpoints.init_session(content_session_id, project, prompt))

    def queue_observation(
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
        """Post a tool call for compression into observations.

        Check `queued`: a worker may skip it with a success.  Where the worker knows
        `tool_use_id`, an observation posted twice is taken once.  The id is derived
        from the content unless given.  It is used up even when compression came to
        nothing, so posting a dropped observation again needs a higher `attempt`.
        """
        return self._run(
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

    def complete_session(self, content_session_id: str) -> CompleteReceipt:
        """Close a session; `RouteMissing` on recent workers.

        What is still queued for the session is lost: close it only after a wait.
        """
        return self._run(endpoints.complete_session(content_session_id))

    def session_status(self, content_session_id: str) -> SessionStatus:
        """Ask how much of one session is queued; `RouteMissing` on many workers."""
        return self._run(endpoints.session_status(content_session_id))

    def processing_status(self) -> ProcessingStatus:
        """Ask how much is queued over all sessions; idle does not mean stored."""
        return self._run(endpoints.processing_status())

    def cooldown(self) -> Cooldown | None:
        """Read the last cooldown of the model's quota in the log, over or not."""
        return self._run(cooldown())

    def wait_for_processing(
        self,
        project: str,
        sessions: Iterable[str],
        *,
        timeout: float = 180.0,
        stall: float = 120.0,
        poll: float = 2.0,
        observations: int = 1,
        searchable: bool = False,
    ) -> WaitReport:
        """Wait until the rows of these sessions have arrived.

        An idle queue ends no wait: workers drop what their model makes nothing of.

        Args:
            project: The project of the sessions.
            sessions: Their `content_session_id`s.
            timeout: Seconds in all.
            stall: Seconds without any change after which a queue counts as stuck; more
                than one model call takes with its retries.
            poll: Seconds between looks.
            observations: How many observations were queued for each session, in all.
            searchable: Wait also until search finds each session's newest row, where
                the worker searches by vectors: its index lags behind by minutes.

        Raises:
            WaitExpired: A limit was reached; its report says what is missing and which
                known state of the worker that looks like.
        """
        limits = Limits(
            timeout=timeout, stall=stall, poll=poll, observations=observations
        )
        return self._run(
            wait_for_processing(
                project,
                tuple(sessions),
                limits,
                searchable=searchable,
                clock=self._clock,
            )
        )

    def search(self, query: str, project: str, limit: int = 10) -> SearchResult:
        """Search one project, best first; the result carries `latency_ms`."""
        return self._run(endpoints.search(query, project, limit))

    def list_observations(self, project: str) -> tuple[Observation, ...]:
        """List all rows of a project, newest first."""
        return self._run(listing.list_observations(project))

    def observations_by_session(
        self, project: str
    ) -> dict[str | None, tuple[Observation, ...]]:
        """Group a project's rows by `content_session_id`; None if not known."""
        return self._run(listing.observations_by_session(project))

    def count_observations(self, project: str | None = None) -> int:
        """Count the rows of a project, or of the whole store without one."""
        return self._run(listing.count_observations(project))

    def projects(self) -> tuple[str, ...]:
        """List the projects; one appears with its first session, before any row."""
        return self._run(endpoints.projects())

    def session_context(self, project: str) -> str:
        """Read the text that a new session of a project would be given.

        Workers from 13.15 on name their mode in it, once the project has rows.
        """
        return self._run(endpoints.session_context(project))

    def save_memory(
        self, text: str, project: str, *, title: str | None = None
    ) -> MemoryReceipt:
        """Store a text as one observation, without a model.

        Some old workers answer 500 although they stored it: count before repeating.
        """
        return self._run(endpoints.save_memory(text, project, title=title))

    def import_records(
        self,
        sessions: Sequence[SessionRecord],
        observations: Sequence[ObservationRecord],
    ) -> ImportReceipt:
        """Store rows as they are, with their own dates, without a model.

        Sessions go first, since observations refer to them.  Large imports travel in
        several requests.  An import that failed half-way keeps what came before; it
        may be repeated as a whole, since the worker recognises rows it has.
        """
        return self._run(records.import_records(sessions, observations))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, flow: Flow[T]) -> T:
        steps = endpoints.explained(flow)
        try:
            request = next(steps)
            while True:
                try:
                    reply = self._send(request)
                except CmemError as error:
                    request = steps.throw(error)
                else:
                    request = steps.send(reply)
        except StopIteration as end:
            result: T = end.value
            return result

    def _send(self, request: Request) -> Reply:
        if request.after_s > 0:
            self._sleep(request.after_s)
        seconds = self._time_for(request)
        values = arguments(request, seconds)
        intake = self._intake(request, seconds)
        with (
            translated_errors(request, self._connection),
            self._http.stream(**values) as response,
        ):
            for chunk in response.iter_bytes():
                if not intake.take(chunk, is_error=response.is_error):
                    break
            return intake.reply(response)
