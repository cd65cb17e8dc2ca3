"""A model behind the Messages API."""

import re
import time
from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import Self
from urllib.parse import quote

from pydantic import JsonValue

from llm_judge._anthropic_batches import (
    BatchInfo,
    BatchRequest,
    BatchResult,
    BatchStatus,
    check_batch_id,
    check_custom_ids,
    check_size,
    read_batch,
    read_page,
    read_result,
)
from llm_judge._anthropic_connection import Connection
from llm_judge._anthropic_replies import (
    ModelInfo,
    read_completion,
    read_count,
    read_model,
)
from llm_judge._completion import Completion, JudgeSettings
from llm_judge._model_error import ErrorKind, ModelError
from llm_judge._prompt import Prompt

__all__ = ["AnthropicModel"]

_MESSAGES = "/v1/messages"
_BATCHES = "/v1/messages/batches"
_ABSENT = frozenset({404, 405, 501})

_OPTIONAL_FIELDS = {"temperature": "temperature", "reply_schema": "output_config"}
"""What can be left out, and the field of the request that carries it."""

_COUNTED_FIELDS = ("model", "system", "messages")

_REFUSALS = {
    "temperature": ("temperature",),
    "reply_schema": ("output_config", "output_format", "schema"),
}
"""Words of a refusal that name the field."""


