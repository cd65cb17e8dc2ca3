"""What the ledger holds: requests, and the attempts made at them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256

Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]
"""What is kept as JSON."""


MAY_HAVE_COST = "may_have_cost"
"""In the reply of a call that brought none: dollars it may have cost, at the most."""


class Stage(StrEnum):
    """The steps of a run that cost time or money."""

    INGEST = "ingest"
    SEARCH = "search"
    ANSWER = "answer"
    JUDGE = "judge"
    PROBE = "probe"
    """A judge's verdict on an answer that is known to be right or wrong."""


class Status(StrEnum):
    """How an attempt ended."""

    OK = "ok"
    UNPARSED = "unparsed"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    INFRA_ERROR = "infra_error"


_ENCODER = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
)


def canonical(value: object) -> str:
    """Write a value as JSON in the one form that is hashed.

    >>> canonical({"b": 1, "a": "é"})
    '{"a":"é","b":1}'
    """
    return _ENCODER.encode(value)


def digest(text: str) -> str:
    """Return the first 32 hex digits of a text's sha256.

    >>> digest("")
    'e3b0c44298fc1c149afbf4c8996fb924'
    """
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One thing to be bought: the content is the key.

    Two requests that differ in anything that could change the reply have different
    keys; a request that is asked again has the same one.
    """

    stage: Stage
    item: str
    """Question id, or conversation id while ingesting."""
    run: int = 0
    """Run index, for stages that are repeated."""
    content: Mapping[str, Json]
    """Everything else that determines the reply."""

    @property
    def key(self) -> str:
        """The key under which the ledger holds the entry."""
        return digest(canonical([self.stage, self.item, self.run, self.content]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens that were billed, by kind; None where nobody says."""

    input: int | None = None
    """What was read anew: neither written to a cache nor read from one."""
    output: int | None = None
    cache_write: int | None = None
    cache_read: int | None = None
    batch: bool = False
    """Whether they were bought in a batch, at half the price."""

    @property
    def read(self) -> int | None:
        """All tokens that went in."""
        parts = (self.input, self.cache_write, self.cache_read)
        known = [part for part in parts if part is not None]
        return sum(known) if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One reply to a request, good or bad."""

    status: Status
    reply: Mapping[str, Json] = field(default_factory=dict)
    reason: str = ""
    """Why it is not ok, in one line; empty otherwise."""
    latency_ms: float | None = None
    model: str = ""
    """The model that was paid, empty if none was."""
    usage: Usage | None = None
    """What was billed, None if no model was asked."""


def may_have_cost(attempt: Attempt) -> float:
    """Return the dollars that a call without a reply may have cost, at the most."""
    dollars = attempt.reply.get(MAY_HAVE_COST, 0.0)
    return dollars if isinstance(dollars, float) else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A request with its last good attempt, or its last one while none is good."""

    request: Request
    attempt: Attempt
    attempts: int
    """How many were made."""

    @property
    def ok(self) -> bool:
        """Whether the reply can be used."""
        return self.attempt.status is Status.OK
