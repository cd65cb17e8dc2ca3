"""The Message Batches of a fake endpoint."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from llm_judge._fake_errors import FakeError

__all__ = ["FakeBatches"]

_OUTCOMES = ("succeeded", "errored", "canceled", "expired")


@dataclass(slots=True)
class _Batch:
    id: str
    requests: list[dict[str, Any]]
    polls_left: int | None
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    status: str = "in_progress"
    rows: list[dict[str, Any]] = field(default_factory=list)


class FakeBatches:
    """Batches that end when they are told to.

    Args:
        answer: Gives the message for the parameters of a request, or raises.
        outcome: How the request with this custom id ends.
        polls: Look-ups that still say in progress; None until `end`.
        base_url: Where the results are.
    """

    def __init__(
        self,
        answer: Callable[[dict[str, Any]], dict[str, Any]],
        outcome: Callable[[str], str],
        polls: int | None,
        base_url: Callable[[], str],
    ) -> None:
        self._answer = answer
        self._outcome = outcome
        self._polls = polls
        self._base_url = base_url
        self._batches: dict[str, _Batch] = {}

    def create(self, body: dict[str, Any]) -> dict[str, Any]:
        """Take a batch."""
        requests = body.get("requests")
        if not isinstance(requests, list) or not requests:
            raise FakeError(400, "requests: a list of 1 to 100,000 is required")
        if not all(isinstance(request.get("params"), dict) for request in requests):
            raise FakeError(400, "requests: params are required")
        names = [str(request.get("custom_id", "")) for request in requests]
        if len(set(names)) < len(names) or not all(1 <= len(n) <= 64 for n in names):
            raise FakeError(400, "requests: custom_id must be unique, 1 to 64 long")
        batch = _Batch(
            id=f"msgbatch_{len(self._batches) + 1:04d}",
            requests=requests,
            polls_left=self._polls,
        )
        self._batches[batch.id] = batch
        return self._describe(batch)

    def retrieve(self, batch_id: str) -> dict[str, Any]:
        """Describe a batch; one that has no polls left ends now."""
        batch = self._find(batch_id)
        if batch.polls_left == 0 or batch.status == "canceling":
            self._finish(batch)
        elif batch.polls_left is not None:
            batch.polls_left -= 1
        return self._describe(batch)

    def list(self, limit: int, after_id: str | None) -> dict[str, Any]:
        """Return one page of batches, the newest first."""
        names = [*reversed(self._batches)]
        start = 0 if after_id is None else names.index(self._find(after_id).id) + 1
        page = names[start : start + limit]
        return {
            "data": [self._describe(self._batches[name]) for name in page],
            "has_more": start + limit < len(names),
            "first_id": page[0] if page else None,
            "last_id": page[-1] if page else None,
        }

    def results(self, batch_id: str) -> bytes:
        """Return the results as JSONL, in another order than the requests."""
        batch = self._find(batch_id)
        if batch.status != "ended":
            raise FakeError(404, f"{batch_id} has no results yet")
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in batch.rows]
        return "".join(reversed(lines)).encode("utf-8")

    def cancel(self, batch_id: str) -> dict[str, Any]:
        """Cancel a batch; the next look-up finds it ended."""
        batch = self._find(batch_id)
        if batch.status == "ended":
            raise FakeError(400, f"{batch_id} has ended")
        batch.status = "canceling"
        return self._describe(batch)

    def end(self, batch_id: str) -> None:
        """Let the next look-up find the batch ended."""
        self._find(batch_id).polls_left = 0

    def _find(self, batch_id: str) -> _Batch:
        try:
            return self._batches[batch_id]
        except KeyError:
            raise FakeError(404, f"no batch {batch_id}") from None

    def _finish(self, batch: _Batch) -> None:
        if batch.status == "ended":
            return
        canceled = batch.status == "canceling"
        batch.rows = [
            {
                "custom_id": request["custom_id"],
                "result": {"type": "canceled"} if canceled else self._result(request),
            }
            for request in batch.requests
        ]
        batch.status = "ended"

    def _result(self, request: dict[str, Any]) -> dict[str, Any]:
        outcome = self._outcome(request["custom_id"])
        failure = FakeError(500, "this request was made to fail")
        if outcome == "succeeded":
            try:
                return {"type": outcome, "message": self._answer(request["params"])}
            except FakeError as error:
                outcome, failure = "errored", error
        if outcome == "errored":
            return {"type": outcome, "error": failure.to_body()}
        return {"type": outcome}

    def _describe(self, batch: _Batch) -> dict[str, Any]:
        ended = batch.status == "ended"
        counts = Counter(row["result"]["type"] for row in batch.rows)
        created = batch.created_at
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": batch.status,
            "request_counts": {
                "processing": 0 if ended else len(batch.requests),
                **{outcome: counts[outcome] for outcome in _OUTCOMES},
            },
            "created_at": created.isoformat(),
            "expires_at": (created + timedelta(hours=24)).isoformat(),
            "ended_at": created.isoformat() if ended else None,
            "cancel_initiated_at": None,
            "archived_at": None,
            "results_url": (
                f"{self._base_url()}/v1/messages/batches/{batch.id}/results"
                if ended
                else None
            ),
        }
