"""From what the SDK raises and the endpoint says to a `ModelError`."""

import math
import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from llm_judge._model_error import ErrorKind, ModelError

__all__ = ["Translator", "parse_retry_after"]

_SHOWN = 300
"""Characters of the endpoint's own words that a message repeats."""

_SECRETS = re.compile(r"sk-ant-[\w-]+|(?i:bearer)\s+\S+")
_SHORTEST_SECRET = 8  # a shorter one, such as "x" for a local server, is in every text

_OUT_OF_CREDIT = re.compile(r"credit balance|usage limits?", re.IGNORECASE)

# types that are more exact than the status they come with
_EXACT_TYPES = {
    "authentication_error": ErrorKind.AUTHENTICATION,
    "billing_error": ErrorKind.CREDIT,
    "not_found_error": ErrorKind.NOT_FOUND,
    "overloaded_error": ErrorKind.OVERLOADED,
    "permission_error": ErrorKind.PERMISSION,
    "rate_limit_error": ErrorKind.RATE_LIMITED,
    "request_too_large": ErrorKind.TOO_LARGE,
    "timeout_error": ErrorKind.TIMEOUT,
}
_STATUSES = {
    401: ErrorKind.AUTHENTICATION,
    402: ErrorKind.CREDIT,
    403: ErrorKind.PERMISSION,
    404: ErrorKind.NOT_FOUND,
    408: ErrorKind.TIMEOUT,
    409: ErrorKind.SERVER,
    413: ErrorKind.TOO_LARGE,
    429: ErrorKind.RATE_LIMITED,
    504: ErrorKind.TIMEOUT,
    529: ErrorKind.OVERLOADED,
}
_TITLES = {
    ErrorKind.RATE_LIMITED: "rate limited",
    ErrorKind.OVERLOADED: "the endpoint is overloaded",
    ErrorKind.SERVER: "the endpoint failed",
    ErrorKind.CONNECTION: "no connection",
    ErrorKind.TIMEOUT: "no answer in time",
    ErrorKind.BAD_REPLY: "not a reply of the Messages API",
    ErrorKind.AUTHENTICATION: "the key was refused; check ANTHROPIC_API_KEY",
    ErrorKind.PERMISSION: "the key may not do this",
    ErrorKind.NOT_FOUND: "not found; check the model name and ANTHROPIC_BASE_URL",
    ErrorKind.CREDIT: "the credit is used up; top up the account or raise its limit",
    ErrorKind.INVALID_REQUEST: "the request was refused",
    ErrorKind.TOO_LARGE: "the request is too large",
}


class Translator:
    """Makes errors whose messages are short, printable and without the given secrets.

    >>> Translator("secret-key").error(ErrorKind.SERVER, "odd: secret-key").args
    ('the endpoint failed: odd: [secret]',)
    """

    def __init__(self, *secrets: str, address: str = "the endpoint") -> None:
        self._address = address
        self._secrets = [text for text in secrets if len(text) >= _SHORTEST_SECRET]

    def error(
        self,
        kind: ErrorKind,
        detail: str,
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        request_id: str | None = None,
        now: float = 0.0,
    ) -> ModelError:
        """Build an error from its kind and the words of whoever reported it."""
        headers = headers or {}
        request_id = request_id or headers.get("request-id")
        facts = [f"status {status}"] if status else []
        if request_id is not None:
            request_id = self._clean(request_id)
            facts.append(f"request {request_id}")
        title = _TITLES[kind] + (f" ({', '.join(facts)})" if facts else "")
        shown = self._clean(detail)
        advice = headers.get("x-should-retry")
        return ModelError(
            kind,
            f"{title}: {shown}" if shown else title,
            status=status,
            retry_after=parse_retry_after(headers, now),
            request_id=request_id,
            retryable={"true": True, "false": False}.get(advice or ""),
        )

    def reported(
        self,
        body: object,
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        now: float = 0.0,
    ) -> ModelError:
        """Build an error from an error body: the API's JSON, or whatever else came."""
        word: str | None = None
        detail: str | None = body if isinstance(body, str) else None
        request_id: str | None = None
        if isinstance(body, Mapping):
            request_id = _text(body.get("request_id"))
            inner = body.get("error")
            if isinstance(inner, Mapping):
                word, detail = _text(inner.get("type")), _text(inner.get("message"))
            elif isinstance(inner, str):
                detail = inner
        return self.error(
            _kind(word, status, detail or ""),
            detail or word or "",
            status=status,
            headers=headers,
            request_id=request_id,
            now=now,
        )

    def upstream(self, error: Exception, now: float) -> ModelError | None:
        """Translate what the SDK or its transport raised; None if it is foreign."""
        import anthropic

        match error:
            case anthropic.APIStatusError():
                return self.reported(
                    error.body,
                    status=error.status_code,
                    headers=error.response.headers,
                    now=now,
                )
            case anthropic.APIResponseValidationError():
                return self.error(ErrorKind.BAD_REPLY, error.message)
            case anthropic.APITimeoutError():
                return self.error(ErrorKind.TIMEOUT, self._address)
            case anthropic.APIConnectionError():
                return self._unconnected(error.__cause__ or error)
            case anthropic.AnthropicError():
                return self.error(ErrorKind.INVALID_REQUEST, str(error))
            case UnicodeEncodeError():
                detail = "a text holds a lone surrogate, which no request can carry"
                return self.error(ErrorKind.INVALID_REQUEST, detail)
        return self._transport(error)

    def _transport(self, error: Exception) -> ModelError | None:
        names = {
            parent.__name__
            for parent in type(error).__mro__
            if parent.__module__.partition(".")[0] == "httpx2"  # no dependency of ours
        }
        if not names:
            return None
        if "TimeoutException" in names:
            return self.error(ErrorKind.TIMEOUT, self._address)
        return self._unconnected(error)

    def _unconnected(self, cause: BaseException) -> ModelError:
        return self.error(ErrorKind.CONNECTION, f"{self._address}: {cause}")

    def _clean(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        text = " ".join(_SECRETS.sub("[secret]", text).split())
        text = "".join(letter for letter in text if letter.isprintable())
        return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def parse_retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds to wait, from `retry-after-ms` or `retry-after`.

    The latter holds seconds or a date; a date that has passed means 0.
    None where neither can be read.

    >>> parse_retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, now=70)
    30.0
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _seconds(headers.get(name, ""), unit, now)
        if seconds is not None:
            return seconds
    return None


def _seconds(text: str, unit: float, now: float) -> float | None:
    try:
        seconds = float(text) * unit
    except ValueError:
        try:
            date = parsedate_to_datetime(text)
        except ValueError:
            return None
        seconds = date.replace(tzinfo=date.tzinfo or UTC).timestamp() - now
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _kind(word: str | None, status: int | None, detail: str) -> ErrorKind:
    if word in _EXACT_TYPES:
        return _EXACT_TYPES[word]
    if status is None:
        kind = (
            ErrorKind.INVALID_REQUEST
            if word == "invalid_request_error"
            else ErrorKind.SERVER
        )
    elif status in _STATUSES:
        kind = _STATUSES[status]
    elif status < 400:  # a redirect, which would carry the key elsewhere
        kind = ErrorKind.BAD_REPLY
    else:
        kind = ErrorKind.INVALID_REQUEST if status < 500 else ErrorKind.SERVER
    if kind is ErrorKind.INVALID_REQUEST and _OUT_OF_CREDIT.search(detail):
        return ErrorKind.CREDIT
    return kind


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
