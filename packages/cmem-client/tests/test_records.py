import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
import respx
from cmem_client import ObservationRecord, ProtocolError, ServerError, SessionRecord
from cmem_client._records import batches
from cmem_client.testing import FakeWorker
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue, ValidationError

BASE = "http://localhost:37777"
MOMENT = datetime(2023, 5, 8, 15, 56, 1, 234999, tzinfo=timezone(timedelta(hours=2)))
SESSION = SessionRecord(
    content_session_id="s1", memory_session_id="m1", project="notes", started_at=MOMENT
)
OBSERVATION = ObservationRecord(
    memory_session_id="m1", project="notes", title="Tea", created_at=MOMENT
)
Connect = Callable[..., Any]


def observations(number: int) -> list[ObservationRecord]:
    return [
        OBSERVATION.model_copy(update={"title": f"Row {index}"})
        for index in range(number)
    ]


def test_a_session_is_spelt_as_a_database_row() -> None:
    assert SESSION.row() == {
        "content_session_id": "s1",
        "memory_session_id": "m1",
        "project": "notes",
        "platform_source": "claude",
        "user_prompt": None,
        "started_at": "2023-05-08T13:56:01.234Z",
        "started_at_epoch": 1683554161234,
        "completed_at": "2023-05-08T13:56:01.234Z",
        "completed_at_epoch": 1683554161234,
        "status": "completed",
    }


def test_an_active_session_has_no_end() -> None:
    row = SESSION.model_copy(update={"status": "active"}).row()

    assert (row["completed_at"], row["completed_at_epoch"]) == (None, None)


def test_an_observation_is_spelt_as_a_database_row() -> None:
    record = OBSERVATION.model_copy(
        update={"facts": ("Ann likes tea",), "files_read": ("a.txt",)}
    )

    assert record.row() == {
        "memory_session_id": "m1",
        "project": "notes",
        "text": None,
        "type": "discovery",
        "title": "Tea",
        "subtitle": None,
        "facts": '["Ann likes tea"]',
        "narrative": None,
        "concepts": "[]",
        "files_read": '["a.txt"]',
        "files_modified": "[]",
        "prompt_number": 1,
        "discovery_tokens": 0,
        "created_at": "2023-05-08T13:56:01.234Z",
        "created_at_epoch": 1683554161234,
    }


@given(st.datetimes(timezones=st.just(UTC), min_value=datetime(1970, 1, 1)))  # noqa: DTZ001 - hypothesis wants naive bounds
def test_the_two_spellings_of_a_time_agree(moment: datetime) -> None:
    row = OBSERVATION.model_copy(update={"created_at": moment}).row()

    parsed = datetime.fromisoformat(str(row["created_at"]))
    assert (parsed - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(
        milliseconds=1
    ) == row["created_at_epoch"]
    assert timedelta(0) <= moment - parsed < timedelta(milliseconds=1)


@pytest.mark.parametrize(
    "change",
    [
        {"created_at": datetime(2023, 5, 8)},  # noqa: DTZ001 - the mistake under test
        {"title": ""},
        {"project": ""},
        {"memory_session_id": ""},
        {"typ": "discovery"},
    ],
)
def test_a_record_that_the_worker_would_refuse_or_misread_cannot_be_made(
    change: dict[str, Any],
) -> None:
    with pytest.raises(ValidationError):
        ObservationRecord(**{**OBSERVATION.model_dump(), **change})


# -- batches ---------------------------------------------------------------------------


@given(
    texts=st.lists(st.text(max_size=30), max_size=40),
    max_rows=st.integers(1, 10),
    max_bytes=st.integers(1, 200),
)
def test_batches_hold_every_row_once_in_order_within_the_limits(
    texts: list[str], max_rows: int, max_bytes: int
) -> None:
    rows: list[dict[str, JsonValue]] = [{"t": text} for text in texts]

    cut = list(batches(rows, max_rows=max_rows, max_bytes=max_bytes))

    assert [row for batch in cut for row in batch] == rows
    assert all(0 < len(batch) <= max_rows for batch in cut)
    assert all(len(b) == 1 or len(json.dumps(b)) <= max_bytes + 2 for b in cut)


def test_a_large_import_travels_in_several_requests(connect: Connect) -> None:
    worker = FakeWorker()
    caller = connect(worker)

    receipt = caller.import_records([SESSION], observations(2_001))

    assert receipt.requests == len(worker.requests) == 4
    assert receipt.latency_ms == pytest.approx(4 * 12)
    assert (receipt.sessions_imported, receipt.observations_imported) == (1, 2_001)
    assert caller.count_observations("notes") == 2_001


def test_an_import_of_long_texts_stays_below_the_limit_of_the_worker(
    connect: Connect,
) -> None:
    worker = FakeWorker()
    rows = [
        row.model_copy(update={"narrative": "ü" * 200_000}) for row in observations(12)
    ]

    connect(worker).import_records([SESSION], rows)

    assert max(len(request.content) for request in worker.requests) < 5_000_000


def test_an_import_may_be_repeated(connect: Connect) -> None:
    caller = connect(FakeWorker())
    caller.import_records([SESSION], observations(3))

    again = caller.import_records([SESSION], observations(4))

    assert (again.sessions_imported, again.sessions_skipped) == (0, 1)
    assert (again.observations_imported, again.observations_skipped) == (1, 3)
    assert caller.count_observations("notes") == 4


def test_an_import_of_nothing_sends_nothing(connect: Connect) -> None:
    worker = FakeWorker()

    receipt = connect(worker).import_records([], [])

    assert (receipt.requests, receipt.latency_ms, worker.requests) == (0, 0, [])


def test_an_observation_of_no_session_fails_as_the_database_says(
    connect: Connect,
) -> None:
    with pytest.raises(ServerError, match="FOREIGN KEY constraint failed") as caught:
        connect(FakeWorker()).import_records([], [OBSERVATION])

    assert caught.value.safe_to_repeat


def test_rows_that_the_worker_silently_left_out_are_missed(connect: Connect) -> None:
    stats = {
        "sessionsImported": 0,
        "sessionsSkipped": 0,
        "observationsImported": 0,
        "observationsSkipped": 0,
    }
    with respx.mock(base_url=BASE, assert_all_called=False) as router:
        router.post("/api/import").respond(json={"success": True, "stats": stats})
        router.get("/api/version").respond(json={"version": "1"})

        with pytest.raises(ProtocolError, match="expected 1 sessions taken, found 0"):
            connect().import_records([SESSION], [])
