"""From a posted session to stored rows and back, in both generations."""

from datetime import UTC, datetime

from .calls import (
    TRANSCRIPT,
    import_lines,
    open_session,
    post,
    rows,
    search,
    wait_until_idle,
)
from .installation import NEWEST, OLDER
from .real_worker import Worker
from .stub_llm import Kind, StubLlm


def test_a_worker_says_who_it_is(worker: Worker) -> None:
    health = worker.http.get("/api/health").json()

    assert health["version"] == worker.version
    assert health["pid"] == worker.pid
    assert health["initialized"]
    assert health["ai"]["provider"] == "openrouter"
    assert worker.http.get("/api/version").json() == {"version": worker.version}


def test_a_worker_sends_no_telemetry(worker: Worker) -> None:
    assert not (worker.data_dir / "telemetry.json").exists()


def test_the_worker_says_where_it_is_in_its_data_directory(worker: Worker) -> None:
    written = (worker.data_dir / "worker.pid").read_text(encoding="utf-8")

    assert f'"pid": {worker.pid}' in written
    assert f'"port": {worker.port}' in written


def test_a_posted_session_becomes_rows_of_its_project(
    worker: Worker, stub: StubLlm
) -> None:
    post(worker, "stored", "stored-s1")
    wait_until_idle(worker)

    first, second = rows(worker, "stored")
    assert first["title"].startswith("Ines said: My sister opened a bakery")
    assert "greyhound called Pixel" in first["narrative"]
    assert "marathon" in second["narrative"]
    owners = worker.http.post(
        "/api/sdk-sessions/batch",
        json={"memorySessionIds": [first["memory_session_id"]]},
    ).json()
    assert [owner["content_session_id"] for owner in owners] == ["stored-s1"]


def test_the_model_reads_the_transcript_word_for_word(
    worker: Worker, stub: StubLlm
) -> None:
    post(worker, "read", "read-s1")
    wait_until_idle(worker)

    assert [call.kind for call in stub.calls()] == [Kind.OPENING, Kind.OBSERVATION]
    assert [call.model for call in stub.calls()] == ["stub", "stub"]
    assert stub.calls(Kind.OBSERVATION)[0].transcripts == (TRANSCRIPT,)


def test_a_session_that_the_model_is_silent_about_leaves_no_row(
    worker: Worker, stub: StubLlm
) -> None:
    stub.behave(silent_about="Session 2")
    for number in (1, 2, 3):
        text = TRANSCRIPT.replace("Session 1", f"Session {number}")
        post(worker, f"silent-{number}", f"silent-s{number}", text)
    wait_until_idle(worker)

    stored = [len(rows(worker, f"silent-{number}")) for number in (1, 2, 3)]
    assert stored == [2, 0, 2]


def test_a_phrase_is_found_and_a_question_is_not(worker: Worker, stub: StubLlm) -> None:
    post(worker, "found", "found-s1")
    wait_until_idle(worker)

    (hit,) = search(worker, "found", "Lisbon marathon")
    assert "Lisbon marathon" in hit["narrative"]
    assert hit["project"] == "found"
    assert not search(worker, "found", "marathon Lisbon")
    assert not search(worker, "found", "Which marathon does Tomas run?")
    assert not search(worker, "elsewhere", "Lisbon marathon")


def test_a_project_without_rows_is_empty_but_known(
    worker: Worker, stub: StubLlm
) -> None:
    opened = open_session(worker, "opened", "opened-s1")
    wait_until_idle(worker)

    assert opened["skipped"] is False
    assert rows(worker, "opened") == []
    assert "opened" in worker.http.get("/api/projects").json()["projects"]


def test_imported_rows_are_stored_once_with_their_own_dates(
    worker: Worker, stub: StubLlm
) -> None:
    told = datetime(2024, 3, 4, 9, 10, tzinfo=UTC)
    lines = TRANSCRIPT.splitlines()[3:]

    first = import_lines(worker, "imported", lines, told)
    again = import_lines(worker, "imported", lines, told)

    assert (first["observationsImported"], first["observationsSkipped"]) == (5, 0)
    assert (again["observationsImported"], again["observationsSkipped"]) == (0, 5)
    stored = rows(worker, "imported")
    assert [row["title"] for row in stored] == ["D1:1", "D1:2", "D1:3", "D1:4", "D1:5"]
    assert {row["created_at_epoch"] for row in stored} == {1_709_543_400_000}
    assert [hit["title"] for hit in search(worker, "imported", "greyhound")] == ["D1:2"]
    assert not stub.calls()


def test_only_the_older_generation_tells_the_state_of_one_session(
    worker: Worker, stub: StubLlm
) -> None:
    post(worker, "state", "state-s1")
    wait_until_idle(worker)

    reply = worker.http.get(
        "/api/sessions/status", params={"contentSessionId": "state-s1"}
    )
    if worker.version == OLDER:
        assert reply.json()["status"] == "active"
        assert reply.json()["queueLength"] == 0
    else:
        assert worker.version == NEWEST
        assert reply.status_code == 404
