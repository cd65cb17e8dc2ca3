"""Message Batches: what goes in, checked before it is sent, and what comes out."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import Field, JsonValue

from llm_judge._anthropic_errors import Translator
from llm_judge._anthropic_replies import Shape, read_completion, read_shape
from llm_judge._completion import Completion
from llm_judge._model_error import ErrorKind, ModelError
from llm_judge._prompt import Prompt

__all__ = [
    "BatchCounts",
    "BatchInfo",
    "BatchOutcome",
    "BatchRequest",
    "BatchResult",
    "BatchStatus",
    "check_batch_id",
    "check_custom_ids",
    "check_size",
    "read_batch",
    "read_page",
    "read_result",
]

MAX_REQUESTS = 100_000
MAX_BYTES = 256_000_000

_CUSTOM_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_BATCH_ID = re.compile(r"[A-Za-z0-9_-]+")


class BatchStatus(StrEnum):
    """How far a batch is."""

    IN_PROGRESS = "in_progress"
    CANCELING = "canceling"
    ENDED = "ended"


class BatchOutcome(StrEnum):
    """How one request of a batch ended; only `SUCCEEDED` is billed."""

    SUCCEEDED = "succeeded"
    ERRORED = "errored"
    CANCELED = "canceled"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """One prompt of a batch and the name under which its result comes back."""

    custom_id: str
    """1 to 64 letters, digits, `_` or `-`, used once in the batch."""
    prompt: Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchCounts:
    """Requests by state; all are `processing` until the whole batch has ended."""

    processing: int
    succeeded: int
    errored: int
    canceled: int
    expired: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchInfo:
    """A batch as the endpoint describes it."""

    id: str
    status: BatchStatus
    counts: BatchCounts
    created_at: datetime
    expires_at: datetime
    """Requests that are not done by then expire."""
    ended_at: datetime | None = None
    withheld: tuple[str, ...] = ()
    """What was left out of its requests; known to `create_batch` only.

    Store it with the id and hand it to `results`.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """How one request of a batch ended, and its reply or error if there is one."""

    custom_id: str
    outcome: BatchOutcome
    completion: Completion | None = None
    error: ModelError | None = None


class _Counts(Shape):
    processing: int
    succeeded: int
    errored: int
    canceled: int
    expired: int


class _Batch(Shape):
    id: str = Field(pattern=_BATCH_ID.pattern)
    processing_status: BatchStatus = Field(strict=False)
    request_counts: _Counts
    created_at: datetime = Field(strict=False)
    expires_at: datetime = Field(strict=False)
    ended_at: datetime | None = Field(default=None, strict=False)


class _Page(Shape):
    data: list[dict[str, Any]]
    has_more: bool = False
    last_id: str | None = None


class _Result(Shape):
    type: str
    message: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class _Row(Shape):
    custom_id: str
    result: dict[str, Any]


def check_custom_ids(requests: Sequence[BatchRequest]) -> None:
    """Check what the endpoint would refuse only after the upload.

    Raises:
        ValueError: No request or too many, or an id that is malformed or used twice.
    """
    if not 1 <= len(requests) <= MAX_REQUESTS:
        msg = f"a batch holds 1 to {MAX_REQUESTS:,} requests, not {len(requests):,}"
        raise ValueError(msg)
    seen: set[str] = set()
    for position, request in enumerate(requests):
        name = request.custom_id
        if not _CUSTOM_ID.fullmatch(name):
            msg = (
                f"request {position}: custom_id must be 1 to 64 letters, digits, _ or "
                f"-, not {name[:80]!r}"
            )
            raise ValueError(msg)
        if name in seen:
            msg = f"request {position}: custom_id {name!r} is used twice"
            raise ValueError(msg)
        seen.add(name)


def check_size(rows: Sequence[JsonValue]) -> None:
    """Check the size of a batch's requests as they are sent.

    Raises:
        ValueError: They are larger than the endpoint takes.
    """
    size = 0
    for row in rows:
        size += len(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace")) + 1
    if size > MAX_BYTES:
        msg = (
            f"the batch is {size:,} bytes, more than the {MAX_BYTES:,} that the "
            "endpoint takes; split it"
        )
        raise ValueError(msg)


def check_batch_id(batch_id: str) -> str:
    """Return the id of a batch if it can stand in an address.

    Raises:
        ValueError: It cannot.
    """
    if not _BATCH_ID.fullmatch(batch_id):
        msg = f"not the id of a batch: {batch_id[:80]!r}"
        raise ValueError(msg)
    return batch_id


def read_batch(
    value: object, errors: Translator, *, withheld: tuple[str, ...] = ()
) -> BatchInfo:
    """Read the description of a batch."""
    batch = read_shape(_Batch, value, errors)
    return BatchInfo(
        id=batch.id,
        status=batch.processing_status,
        counts=BatchCounts(**batch.request_counts.model_dump()),
        created_at=batch.created_at,
        expires_at=batch.expires_at,
        ended_at=batch.ended_at,
        withheld=withheld,
    )


def read_page(value: object, errors: Translator) -> tuple[list[BatchInfo], str | None]:
    """Read one page of a list of batches, and after which id the next one starts."""
    page = read_shape(_Page, value, errors)
    batches = [read_batch(item, errors) for item in page.data]
    return batches, page.last_id if page.has_more else None


def read_result(
    value: object, errors: Translator, *, withheld: tuple[str, ...] = ()
) -> BatchResult:
    """Read one row of the results.

    A row whose result makes no sense is an errored one, so that it costs one request.

    Raises:
        ModelError: It does not even say which request it is about.
    """
    row = read_shape(_Row, value, errors)
    try:
        result = read_shape(_Result, row.result, errors)
        completion = (
            read_completion(result.message, errors, withheld=withheld)
            if result.type == BatchOutcome.SUCCEEDED
            else None
        )
    except ModelError as odd:
        return _errored(row.custom_id, odd)
    match result.type:
        case BatchOutcome.SUCCEEDED | BatchOutcome.CANCELED | BatchOutcome.EXPIRED:
            return BatchResult(
                custom_id=row.custom_id,
                outcome=BatchOutcome(result.type),
                completion=completion,
            )
        case BatchOutcome.ERRORED:
            return _errored(row.custom_id, errors.reported(result.error))
    detail = f"unknown result {result.type!r}"
    return _errored(row.custom_id, errors.error(ErrorKind.BAD_REPLY, detail))


def _errored(custom_id: str, error: ModelError) -> BatchResult:
    return BatchResult(custom_id=custom_id, outcome=BatchOutcome.ERRORED, error=error)
