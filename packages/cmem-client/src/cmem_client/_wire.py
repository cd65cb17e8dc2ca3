"""Requests and replies as values, without any input or output.

A *flow* is a generator: it yields a `Request`, is sent the `Reply`, and returns its
result.  `Client` and `AsyncClient` differ only in how they drive a flow.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from pydantic import JsonValue

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request to the worker."""

    method: str
    path: str
    query: Mapping[str, str | int] = field(default_factory=dict)
    body: Mapping[str, JsonValue] | None = None
    """Sent as JSON."""
    repeatable: bool
    """Whether sending it twice is as good as sending it once."""
    after_s: float = 0.0
    """Seconds to sleep before sending; not part of the latency."""

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One complete answer of the worker."""

    status: int
    content_type: str
    body: bytes = field(repr=False)
    latency_ms: float
    """Milliseconds from the start of the request until its body was read."""
    secret: str = field(default="", repr=False)
    """The token sent with the request: blotted out wherever a reply is quoted."""


Flow: TypeAlias = Generator[Request, Reply, T]


def get(path: str, *, after_s: float = 0.0, **query: str | int) -> Request:
    """Build a request that only reads."""
    return Request(
        method="GET", path=path, query=query, repeatable=True, after_s=after_s
    )


def post(
    path: str, body: Mapping[str, JsonValue], *, repeatable: bool = False
) -> Request:
    """Build a request with a JSON body."""
    return Request(method="POST", path=path, body=body, repeatable=repeatable)
