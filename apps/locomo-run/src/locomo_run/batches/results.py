"""What comes out of a batch, as the ledger keeps it."""

from __future__ import annotations

from urllib.parse import urlsplit

from llm_judge.anthropic import BatchOutcome, BatchResult

from locomo_run.calls.lane import one_line
from locomo_run.calls.models import Read
from locomo_run.ledger.entry import Attempt, Status

_ENDED_UNASKED = {
    BatchOutcome.CANCELED: "its batch was cancelled before it was asked",
    BatchOutcome.EXPIRED: "its batch expired before it was asked",
}


def attempt_of(row: BatchResult, read: Read) -> Attempt:
    """Return the attempt that a result is; only one with a reply was paid for."""
    if row.completion is not None:
        return read(row.completion, None, batch=True)
    reason = _ENDED_UNASKED.get(row.outcome, str(row.error or "no reply"))
    return Attempt(status=Status.INFRA_ERROR, reason=one_line(reason))


def worth_another(row: BatchResult) -> bool:
    """Tell whether the same request may go well in another batch."""
    return row.error is None or row.error.retryable


def endpoint_of(model: object) -> str:
    """Return the address of a model's endpoint, without credentials.

    >>> class Model: base_url = "https://user:secret@gateway.example:8443/api"
    >>> endpoint_of(Model())
    'https://gateway.example:8443/api'
    """
    url = urlsplit(str(getattr(model, "base_url", "")))
    return url._replace(netloc=url.netloc.rpartition("@")[2], query="").geturl()
