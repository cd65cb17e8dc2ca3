"""A Messages API on loopback that costs nothing and fails on demand."""

import json
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

from llm_judge._fake_batches import FakeBatches
from llm_judge._fake_counts import FakeCounts, Tally
from llm_judge._fake_errors import FakeError
from llm_judge._fake_faults import FaultPlan, Latency
from llm_judge._fake_http import HttpReply, HttpRequest, LoopbackServer
from llm_judge._fake_messages import FakeMessages, json_object, json_reply
from llm_judge._fake_replies import FakeModel, FakeReply, FakeRequest, default_reply

__all__ = ["FakeMessagesAPI"]

_MODELS = (
    FakeModel(id="claude-opus-4-6"),
    FakeModel(id="claude-sonnet-4-6"),
    FakeModel(id="claude-haiku-4-5"),
)


class FakeMessagesAPI:
    """A real HTTP server that speaks Messages, token counts, models and batches.

    It runs in a thread of this process, on `127.0.0.1` and a free port.
    It checks keys, the version header, models and parameters as the real endpoint does,
    so far as users of this package meet that.

    Args:
        reply: Gives the text or the reply for a request; see `default_reply`.
        faults: Which calls to `/v1/messages` go wrong.
        latency: How long these calls take.
        models: The models that exist; by default three.
        api_key: The only key or token that is right; None takes any.
        only_messages: Leave out token counts, models and batches, as many compatible
            endpoints do.
        batch_polls: Look-ups of a batch that still say in progress; None until
            `end_batch` is called.
        batch_outcome: How the request with this custom id ends: `succeeded`, `errored`,
            `canceled` or `expired`.
        keep_bodies: How many bodies of calls to keep, the latest ones.

    >>> import urllib.request
    >>> with FakeMessagesAPI() as api:
    ...     request = urllib.request.Request(f"{api.base_url}/v1/models")
    ...     request.add_header("x-api-key", "any")
    ...     request.add_header("anthropic-version", "2023-06-01")
    ...     with urllib.request.urlopen(request) as reply:
    ...         reply.status, api.counts.received
    (200, 1)
    """

    def __init__(
        self,
        reply: Callable[[FakeRequest], str | FakeReply] = default_reply,
        *,
        faults: FaultPlan | None = None,
        latency: Latency | None = None,
        models: Sequence[FakeModel] = _MODELS,
        api_key: str | None = None,
        only_messages: bool = False,
        batch_polls: int | None = 0,
        batch_outcome: Callable[[str], str] = lambda _: "succeeded",
        keep_bodies: int = 1000,
    ) -> None:
        self._api_key = api_key
        self._only_messages = only_messages
        self._tally = Tally()
        self._server = LoopbackServer(self._serve)
        self._messages = FakeMessages(
            reply=reply,
            faults=faults or FaultPlan(),
            latency=latency or Latency(),
            models=models,
            tally=self._tally,
            keep_bodies=keep_bodies,
        )
        self._batches = FakeBatches(
            self._messages.message, batch_outcome, batch_polls, lambda: self.base_url
        )

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.stop()

    @property
    def base_url(self) -> str:
        """The address to give to a client."""
        return f"http://127.0.0.1:{self._server.port}"

    @property
    def counts(self) -> FakeCounts:
        """What came in and went out so far."""
        return self._tally.snapshot()

    @property
    def bodies(self) -> tuple[dict[str, Any], ...]:
        """The bodies of the latest calls to `/v1/messages`, in order of arrival."""
        return tuple(self._messages.bodies)

    def end_batch(self, batch_id: str) -> None:
        """Let the next look-up find this batch ended."""
        self._batches.end(batch_id)

    async def _serve(self, request: HttpRequest) -> HttpReply | None:
        self._tally.receive(f"{request.method} {request.path}")
        try:
            reply = await self._answer(request)
        except FakeError as failure:
            reply = _failed(failure)
        finally:
            self._tally.leave()
        if reply is not None and not reply.cut:
            self._tally.complete(reply.status)
        return reply

    async def _answer(self, request: HttpRequest) -> HttpReply | None:
        self._check_headers(request.headers)
        parts = request.path.strip("/").split("/")
        if parts == ["v1", "messages"] and request.method == "POST":
            return await self._messages.call(request)
        if not self._only_messages:
            match parts:
                case "v1", "messages", "batches", *rest:
                    return self._batch(request, rest)
                case "v1", "messages", "count_tokens":
                    return json_reply(self._messages.count(json_object(request.body)))
                case "v1", "models":
                    return json_reply({"data": self._messages.models()})
                case "v1", "models", *name:
                    return json_reply(self._messages.model("/".join(name)).to_body())
        raise FakeError(404, "Not found")

    def _batch(self, request: HttpRequest, rest: list[str]) -> HttpReply:
        match request.method, *rest:
            case ("POST",):
                return json_reply(self._batches.create(json_object(request.body)))
            case ("GET",):
                limit = int(request.query.get("limit", "20"))
                after_id = request.query.get("after_id")
                return json_reply(self._batches.list(limit, after_id))
            case "GET", name:
                return json_reply(self._batches.retrieve(name))
            case "POST", name, "cancel":
                return json_reply(self._batches.cancel(name))
            case "GET", name, "results":
                rows = self._batches.results(name)
                return HttpReply(
                    status=200, body=rows, content_type="application/binary"
                )
        raise FakeError(404, "Not found")

    def _check_headers(self, headers: dict[str, str]) -> None:
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        given = headers.get("x-api-key") or bearer
        if not given or self._api_key not in (None, given):
            raise FakeError(401, "invalid x-api-key")
        if "anthropic-version" not in headers:
            raise FakeError(400, "anthropic-version: header is required")


def _failed(failure: FakeError) -> HttpReply:
    headers = {"request-id": "req_fake"}
    if failure.retry_after is not None:
        headers["retry-after"] = f"{failure.retry_after:g}"
    body = json.dumps(failure.to_body()).encode("utf-8")
    return HttpReply(status=failure.status, body=body, headers=headers)
