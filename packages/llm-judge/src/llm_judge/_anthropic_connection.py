"""The one place that talks through the SDK: requests out, JSON or an error back."""

import asyncio
import importlib.util
import ipaddress
import json
import os
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from pydantic import JsonValue

from llm_judge._anthropic_errors import Translator
from llm_judge._model_error import ErrorKind, ModelError

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

__all__ = ["Connection"]

API_VERSION = "2023-06-01"
"""Sent with every request: newer versions refuse temperature."""

_DEFAULT_BASE_URL = "https://api.anthropic.com"


class Connection:
    """Requests to one endpoint with one key; opened by the first of them."""

    def __init__(
        self,
        *,
        api_key: str | None,
        auth_token: str | None,
        base_url: str | None,
        timeout: float,
    ) -> None:
        if importlib.util.find_spec("anthropic") is None:
            msg = "the SDK is not installed: pip install 'llm-judge[anthropic]'"
            raise ImportError(msg)
        self.base_url = _clean_base_url(
            base_url or os.environ.get("ANTHROPIC_BASE_URL") or _DEFAULT_BASE_URL
        )
        self._method, self._secret = _credential(api_key, auth_token)
        self._timeout = timeout
        self.errors = Translator(self._secret, address=self.base_url)
        self._client: AsyncAnthropic | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self) -> "AsyncAnthropic":
        """Return the client of this event loop; the first one costs the SDK's import.

        Raises:
            ModelError: The proxy settings are of no use.
        """
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = self._new_client(), loop
        return self._client

    async def send(
        self,
        method: Literal["GET", "POST"],
        path: str,
        *,
        body: Mapping[str, JsonValue] | None = None,
        params: Mapping[str, str] | None = None,
        upload: bool = False,
    ) -> dict[str, Any]:
        """Return the JSON object that the endpoint answers with.

        The time limit holds for the whole, or for each step of an upload.

        Raises:
            ModelError: There was no such answer within the time limit.
        """
        client = self.open()
        options: Any = {"params": params or {}, "follow_redirects": False}
        with self._translated():
            async with asyncio.timeout(None if upload else self._timeout):
                if method == "GET":
                    text = await client.get(path, cast_to=str, options=options)
                else:
                    text = await client.post(
                        path, cast_to=str, body=body, options=options
                    )
        return self._object(text)

    async def lines(self, path: str) -> AsyncIterator[dict[str, Any]]:
        """Yield the JSON objects of a JSONL answer as they arrive.

        The time limit holds for each piece of the answer, not for the whole.

        Raises:
            ModelError: The answer broke off, or is not JSONL.
        """
        client = self.open()
        import anthropic

        options: Any = {"follow_redirects": False}
        with self._translated():
            stream = await client.get(
                path,
                cast_to=object,
                stream=True,
                stream_cls=anthropic.AsyncStream[object],
                options=options,
            )
        try:
            rest = b""
            pieces = stream.response.aiter_bytes()
            while True:
                with self._translated():
                    piece = await anext(pieces, None)
                if piece is None:
                    break
                # split at newlines only: other line ends may stand inside JSON strings
                *whole, rest = (rest + piece).split(b"\n")
                for line in whole:
                    if line.strip():
                        yield self._object(line.decode("utf-8", "replace"))
            if rest.strip():
                yield self._object(rest.decode("utf-8", "replace"))
        finally:
            await stream.close()

    async def aclose(self) -> None:
        """Close the connections of this event loop."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    def _new_client(self) -> "AsyncAnthropic":
        import anthropic

        # one header per kind of credential, whichever the SDK's major would choose
        headers: dict[str, Any] = {"anthropic-version": API_VERSION}
        if self._method == "api_key":
            headers |= {"X-Api-Key": self._secret, "Authorization": anthropic.omit}
        credential: dict[str, Any] = {self._method: self._secret}
        try:
            return anthropic.AsyncAnthropic(
                **credential,
                base_url=self.base_url,
                timeout=self._timeout,
                max_retries=0,
                default_headers=headers,
                http_client=anthropic.DefaultAsyncHttpxClient(
                    **_proxy_options(self.base_url)
                ),
            )
        except Exception as error:  # noqa: BLE001 - whatever is wrong with the proxy
            # the error itself may repeat a proxy's password
            msg = (
                f"cannot set up an HTTP client ({type(error).__name__}); check "
                "HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY (a SOCKS proxy needs "
                "pip install 'httpx2[socks]')"
            )
            raise ModelError(ErrorKind.CONNECTION, msg, retryable=False) from None

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except TimeoutError:
            detail = f"{self.base_url} took more than {self._timeout:g} s"
            raise self.errors.error(ErrorKind.TIMEOUT, detail) from None
        except Exception as error:
            translated = self.errors.upstream(error, time.time())
            if translated is None:
                raise
            raise translated from None  # a cause would print what the message hides

    def _object(self, text: str) -> dict[str, Any]:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            detail = f"expected JSON, got {text!r}"
            raise self.errors.error(ErrorKind.BAD_REPLY, detail) from None
        if not isinstance(value, dict):
            detail = f"expected a JSON object, got {text!r}"
            raise self.errors.error(ErrorKind.BAD_REPLY, detail)
        if value.get("type") == "error":  # some gateways report errors as a success
            raise self.errors.reported(value)
        return value


def _credential(
    api_key: str | None, auth_token: str | None
) -> tuple[Literal["api_key", "auth_token"], str]:
    if api_key is not None and auth_token is not None:
        msg = "give api_key or auth_token, not both"
        raise ValueError(msg)
    if api_key is None and auth_token is None:
        api_key = os.environ.get("ANTHROPIC_API_KEY") or None
        auth_token = os.environ.get("ANTHROPIC_AUTH_TOKEN") or None
    secret = (api_key or auth_token or "").strip()
    if not secret:
        msg = "no key: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN"
        raise ModelError(ErrorKind.AUTHENTICATION, msg)
    if not (secret.isascii() and secret.isprintable()) or " " in secret:
        msg = "the key holds characters that no key has; copy it again"
        raise ModelError(ErrorKind.AUTHENTICATION, msg)
    return ("auth_token", secret) if api_key is None else ("api_key", secret)


def _clean_base_url(base_url: str) -> str:
    try:
        parts = urlsplit(base_url.strip())
        usable = (
            parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        )
    except ValueError:
        usable = False
    if not usable or parts.username or parts.password or parts.query:
        # not repeated: it may hold a password
        msg = "the base URL must look like https://host or http://localhost:8080"
        raise ValueError(msg)
    return parts.geturl().rstrip("/").removesuffix("/v1").rstrip("/")


def _proxy_options(base_url: str) -> dict[str, Any]:
    host = urlsplit(base_url).hostname or ""
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = host == "localhost" or host.endswith(".localhost")
    if not is_loopback:
        return {}
    pattern = f"all://[{host}]" if ":" in host else f"all://{host}"
    # major 1 of the SDK looks for proxies even if told not to trust the environment
    return {"trust_env": False, "mounts": {pattern: None}}
