"""`FakeWorker` against what the real worker was recorded to answer."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from cmem_client import CmemError, RouteMissing, WorkerNotRunning
from cmem_client.testing import VERSIONS, FakeWorker, Outcome

Connect = Callable[..., Any]
INIT, POST = "/api/sessions/init", "/api/sessions/observations"
OLD, MIDDLE, NEW = VERSIONS


class Wire:
    """Speaks to a fake worker below the client."""

    def __init__(self, version: str, **options: Any) -> None:
        self.worker = FakeWorker(version, **options)
        self.http = httpx.Client(
            base_url="http://localhost:37777", transport=self.worker.transport()
        )

    def get(self, path: str, **query: str) -> tuple[int, Any]:
        return self._read(self.http.get(path, params=query))

    def post(self, path: str, body: object) -> tuple[int, Any]:
        return self._read(self.http.post(path, json=body))

    def _read(self, response: httpx.Response) -> tuple[int, Any]:
        if "html" in response.headers["content-type"]:
            return response.status_code, response.text
        return response.status_code, response.json()

    def begin(self, session: str = "s1", prompt: str = "Talk") -> Any:
        body = {"contentSessionId": session, "project": "notes", "prompt": prompt}
        return self.post(INIT, body)[1]

    def observe(self, text: str, session: str = "s1", **extra: object) -> Any:
        body = {"contentSessionId": session, "tool_name": "Read", **extra}
        return self.post(POST, {**body, "tool_response": text})[1]

    def settle(self) -> None:
        for _ in range(5):
            self.get("/api/processing-status")

    def titles(self, project: str = "notes") -> list[str]:
        rows = self.get("/api/observations", project=project)[1]["items"]
        return [row["title"] for row in rows]


# Recorded: which of the optional routes answer 404.
ABSENT = {
    OLD: {"/api/sessions/status", "/api/tool-uses", "/api/chroma/status"},
    MIDDLE: {"/api/sessions/complete", "/api/tool-uses"},
    NEW: {"/api/sessions/complete", "/api/sessions/status"},
}


@pytest.mark.parametrize("version", VERSIONS)
def test_each_version_lacks_the_routes_that_the_real_one_lacks(version: str) -> None:
    wire = Wire(version)
    statuses = {
        "/api/sessions/status": wire.get("/api/sessions/status")[0],
        "/api/tool-uses": wire.get("/api/tool-uses")[0],
        "/api/chroma/status": wire.get("/api/chroma/status")[0],
        "/api/sessions/complete": wire.post("/api/sessions/complete", {})[0],
    }

    assert {path for path, code in statuses.items() if code == 404} == ABSENT[version]


@pytest.mark.parametrize("version", VERSIONS)
def test_an_unknown_route_is_a_page(version: str) -> None:
    status, page = Wire(version).get("/api/nope")

    assert status == 404
    assert page == (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<title>Error</title>\n</head>\n<body>\n<pre>Cannot GET /api/nope</pre>\n"
        "</body>\n</html>\n"
    )
    assert Wire(version).get(INIT)[0] == 404


@pytest.mark.parametrize("version", VERSIONS)
def test_it_says_which_version_it_is(version: str) -> None:
    wire = Wire(version)

    assert wire.get("/api/version") == (200, {"version": version})
    assert wire.get("/api/health")[1]["version"] == version


@pytest.mark.parametrize(
    ("version", "named"),
    [(OLD, False), (MIDDLE, False), (NEW, True)],
)
def test_a_recent_worker_names_its_mode_in_a_project_with_rows(
    version: str, *, named: bool
) -> None:
    wire = Wire(version, mode="code")

    def context() -> str:
        path = "/api/context/inject"
        return wire.http.get(path, params={"project": "notes"}).text

    assert "Mode: " not in context()
    wire.post("/api/memory/save", {"text": "Ann likes tea.", "project": "notes"})
    assert context().startswith("# [notes] recent context\n")
    assert ("(code)\n" in context()) is named


@pytest.mark.parametrize(
    ("version", "answer"),
    [
        (OLD, {"projects": ["notes"]}),
        (NEW, {"projects": ["notes"], "sources": ["claude"]}),
    ],
)
def test_a_project_is_listed_from_its_first_init(version: str, answer: object) -> None:
    wire = Wire(version)
    wire.begin()

    assert wire.get("/api/projects") == (200, answer)


@pytest.mark.parametrize(
    ("version", "answer"),
    [
        (OLD, {"error": "Missing contentSessionId"}),
        (
            NEW,
            {
                "error": "ValidationError",
                "issues": [
                    {
                        "path": ["contentSessionId"],
                        "message": (
                            "Invalid input: expected string, received undefined"
                        ),
                        "code": "invalid_type",
                    }
                ],
            },
        ),
    ],
)
def test_an_invalid_body_is_refused_in_the_words_of_the_version(
    version: str, answer: object
) -> None:
    assert Wire(version).post(INIT, {}) == (400, answer)
    assert Wire(version).post(INIT, ["array"]) == (400, answer)


@pytest.mark.parametrize(
    ("path", "body"),
    [(POST, {"contentSessionId": "s1"}), ("/api/memory/save", {}), (POST, {})],
)
def test_a_missing_field_is_refused(path: str, body: object) -> None:
    assert Wire(NEW).post(path, body)[0] == 400


def test_a_body_that_is_no_json_is_a_page() -> None:
    response = Wire(NEW).http.post(
        INIT, content="{", headers={"content-type": "application/json"}
    )

    assert response.status_code == 400
    assert "SyntaxError: JSON Parse error" in response.text


def test_a_body_without_its_content_type_counts_as_empty() -> None:
    response = Wire(NEW).http.post(INIT, content='{"contentSessionId": "s1"}')

    assert response.json()["error"] == "ValidationError"


@pytest.mark.parametrize(("version", "status"), [(OLD, 200), (MIDDLE, 413), (NEW, 413)])
def test_the_body_limit_is_that_of_the_version(version: str, status: int) -> None:
    wire = Wire(version)
    wire.begin()
    body = {"contentSessionId": "s1", "tool_name": "Read", "tool_response": "x" * 6**9}

    assert wire.post(POST, body)[0] == status


# -- sessions --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "answer"),
    [
        (
            OLD,
            {
                "sessionDbId": 1,
                "promptNumber": 1,
                "skipped": False,
                "contextInjected": False,
            },
        ),
        (
            NEW,
            {
                "sessionDbId": 1,
                "promptNumber": 1,
                "skipped": False,
                "contextInjected": False,
                "status": "initialized",
            },
        ),
    ],
)
def test_a_first_init_answers_as_recorded(version: str, answer: object) -> None:
    assert Wire(version).begin() == answer


@pytest.mark.parametrize(
    ("version", "number", "skipped"),
    [(OLD, 2, False), (MIDDLE, 2, False), (NEW, 1, True)],
)
def test_only_the_newest_skips_an_init_with_the_same_prompt(
    version: str, number: int, skipped: bool
) -> None:
    wire = Wire(version)
    wire.begin()

    again = wire.begin()

    assert (again["promptNumber"], again["skipped"]) == (number, skipped)
    assert wire.begin(prompt="Another")["promptNumber"] == number + 1


@pytest.mark.parametrize(
    ("version", "status"), [(OLD, "skipped"), (MIDDLE, "skipped"), (NEW, "queued")]
)
def test_an_observation_after_a_blank_prompt_or_none_is_skipped_by_older_ones(
    version: str, status: str
) -> None:
    wire = Wire(version)

    assert wire.observe("Tea.")["status"] == status
    assert wire.begin("s2", prompt=" ")["reason"] == "private"
    assert wire.observe("Tea.", "s2")["status"] == status


@pytest.mark.parametrize(
    ("version", "project"), [(OLD, "notes"), (MIDDLE, "notes"), (NEW, "diary")]
)
def test_an_init_with_another_project_moves_the_rows_of_the_newest(
    version: str, project: str
) -> None:
    wire = Wire(version)
    wire.begin()
    wire.post(INIT, {"contentSessionId": "s1", "project": "diary", "prompt": "Two"})
    wire.observe("Tea.")
    wire.settle()

    assert wire.titles(project) == ["Tea."]


@pytest.mark.parametrize(("version", "rows"), [(OLD, 1), (MIDDLE, 1), (NEW, 1)])
def test_the_same_content_becomes_one_row(version: str, rows: int) -> None:
    wire = Wire(version)
    wire.begin()
    wire.observe("Tea.", tool_use_id="a")
    wire.observe("Tea.", tool_use_id="b")
    wire.settle()

    assert len(wire.titles()) == rows


@pytest.mark.parametrize(("version", "rows"), [(OLD, 2), (MIDDLE, 1), (NEW, 1)])
def test_a_name_is_taken_once_by_workers_that_know_names(
    version: str, rows: int
) -> None:
    wire = Wire(version)
    wire.begin()
    wire.observe("Tea.", tool_use_id="a")
    wire.observe("Milk.", tool_use_id="a")
    wire.settle()

    assert len(wire.titles()) == rows


@pytest.mark.parametrize("outcome", [Outcome.DROPPED, Outcome.FAILED])
def test_a_name_is_used_up_by_a_drop_but_not_by_a_failure(outcome: Outcome) -> None:
    wire = Wire(NEW, outcomes=[outcome])
    wire.begin()
    for _ in range(2):
        wire.observe("Tea.", tool_use_id="a")
        wire.settle()

    assert len(wire.titles()) == (1 if outcome is Outcome.FAILED else 0)


def test_tool_uses_tell_what_became_of_a_named_observation() -> None:
    wire = Wire(NEW, outcomes=[Outcome.DROPPED])
    wire.begin()
    wire.begin("s2")
    wire.observe("Tea.", tool_use_id="a")
    wire.observe("Milk.", tool_use_id="b")
    wire.observe("Wine.", "s2", tool_use_id="a")
    wire.settle()

    def told(**query: str) -> list[tuple[str, int | None]]:
        uses = wire.get("/api/tool-uses", **query)[1]["toolUses"]
        return [(use["tool_use_id"], use["observation_id"]) for use in uses]

    assert told(contentSessionId="s1") == [("a", None), ("b", 1)]
    assert told() == [("a", None), ("b", 1), ("a", 2)]


@pytest.mark.parametrize(
    ("version", "paths"), [(OLD, []), (MIDDLE, []), (NEW, ["a.txt"])]
)
def test_only_the_newest_keeps_the_path_that_was_read(
    version: str, paths: list[str]
) -> None:
    wire = Wire(version)
    wire.begin()
    wire.observe("Tea.", tool_input={"file_path": "a.txt"})
    wire.settle()
    (row,) = wire.get("/api/observations", project="notes")[1]["items"]

    assert json.loads(row["files_read"]) == paths


def test_a_session_that_is_completed_early_loses_what_is_queued(
    connect: Connect,
) -> None:
    caller = connect(FakeWorker(OLD, looks=9))
    caller.init_session("s1", "notes", "Talk")
    caller.queue_observation("s1", "Read", {}, "Tea.")

    assert caller.complete_session("s1").status == "completed"
    assert caller.complete_session("s2").reason == "not_active"
    assert caller.processing_status().idle
    assert caller.count_observations("notes") == 0


def test_the_status_of_a_session_tells_its_queue(connect: Connect) -> None:
    caller = connect(FakeWorker(MIDDLE, looks=2))
    caller.init_session("s1", "notes", "Talk")
    caller.queue_observation("s1", "Read", {}, "Tea.")

    def told(session: str) -> tuple[str, int]:
        status = caller.session_status(session)
        return status.status, status.queue_length

    assert told("s1") == ("active", 1)
    assert told("s2") == ("not_found", 0)
    assert Wire(MIDDLE).get("/api/sessions/status")[0] == 400


# -- lists and searches ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "offset", "rows", "more", "told"),
    [
        ("100", "0", 100, True, 100),
        ("1000", "0", 100, True, 100),
        ("0", "0", 20, True, 20),
        ("abc", "0", 20, True, 20),
        ("10", "110", 10, False, 10),
        ("10", "120", 0, False, 10),
        ("10", "abc", 10, True, 10),
    ],
)
def test_a_list_has_the_limits_of_the_real_one(
    limit: str, offset: str, rows: int, more: bool, told: int
) -> None:
    wire = Wire(NEW)
    for number in range(120):
        wire.post("/api/memory/save", {"text": f"Row {number}", "project": "notes"})

    page = wire.get("/api/observations", project="notes", limit=limit, offset=offset)[1]

    assert (len(page["items"]), page["hasMore"], page["limit"]) == (rows, more, told)


def test_without_a_project_all_are_listed() -> None:
    wire = Wire(NEW)
    wire.post("/api/memory/save", {"text": "Tea.", "title": "A", "project": "a"})
    wire.post("/api/memory/save", {"text": "Tea.", "title": "B"})

    assert wire.titles("") == ["B", "A"]
    assert wire.get("/api/projects")[1]["projects"] == ["claude-mem", "a"]


SEARCHES = [
    # recorded with 13.4.0 and 13.25.3, in other words: a query is one phrase
    ("tea", 1),
    ("TEA", 1),
    ("green tea", 1),
    ("tea green", 0),
    ("Does Ann like green tea?", 0),
    ("gre*", 0),
    ("tea*", 1),
    ("?!", 0),
]


@pytest.mark.parametrize(("query", "found"), SEARCHES)
@pytest.mark.parametrize("version", VERSIONS)
def test_without_vectors_a_query_is_a_phrase_and_finds_nothing_in_the_oldest(
    connect: Connect, version: str, query: str, found: int
) -> None:
    caller = connect(FakeWorker(version))
    caller.init_session("s1", "notes", "Talk")
    caller.queue_observation("s1", "Read", {}, "Ann likes green tea.")
    caller.wait_for_processing("notes", ["s1"])

    hits = caller.search(query, "notes").hits

    assert len(hits) == (0 if version == OLD else found)
    assert caller.search(query, "other").hits == ()


def test_with_vectors_the_row_with_most_common_words_comes_first(
    connect: Connect,
) -> None:
    caller = connect(FakeWorker(vectors=True))
    for text in ("Bob likes milk", "Ann likes green tea", "Nobody came"):
        caller.save_memory(text, "notes")

    hits = caller.search("Does Ann like green tea, or likes she milk?", "notes").hits

    assert [hit.narrative for hit in hits] == ["Ann likes green tea", "Bob likes milk"]
    assert len(caller.search("likes", "notes", 1).hits) == 1
    assert caller.vector_index().healthy


def test_a_search_takes_the_options_of_the_real_one() -> None:
    wire = Wire(NEW)
    wire.post("/api/memory/save", {"text": "Tea.", "project": "notes"})

    def found(**query: str) -> int:
        answer = wire.get("/api/search", project="notes", format="json", **query)[1]
        assert answer["totalResults"] == len(answer["observations"])
        return len(answer["observations"])

    assert found(query="tea", type="observations") == 1
    assert found(query="", type="observations") == 1
    assert found(query="tea", type="observations", limit="0") == 0
    assert found(query="tea", type="observations", limit="abc") == 0
    assert found(query="tea", type="observation") == 0
    text = wire.get("/api/search", query="tea", project="notes")[1]
    assert list(text) == ["content"]


# -- memories and imports --------------------------------------------------------------


def test_a_memory_that_repeats_has_the_id_of_the_first(connect: Connect) -> None:
    caller = connect(FakeWorker())

    first = caller.save_memory("Tea.", "notes", title="A")

    assert caller.save_memory("Tea.", "notes", title="A").id == first.id
    assert caller.save_memory("Tea.", "notes", title="B").id != first.id


def test_the_oldest_stores_a_memory_and_says_that_it_failed(connect: Connect) -> None:
    caller = connect(FakeWorker(OLD))

    with pytest.raises(CmemError, match="null is not an object") as caught:
        caller.save_memory("Tea.", "notes")

    assert not caught.value.safe_to_repeat
    assert caller.count_observations("notes") == 1


def test_an_import_keeps_the_rows_before_a_bad_one() -> None:
    wire = Wire(NEW)
    session = {"content_session_id": "s1", "memory_session_id": "m1", "project": "p"}
    row = {"memory_session_id": "m1", "project": "p", "type": "discovery"}
    rows = [{**row, "title": "A"}, {**row, "type": None}, {**row, "title": "C"}]

    status, answer = wire.post(
        "/api/import", {"sessions": [session], "observations": rows}
    )

    assert (status, answer) == (
        500,
        {"error": "NOT NULL constraint failed: observations.type"},
    )
    assert wire.titles("p") == ["A"]


# -- the process -----------------------------------------------------------------------


@pytest.mark.parametrize(("version", "rows"), [(OLD, 1), (MIDDLE, 0), (NEW, 0)])
def test_a_restart_loses_the_queue_of_recent_workers(
    connect: Connect, version: str, rows: int
) -> None:
    worker = FakeWorker(version, looks=3)
    caller = connect(worker)
    caller.init_session("s1", "notes", "Talk")
    caller.queue_observation("s1", "Read", {}, "Tea.")
    worker.now_s += 500
    before = caller.health()

    worker.restart()

    assert caller.health().pid != before.pid
    assert (before.uptime, caller.health().uptime) == (
        (500_000, 0) if version == OLD else (500, 0)
    )
    for _ in range(4):
        caller.processing_status()
    assert caller.count_observations("notes") == rows


@pytest.mark.parametrize(("version", "rows"), [(OLD, 2), (MIDDLE, 2), (NEW, 1)])
def test_sending_again_after_a_restart_doubles_the_rows_of_older_workers(
    connect: Connect, version: str, rows: int
) -> None:
    worker = FakeWorker(version, looks=0)
    caller = connect(worker)
    caller.init_session("s1", "notes", "Talk")
    for _ in range(2):
        caller.queue_observation("s1", "Read", {}, "Tea.")
        worker.restart()

    assert caller.count_observations("notes") == rows


def test_a_stopped_worker_refuses_connections_until_it_starts(
    connect: Connect,
) -> None:
    worker = FakeWorker()
    caller = connect(worker)
    worker.stop()

    with pytest.raises(WorkerNotRunning, match="Worker not running at localhost:37777"):
        caller.health()

    worker.restart()

    assert caller.health().version == worker.version


def test_a_version_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match=r"version must be one of .*13\.25\.3"):
        FakeWorker("1.0.0")


def test_a_route_missing_error_says_which_route(connect: Connect) -> None:
    with pytest.raises(RouteMissing) as caught:
        connect(FakeWorker(NEW)).session_status("s1")

    assert caught.value.path == "/api/sessions/status"
