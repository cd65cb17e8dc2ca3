from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
import respx
from cmem_client import ObservationRecord, ProtocolError, SessionRecord
from cmem_client.testing import FakeWorker

BASE = "http://localhost:37777"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
Connect = Callable[..., Any]


def filled(connect: Connect, rows: int, *, sessions: int = 2) -> Any:
    caller = connect(FakeWorker())
    caller.import_records(
        [
            SessionRecord(
                content_session_id=f"s{number}",
                memory_session_id=f"m{number}",
                project="notes",
                started_at=NOON,
            )
            for number in range(sessions)
        ],
        [
            ObservationRecord(
                memory_session_id=f"m{number % sessions}",
                project="notes",
                title=f"Row {number}",
                created_at=NOON,
            )
            for number in range(rows)
        ],
    )
    return caller


@pytest.mark.parametrize("rows", [0, 1, 99, 100, 101, 420])
def test_every_row_of_every_page_is_listed_once(connect: Connect, rows: int) -> None:
    caller = filled(connect, rows)

    listed = caller.list_observations("notes")

    assert sorted(row.id for row in listed) == list(range(1, rows + 1))
    assert caller.count_observations("notes") == rows


def test_a_project_that_is_not_known_has_no_rows(connect: Connect) -> None:
    caller = filled(connect, 3)

    assert caller.list_observations("other") == ()
    assert caller.count_observations("other") == 0
    assert caller.observations_by_session("other") == {}


def test_the_whole_store_is_counted_in_one_request(connect: Connect) -> None:
    worker = FakeWorker()
    caller = connect(worker)
    caller.save_memory("Tea.", "a")
    caller.save_memory("Tea.", "b")
    worker.requests.clear()

    assert caller.count_observations() == 2
    assert len(worker.requests) == 1


def test_a_row_that_moves_to_the_next_page_is_listed_once(connect: Connect) -> None:
    def row(number: int) -> dict[str, Any]:
        return {"id": number, "project": "notes"}

    with respx.mock(base_url=BASE) as router:
        router.get("/api/observations", params={"offset": "0"}).respond(
            json={"items": [row(9), row(8)], "hasMore": True}
        )
        router.get("/api/observations", params={"offset": "2"}).respond(
            json={"items": [row(8), row(7)], "hasMore": False}
        )

        listed = connect().list_observations("notes")

    assert [found.id for found in listed] == [9, 8, 7]


def test_an_endless_list_is_ended(connect: Connect) -> None:
    with respx.mock(base_url=BASE, assert_all_called=False) as router:
        router.get("/api/observations").respond(json={"items": [], "hasMore": True})
        router.get("/api/version").respond(json={"version": "1"})

        with pytest.raises(ProtocolError, match="an empty page with more rows"):
            connect().list_observations("notes")


@pytest.mark.parametrize(
    ("method", "arguments"),
    [("list_observations", ("notes",)), ("search", ("tea", "notes"))],
)
def test_rows_of_another_project_are_never_taken_for_this_ones(
    connect: Connect, method: str, arguments: tuple[str, ...]
) -> None:
    rows = [{"id": 1, "project": "notes"}, {"id": 2, "project": "diary\x1b"}]
    with respx.mock(base_url=BASE, assert_all_called=False) as router:
        router.get("/api/version").respond(json={"version": "1"})
        router.get().respond(
            json={"items": rows, "hasMore": False, "observations": rows}
        )
        call = getattr(connect(), method)

        with pytest.raises(
            ProtocolError,
            match=r"expected rows of project 'notes' only, found also diary\\x1b",
        ):
            call(*arguments)


def test_a_row_that_was_merged_into_the_project_belongs_to_it(
    connect: Connect,
) -> None:
    row = {"id": 1, "project": "old notes", "merged_into_project": "notes"}
    with respx.mock(base_url=BASE) as router:
        router.get("/api/observations").respond(json={"items": [row], "hasMore": False})

        assert connect().count_observations("notes") == 1


def test_rows_are_grouped_by_the_session_that_the_caller_named(
    connect: Connect,
) -> None:
    groups = filled(connect, 5).observations_by_session("notes")

    assert {name: [row.title for row in rows] for name, rows in groups.items()} == {
        "s0": ["Row 4", "Row 2", "Row 0"],
        "s1": ["Row 3", "Row 1"],
    }


def test_rows_of_no_known_session_are_kept_apart(connect: Connect) -> None:
    caller = filled(connect, 1)
    caller.save_memory("Tea.", "notes")

    groups = caller.observations_by_session("notes")

    assert {name: len(rows) for name, rows in groups.items()} == {None: 1, "s0": 1}


def test_more_sessions_than_fit_one_request_are_asked_for_in_several(
    connect: Connect,
) -> None:
    groups = filled(connect, 501, sessions=501).observations_by_session("notes")

    assert len(groups) == 501
    assert None not in groups


def test_sessions_of_another_shape_are_refused(connect: Connect) -> None:
    row = {"id": 1, "project": "notes", "memory_session_id": "m1"}
    with respx.mock(base_url=BASE, assert_all_called=False) as router:
        router.get("/api/observations").respond(json={"items": [row], "hasMore": False})
        router.post("/api/sdk-sessions/batch").respond(json=[{"id": 1}])
        router.get("/api/version").respond(json={"version": "1"})

        with pytest.raises(ProtocolError, match="expected a list of sessions"):
            connect().observations_by_session("notes")