class AnthropicModel:
    """A `Complete` over the Messages API of Anthropic, or of anyone who speaks it.

    A call is one attempt: the SDK's own retries are off, so that there is one owner of
    them, the caller or `Retrying`.
    The exception costs nothing: where the endpoint refuses the temperature or the reply
    schema, the request is repeated without it, this model remembers that for the
    model's name, and `Completion.withheld` says so.
    The API version is pinned, so that an SDK upgrade changes no request.
    One instance serves any number of calls at once.
    The first call imports the SDK, which takes seconds; `async with` does it before.
    Proxy settings of the environment hold except for addresses of this machine.

    Args:
        api_key: By default `ANTHROPIC_API_KEY`.
        auth_token: A bearer token instead; by default `ANTHROPIC_AUTH_TOKEN`, if there
            is no key.
        base_url: By default `ANTHROPIC_BASE_URL`, then Anthropic's own address; a `/v1`
            at its end is taken off.
        timeout: Seconds for one attempt.
        schema_output: Ask for a reply in the shape of `Prompt.reply_schema`.

    Raises:
        ModelError: There is no usable key.
        ValueError: Both a key and a token, or an address that is none.
        ImportError: The SDK is not installed.
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        auth_token: str | None = None,
        base_url: str | None = None,
        timeout: float = 120.0,
        schema_output: bool = False,
    ) -> None:
        self._connection = Connection(
            api_key=api_key, auth_token=auth_token, base_url=base_url, timeout=timeout
        )
        self._schema_output = schema_output
        self._refused: set[tuple[str, str]] = set()

    def __repr__(self) -> str:
        return f"AnthropicModel(base_url={self.base_url!r})"

    @property
    def base_url(self) -> str:
        """Where requests go, without `/v1`."""
        return self._connection.base_url

    async def __aenter__(self) -> Self:
        self._connection.open()  # so that the SDK's import delays no call
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections; a later call opens new ones."""
        await self._connection.aclose()

    async def __call__(self, prompt: Prompt, settings: JudgeSettings, /) -> Completion:
        """Send the prompt once and return the reply, whatever its stop reason is.

        Raises:
            ModelError: There is no reply; its `kind` says why.
        """
        self._connection.open()
        while True:
            body, withheld = self._request(prompt, settings)
            started = time.perf_counter()
            try:
                reply = await self._connection.send("POST", _MESSAGES, body=body)
            except ModelError as error:
                if not self._learn(error, settings, body):
                    raise
                continue
            latency_ms = (time.perf_counter() - started) * 1000
            return read_completion(
                reply, self._connection.errors, withheld=withheld, latency_ms=latency_ms
            )

    async def count_tokens(self, prompt: Prompt, settings: JudgeSettings) -> int:
        """Return the input tokens of a prompt, by the endpoint's own count.

        The few tokens that a reply schema adds are not in it.

        Raises:
            ModelError: There is no count; `NOT_FOUND` where there is no counter.
        """
        body, _ = self._request(prompt, settings)
        counted = {name: body[name] for name in _COUNTED_FIELDS if name in body}
        path = f"{_MESSAGES}/count_tokens"
        value = await self._connection.send("POST", path, body=counted)
        return read_count(value, self._connection.errors)

    async def model_info(self, model: str) -> ModelInfo | None:
        """Look a model up; None where the endpoint has no such look-up.

        Raises:
            ModelError: The model is not known (`NOT_FOUND`), or the look-up failed.
        """
        try:
            value = await self._connection.send(
                "GET", f"/v1/models/{quote(model, safe='')}"
            )
        except ModelError as error:
            # "model: NAME" is about the model, ".../models/NAME" about the address
            named = re.search(rf"\bmodel\W+{re.escape(model)}", str(error))
            if error.status in _ABSENT and not named:
                return None
            raise
        return read_model(value, self._connection.errors)

    async def create_batch(
        self, requests: Sequence[BatchRequest], settings: JudgeSettings
    ) -> BatchInfo:
        """Send prompts to be answered within a day, at half the price.

        The endpoint checks parameters only when it works on them.
        One call with the same settings before shows whether it takes the temperature:
        what it refused then is left out here and named in `BatchInfo.withheld`.
        If the answer gets lost the batch may exist all the same: see `list_batches`.

        Raises:
            ValueError: No request or too many, ids malformed or used twice, too large.
            ModelError: The endpoint did not take the batch.
        """
        check_custom_ids(requests)
        rows: list[JsonValue] = []
        left_out: dict[str, None] = {}
        for request in requests:
            params, withheld = self._request(request.prompt, settings)
            rows.append({"custom_id": request.custom_id, "params": params})
            left_out |= dict.fromkeys(withheld)
        check_size(rows)
        value = await self._connection.send(
            "POST", _BATCHES, body={"requests": rows}, upload=True
        )
        return read_batch(value, self._connection.errors, withheld=tuple(left_out))

    async def batch(self, batch_id: str) -> BatchInfo:
        """Look a batch up.

        Raises:
            ValueError: The id is malformed.
            ModelError: There is no such batch, or the look-up failed.
        """
        path = f"{_BATCHES}/{check_batch_id(batch_id)}"
        value = await self._connection.send("GET", path)
        return read_batch(value, self._connection.errors)

    async def list_batches(self) -> list[BatchInfo]:
        """Return all batches of the workspace, the newest first.

        Raises:
            ModelError: A page could not be read.
        """
        batches: list[BatchInfo] = []
        params = {"limit": "100"}
        while True:
            value = await self._connection.send("GET", _BATCHES, params=params)
            page, last = read_page(value, self._connection.errors)
            batches += page
            if last is None or last == params.get("after_id"):
                return batches
            params["after_id"] = last

    async def results(
        self, batch_id: str, *, withheld: Sequence[str] = ()
    ) -> AsyncIterator[BatchResult]:
        """Yield the results of a batch as they arrive, in no particular order.

        Args:
            batch_id: A batch that has ended.
            withheld: What `create_batch` left out, for `Completion.withheld`.

        Raises:
            ValueError: The id is malformed.
            ModelError: The batch has not ended, or the results broke off.
        """
        errors = self._connection.errors
        info = await self.batch(batch_id)
        if info.status is not BatchStatus.ENDED:
            detail = f"batch {info.id} has not ended, it is {info.status}; ask later"
            raise errors.error(ErrorKind.INVALID_REQUEST, detail)
        async for row in self._connection.lines(f"{_BATCHES}/{batch_id}/results"):
            yield read_result(row, errors, withheld=tuple(withheld))

    async def cancel(self, batch_id: str) -> BatchInfo:
        """Ask for the end of a batch; what is done by then is kept and billed.

        Raises:
            ValueError: The id is malformed.
            ModelError: There is no such batch, or it has ended.
        """
        path = f"{_BATCHES}/{check_batch_id(batch_id)}/cancel"
        value = await self._connection.send("POST", path)
        return read_batch(value, self._connection.errors)

    def _request(
        self, prompt: Prompt, settings: JudgeSettings
    ) -> tuple[dict[str, JsonValue], tuple[str, ...]]:
        body: dict[str, JsonValue] = {
            "model": settings.model,
            "max_tokens": settings.max_tokens,
            "messages": [{"role": "user", "content": prompt.user}],
        }
        if prompt.system:
            body["system"] = prompt.system
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if self._schema_output and prompt.reply_schema is not None:
            body["output_config"] = {
                "format": {"type": "json_schema", "schema": prompt.reply_schema}
            }
        withheld = tuple(
            name
            for name, field in _OPTIONAL_FIELDS.items()
            if field in body and (settings.model, name) in self._refused
        )
        for name in withheld:
            del body[_OPTIONAL_FIELDS[name]]
        return body, withheld

    def _learn(
        self, error: ModelError, settings: JudgeSettings, body: dict[str, JsonValue]
    ) -> bool:
        if error.kind is not ErrorKind.INVALID_REQUEST:
            return False
        said = str(error).casefold()
        for name, words in _REFUSALS.items():
            if name == "temperature" and (settings.temperature or 0) > 1:
                continue  # no model takes that: the caller should hear of it
            if _OPTIONAL_FIELDS[name] in body and any(word in said for word in words):
                self._refused.add((settings.model, name))
                return True
        return False
