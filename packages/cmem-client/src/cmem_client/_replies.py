"""Replies to values or errors: status, content type, JSON, shape."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from ._errors import (
    ProtocolError,
    Rejected,
    RouteMissing,
    ServerError,
    StatusError,
    Unauthorized,
)
from ._models import Timed
from ._wire import Flow, Reply, Request

M = TypeVar("M", bound=BaseModel)

EXCERPT_CHARS = 200
SERVER_ERROR_CHARS = 500
_ISSUES_SHOWN = 3


def printable(text: str, limit: int = EXCERPT_CHARS) -> str:
    r"""Cut a text and escape what a terminal would act on.

    Example:
        >>> printable("no\x1b[2J\n  way", 9)
        'no\\x1b[2J…'
    """
    flat = " ".join(text.split())
    safe = "".join(c if c.isprintable() else repr(c)[1:-1] for c in flat)
    return safe if len(safe) <= limit else safe[:limit] + "…"


def _without(secret: str, text: str) -> str:
    return text.replace(secret, "[token]") if secret else text


def excerpt(reply: Reply, limit: int = EXCERPT_CHARS) -> str:
    """Quote the start of a reply for a message, without the token."""
    # blotted out before the cut, lest half of it stay, and again once unescaped
    body = _without(reply.secret, reply.body.decode("utf-8", errors="replace"))
    text = body[: 8 * limit]
    if "html" in reply.content_type:
        # the line after the first is the worker's stack trace
        text = re.sub(r"<title>.*?</title>", " ", text).partition("<br>")[0]
        text = html.unescape(re.sub(r"<[^>]*>", " ", text))
    return printable(_without(reply.secret, text), limit)


def parsed(reply: Reply) -> JsonValue:
    """Parse the body as JSON.

    Raises:
        ValueError: It is no JSON, by its content type or by its text.
    """
    if "json" not in reply.content_type:
        raise ValueError(f"content type {reply.content_type or 'missing'}")
    try:
        value: JsonValue = json.loads(reply.body)
    except RecursionError as error:
        raise ValueError("JSON nested too deeply") from error
    return value


def _issue(issue: JsonValue) -> str:
    if not isinstance(issue, dict):
        return str(issue)
    path = issue.get("path")
    where = ".".join(map(str, path)) if isinstance(path, list) else ""
    return f"{where or 'body'}: {issue.get('message')}"


def _reason(reply: Reply) -> str:
    """Return the worker's own words: JSON fields where it sent JSON, else the text."""
    try:
        value = parsed(reply)
    except ValueError:
        return excerpt(reply) or "no reason given"
    if not isinstance(value, dict):
        return excerpt(reply)
    words = [
        str(value[key]) for key in ("error", "message", "reason") if value.get(key)
    ]
    issues = value.get("issues")
    if isinstance(issues, list):
        words.append(", ".join(_issue(issue) for issue in issues[:_ISSUES_SHOWN]))
    if not words:
        return excerpt(reply)
    return printable(_without(reply.secret, ": ".join(words)))


_HINTS: Mapping[int, str] = {
    413: "; send less at once (recent workers take 5 MB)",
    431: "; shorten the query",
}


def _status_error(request: Request, reply: Reply) -> StatusError:
    body = excerpt(reply, SERVER_ERROR_CHARS)
    repeatable = request.repeatable
    kind: type[StatusError]
    if reply.status == 401:
        kind = Unauthorized
        message = f"Invalid auth token ({request}: {_reason(reply)})"
    elif reply.status == 404 and "json" not in reply.content_type:
        kind = RouteMissing
        message = f"This worker has no {request} (404)"
    elif reply.status < 500:
        kind = Rejected
        hint = _HINTS.get(reply.status, "")
        message = (
            f"The worker rejected {request} ({reply.status}): {_reason(reply)}{hint}"
        )
    else:
        kind = ServerError
        # 503 is what a starting worker says before it has looked at a request
        repeatable = repeatable or reply.status == 503
        message = f"The worker failed at {request} ({reply.status}): {body}"
    return kind(
        message,
        status=reply.status,
        body=body,
        method=request.method,
        path=request.path,
        safe_to_repeat=repeatable,
    )


def wrong_shape(request: Request, expected: str, found: str) -> ProtocolError:
    """Build the error for a success that is not what the route promises."""
    return ProtocolError(
        f"Unexpected reply to {request}: expected {expected}, found {found}",
        safe_to_repeat=request.repeatable,
    )


def _complaints(error: ValidationError) -> Iterable[str]:
    for item in error.errors(include_url=False)[:_ISSUES_SHOWN]:
        where = "".join(
            f"[{part}]" if isinstance(part, int) else f".{part}" for part in item["loc"]
        )
        yield f"{item['msg'].lower()} at ${where}"


def succeeded(request: Request, reply: Reply) -> None:
    """Let a success pass.

    Raises:
        StatusError: The status is not a success.
        ProtocolError: It is neither a success nor an error.
    """
    if reply.status >= 400:
        raise _status_error(request, reply)
    if not 200 <= reply.status < 300:
        raise wrong_shape(request, "a success", f"status {reply.status}")


def checked(request: Request, reply: Reply) -> JsonValue:
    """Return the JSON of a success.

    Raises:
        StatusError: The status is not a success.
        ProtocolError: It is a success without JSON.
    """
    succeeded(request, reply)
    try:
        return parsed(reply)
    except ValueError as error:
        found = f"{printable(str(error))}: {excerpt(reply) or 'empty body'}"
        raise wrong_shape(request, "JSON", found) from error


def decode(request: Request, reply: Reply, model: type[M]) -> M:
    """Turn a reply into a typed value; models that are `Timed` get its latency.

    Raises:
        StatusError: The status is not a success.
        ProtocolError: The body is not JSON of the model's shape.
    """
    value = checked(request, reply)
    if not isinstance(value, dict):
        raise wrong_shape(request, "a JSON object", excerpt(reply))
    if issubclass(model, Timed):
        value = {**value, "latency_ms": reply.latency_ms}
    try:
        return model.model_validate(value)
    except ValidationError as error:
        expected = f"{model.__name__.lstrip('_')} ({'; '.join(_complaints(error))})"
        # the cause would show the reply unabridged in a traceback
        raise wrong_shape(request, expected, excerpt(reply)) from None


def ask(request: Request, model: type[M]) -> Flow[M]:
    """Send one request and decode its reply."""
    reply = yield request
    return decode(request, reply, model)
