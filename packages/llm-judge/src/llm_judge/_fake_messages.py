"""The calls for messages of a fake endpoint: checked, delayed, spoilt or answered."""

import asyncio
import hashlib
import json
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any

from llm_judge._fake_counts import Tally
from llm_judge._fake_errors import FakeError
from llm_judge._fake_faults import Fault, FaultPlan, Latency
from llm_judge._fake_http import HttpReply, HttpRequest
from llm_judge._fake_replies import FakeModel, FakeReply, FakeRequest

__all__ = ["FakeMessages", "json_object", "json_reply"]

_FAILURES = {
    Fault.RATE_LIMITED_BARE: (429, "too many requests"),
    Fault.OVERLOADED: (529, "Overloaded"),
    Fault.SERVER_ERROR: (500, "Internal server error"),
    Fault.UNAUTHORIZED: (401, "invalid key"),
    Fault.NO_CREDIT: (402, "Your credit balance is too low"),
    Fault.FORBIDDEN: (403, "this key may not use this model"),
    Fault.UNKNOWN_MODEL: (404, "model: this one was made unknown"),
    Fault.INVALID: (400, "messages: this request was made to fail"),
    Fault.TOO_LARGE: (413, "Request exceeds the maximum size"),
}
_TAKES_TEMPERATURE = "2023-06-01"
"""The version of the API under which models take a temperature."""


class FakeMessages:
    """Answers requests for messages; see `FakeMessagesAPI` for the arguments."""

    def __init__(
        self,
        *,
        reply: Callable[[FakeRequest], str | FakeReply],
        faults: FaultPlan,
        latency: Latency,
        models: Sequence[FakeModel],
        tally: Tally,
        keep_bodies: int,
    ) -> None:
        self._reply = reply
        self._faults = faults
        self._latency = latency
        self._models = {model.id: model for model in models}
        self._tally = tally
        self.bodies: deque[dict[str, Any]] = deque(maxlen=keep_bodies)
        self._arrivals = 0
        self._repeats: Counter[str] = Counter()
        self._faulted: Counter[str] = Counter()

    async def call(self, request: HttpRequest) -> HttpReply | None:
        """Answer one call, or spoil it; None breaks the connection."""
        params = json_object(request.body)
        self.bodies.append(params)
        body = hashlib.sha256(request.body).hexdigest()
        repeat = self._repeats[body]
        fault = self._faults.choose(self._arrivals, body, repeat, self._faulted[body])
        self._arrivals += 1
        self._repeats[body] += 1
        if fault is not None:
            self._faulted[body] += 1
            self._tally.fault(fault)
        await asyncio.sleep(self._latency.seconds(body, repeat))
        version = request.headers.get("anthropic-version", "")
        match fault:
            case None:
                return json_reply(self.message(params, version, repeat))
            case Fault.CUT_SHORT:
                message = self.message(params, version, repeat)
                return json_reply(message, cut=True)
            case Fault.TRUNCATED | Fault.REFUSED:
                return json_reply(self.message(params, version, repeat, fault))
        return await self._spoil(fault)

    def message(
        self,
        params: dict[str, Any],
        version: str = _TAKES_TEMPERATURE,
        repeat: int = 0,
        fault: Fault | None = None,
    ) -> dict[str, Any]:
        """Return the message for these parameters, and count it as bought.

        Raises:
            FakeError: The parameters are not taken.
        """
        self._check(params, version)
        request = FakeRequest(params, repeat)
        try:
            reply = self._reply(request)
        except Exception as error:
            msg = f"the reply function raised {type(error).__name__}: {error}"
            raise FakeError(500, msg) from error
        if isinstance(reply, str):
            reply = FakeReply(text=reply)
        if fault is Fault.REFUSED:
            reply = FakeReply(stop_reason="refusal")
        elif fault is Fault.TRUNCATED:
            half = reply.text[: len(reply.text) // 2]
            reply = FakeReply(text=half, stop_reason="max_tokens")
        message = reply.to_body(request)
        self._tally.buy(message)
        return message

    def count(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return the tokens of a prompt."""
        self._check({"max_tokens": 1, **params}, _TAKES_TEMPERATURE)
        return {"input_tokens": FakeRequest(params).input_tokens}

    def model(self, name: object) -> FakeModel:
        """Return a model.

        Raises:
            FakeError: There is none of this name.
        """
        if name not in self._models:
            raise FakeError(404, f"model: {name}")
        return self._models[str(name)]

    def models(self) -> list[dict[str, Any]]:
        """Describe all models."""
        return [model.to_body() for model in self._models.values()]

    async def _spoil(self, fault: Fault) -> HttpReply | None:
        match fault:
            case Fault.DROPPED:
                return None
            case Fault.HANG:
                await asyncio.Event().wait()
            case Fault.HTML:
                page = b"<!doctype html><title>Sign in</title>"
                return HttpReply(status=200, body=page, content_type="text/html")
            case Fault.WRONG_JSON:
                return json_reply({"message": "hello"})
            case Fault.RATE_LIMITED:
                pause = self._faults.retry_after
                raise FakeError(429, "too many requests", retry_after=pause)
        raise FakeError(*_FAILURES[fault])

    def _check(self, params: dict[str, Any], version: str) -> None:
        model = self.model(params.get("model"))
        limit = params.get("max_tokens")
        if not isinstance(limit, int) or limit < 1:
            raise FakeError(400, "max_tokens: a whole number above 0 is required")
        if not params.get("messages"):
            raise FakeError(400, "messages: at least one message is required")
        if params.get("stream"):
            raise FakeError(400, "stream: this endpoint does not stream")
        if "temperature" in params:
            if not model.takes_temperature or version != _TAKES_TEMPERATURE:
                raise FakeError(400, "temperature: this model does not take it")
            if not 0 <= params["temperature"] <= 1:
                raise FakeError(400, "temperature: must be between 0 and 1")
        if "output_config" in params and not model.takes_schema:
            raise FakeError(400, "output_config: this model does not take it")


def json_reply(value: object, *, cut: bool = False) -> HttpReply:
    """Return a successful reply."""
    return HttpReply(status=200, body=json.dumps(value).encode("utf-8"), cut=cut)


def json_object(body: bytes) -> dict[str, Any]:
    """Read the body of a request.

    Raises:
        FakeError: It is no JSON object.
    """
    try:
        value = json.loads(body)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise FakeError(400, "the body must be a JSON object")
    return value
