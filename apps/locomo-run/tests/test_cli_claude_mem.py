from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import Result
from cmem_client.testing import FakeWorker, Outcome
from locomo_dataset import load_mini
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.cli import root
from locomo_run.cli.claude_mem_options import asked_to_go_on
from locomo_run.reporting.results_file import read_results_file

Call = Callable[..., Result]
Serve = Callable[[FakeWorker], str]

SESSIONS = sum(len(each.sessions) for each in load_mini().conversations)
QUICK = (
    "--poll=0.01",
    "--session-timeout=5",
    "--stall=0.2",
    "--ingest-workers=1",
)
TOKEN = "planted-s3cret-token"  # noqa: S105  # planted to be looked for


def by_lines(text: str) -> list[str]:
    """A model that keeps every line that somebody says."""
    return [line for line in text.splitlines()[3:] if line]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without a worker's files, and an environment without its names."""
    for name in ("PORT", "HOST"):
        monkeypatch.delenv(f"CLAUDE_MEM_WORKER_{name}", raising=False)
    monkeypatch.delenv("CLAUDE_MEM_DATA_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def posted(worker: FakeWorker) -> int:
    return sum(r.url.path == "/api/sessions/observations" for r in worker.requests)


def results(directory: Path) -> dict[str, Any]:
    read_results_file(directory / "results.json")  # it keeps to its schema
    text = (directory / "results.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


# ingest


def test_ingest_shows_its_progress_and_ends_with_what_is_stored(
    call: Call, serve: Serve
) -> None:
    worker = FakeWorker(compress=by_lines)

    result = call("ingest", *QUICK, "--worker", serve(worker))

    assert result.exit_code == 0, result.stderr
    lines = result.stderr.splitlines()
    assert lines[0].startswith("run: runs/offline-")
    assert lines[1].startswith("Conversation 1/2 [mini-1] — Session 1/5 — Elapsed: ")
    assert lines[2].startswith("Session 1/5 ingested, processing took 0.")
    shown = result.stdout.splitlines()
    assert shown[0].startswith("mini-1: 5 of 5 sessions, ")
    assert shown[-1].startswith("2 conversations, ")
    assert posted(worker) == SESSIONS


def test_ingest_takes_the_conversations_that_are_named(
    call: Call, serve: Serve
) -> None:
    worker = FakeWorker()

    call("ingest", *QUICK, "--worker", serve(worker), "--conversation", "mini-2")

    with worker.client() as client:
        assert client.projects() == ("locomo-eval-mini-2",)


def test_ingest_then_run_is_one_run(call: Call, serve: Serve, folder: Path) -> None:
    worker = FakeWorker(compress=by_lines)
    options = (*QUICK, "--memory=claude-mem", "--worker", serve(worker))

    call("ingest", *options)
    result = call("run", *options, "--limit", "3")

    (directory,) = (folder / "runs").iterdir()
    assert result.exit_code == 0, result.stderr
    assert posted(worker) == SESSIONS
    assert len(results(directory)["questions"]) == 3


def test_a_session_that_stays_away_ends_ingest_with_exit_3_and_the_table(
    call: Call, serve: Serve
) -> None:
    worker = FakeWorker(outcomes=[Outcome.DROPPED] * 3)

    result = call("ingest", *QUICK, "--worker", serve(worker))

    assert result.exit_code == 3
    assert f"1 of {SESSIONS} sessions are not in the memory." in result.stderr
    assert "Session 1/5 not ingested: dropped: " in result.stderr


def test_the_status_counts_sessions_and_the_conversations_that_are_whole(
    call: Call, serve: Serve
) -> None:
    worker = FakeWorker(outcomes=[Outcome.DROPPED] * 3)
    options = (*QUICK, "--worker", serve(worker), "--out=here")
    call("ingest", *options)
    first = json.loads(call("status", "here", "--json").stdout)

    call("ingest", *options)
    then = json.loads(call("status", "here", "--json").stdout)

    assert (first["conversations_ingested"], first["sessions_ingested"]) == (1, 9)
    assert (then["conversations_ingested"], then["sessions_ingested"]) == (2, 10)
    assert (then["questions"], then["complete"]) == (0, False)


def test_ingest_prints_json(call: Call, serve: Serve) -> None:
    result = call("ingest", *QUICK, "--worker", serve(FakeWorker()), "--json")

    printed = json.loads(result.stdout)
    assert printed["ingestion"]["mini-1"]["missing"] == []
    assert printed["workers"] == [{"version": "13.25.3", "pid": 1001}]


def test_ingest_into_another_memory_is_refused(call: Call) -> None:
    result = call("ingest", "--memory", "embedded")

    assert result.exit_code == 2
    assert "ingest fills claude-mem" in result.stderr


def test_without_a_worker_the_message_says_how_to_start_one(call: Call) -> None:
    result = call("ingest", "--worker", "localhost:1")

    assert result.exit_code == 1
    assert "Worker not running at localhost:1" in result.stderr
    assert "bun plugin/scripts/worker-service.cjs start" in result.stderr


def test_a_worker_in_use_is_not_filled_unless_told_to(call: Call, serve: Serve) -> None:
    worker = FakeWorker()
    with worker.client() as client:
        client.save_memory("a decision", "my-shop")
    options = (*QUICK, "--worker", serve(worker))

    refused = call("ingest", *options)
    told = call("ingest", *options, "--yes")

    assert refused.exit_code == 2
    assert "'my-shop'" in refused.stderr
    assert "--yes" in refused.stderr
    assert told.exit_code == 0


def test_a_run_whose_ingestion_was_refused_has_a_report(
    call: Call, serve: Serve
) -> None:
    worker = FakeWorker()
    with worker.client() as client:
        client.save_memory("a decision", "my-shop")
    call("ingest", *QUICK, "--worker", serve(worker), "--out=here")

    result = call("report", "here")

    assert result.exit_code == 0
    assert "The claude-mem worker" in result.stdout
    assert "of 5 sessions" not in result.stdout


@pytest.mark.parametrize(("answer", "goes_on"), [("y", True), ("n", False)])
def test_a_terminal_is_asked_about_a_worker_in_use(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, answer: str, *, goes_on: bool
) -> None:
    worker = FakeWorker()
    options = ClaudeMemOptions(worker=serve(worker))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda prompt: answer)
    assert asked_to_go_on(options) == options  # nothing to ask about

    with worker.client() as client:
        client.save_memory("a decision", "my-shop")

    if goes_on:
        assert asked_to_go_on(options).foreign_projects
    else:
        with pytest.raises(click.Abort):
            asked_to_go_on(options)


def test_a_namespace_that_cannot_be_used_is_an_error_of_usage(call: Call) -> None:
    result = call("ingest", "--namespace", "a/b")

    assert result.exit_code == 2
    assert "--namespace 'a/b'" in result.stderr


# run


def test_a_run_ingests_asks_and_tells_about_its_worker(
    call: Call, serve: Serve, folder: Path
) -> None:
    worker = FakeWorker(compress=by_lines)

    result = call(
        "run", *QUICK, "--memory=claude-mem", "--worker", serve(worker), "--out=here"
    )

    assert result.exit_code == 0, result.stderr
    questions = results(folder / "here")["questions"]
    assert all(each["search_latency_ms"] is not None for each in questions)
    hits = [hit for each in questions for hit in each["search_results"]]
    assert hits
    assert all(hit.startswith("s") for hit in hits)
    assert all(each["evidence_recall"] is None for each in questions if hits)


def test_the_last_screen_says_first_what_is_missing_and_has_recall_by_session(
    call: Call, serve: Serve
) -> None:
    worker = FakeWorker(outcomes=[Outcome.DROPPED])
    options = (*QUICK, "--memory=claude-mem", "--worker", serve(worker))

    result = call("run", *options, "--session-posts=1", "--allow-incomplete")

    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(
        "NOT COMPLETE: 1 session is not in the memory (mini-1 session 1).\n"
    )
    assert "\nThe worker's mode is code" in result.stdout
    assert "Evidence recall by session\n\n" in result.stdout


def test_a_repeated_run_asks_the_worker_for_no_search(call: Call, serve: Serve) -> None:
    worker = FakeWorker()
    options = (*QUICK, "--memory=claude-mem", "--worker", serve(worker), "--limit=3")
    call("run", *options)
    worker.requests.clear()

    call("run", *options)

    assert not any(r.url.path == "/api/search" for r in worker.requests)


def test_an_import_knows_its_turns(call: Call, serve: Serve, folder: Path) -> None:
    result = call(
        "run",
        *QUICK,
        "--memory=claude-mem",
        "--via=import",
        "--worker",
        serve(FakeWorker()),
        "--out=here",
    )

    assert result.exit_code == 0, result.stderr
    recalls = [q["evidence_recall"] for q in results(folder / "here")["questions"]]
    known = [recall for recall in recalls if recall is not None]
    assert len(known) > 40
    assert sum(known) / len(known) > 0.5


def test_a_run_that_finds_nothing_has_a_recall_by_session_of_0_and_none_by_turn(
    call: Call, serve: Serve, folder: Path
) -> None:
    worker = FakeWorker(compress=lambda text: ["zzz"])

    result = call(
        "run", *QUICK, "--memory=claude-mem", "--worker", serve(worker), "--out=here"
    )

    assert result.exit_code == 0, result.stderr
    found = results(folder / "here")["evidence_recall"]
    assert (found["mean"], found["count"]) == (None, 0)
    assert found["by_session"] == {"mean": 0.0, "count": 47}
    report = (folder / "here" / "report.md").read_text(encoding="utf-8")
    assert "Evidence recall by session" in report


def test_another_ingest_path_is_another_run(call: Call, serve: Serve) -> None:
    options = (
        *QUICK,
        "--memory=claude-mem",
        "--worker",
        serve(FakeWorker()),
        "--out=here",
        "--limit=1",
    )
    call("run", *options)

    result = call("run", *options, "--via=import")

    assert result.exit_code == 2
    assert "memory.via: the run has observation, asked is import" in result.stderr


@pytest.mark.parametrize("known_first", [True, False])
def test_a_run_goes_on_where_the_files_of_its_worker_cannot_be_read(
    call: Call, serve: Serve, folder: Path, tmp_path: Path, *, known_first: bool
) -> None:
    worker = FakeWorker(mode="code")
    address = serve(worker)
    settings = {"CLAUDE_MEM_WORKER_PORT": address.rpartition(":")[2]}
    (tmp_path / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    options = (*QUICK, "--memory=claude-mem", "--worker", address, "--out=here")
    seen, unseen = {"CLAUDE_MEM_DATA_DIR": str(tmp_path)}, dict[str, str]()
    first, then = (seen, unseen) if known_first else (unseen, seen)
    call("run", *options, "--limit=3", **first)
    worker.requests.clear()

    result = call("run", *options, "--limit=3", **then)

    assert result.exit_code == 0, result.stderr
    assert not any(r.url.path == "/api/search" for r in worker.requests)
    told = results(folder / "here")["metadata"]
    assert (told["memory"]["mode"], told["worker"]["mode"]) == ("code", "code")


def test_memories_of_another_run_are_taken_over_only_when_told(
    call: Call, serve: Serve
) -> None:
    worker = FakeWorker()
    options = (*QUICK, "--memory=claude-mem", "--worker", serve(worker), "--limit=1")
    call("run", *options, "--out=first")

    refused = call("run", *options, "--out=second")
    taken = call("run", *options, "--out=third", "--reuse-memories")

    assert refused.exit_code == 2
    assert "which this run did not write" in refused.stderr
    assert taken.exit_code == 0


def test_a_row_of_another_project_stops_the_run(
    call: Call, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = FakeWorker()
    options = (*QUICK, "--memory=claude-mem", "--worker", serve(worker), "--out=here")
    call("ingest", *options)

    def strange(query: str, project: str, limit: int) -> list[Any]:
        return [{"id": 1, "project": "somebody-elses"}]

    monkeypatch.setattr(worker._routes._index, "find", strange)
    result = call("run", *options)

    assert result.exit_code == 1
    assert "somebody-elses" in result.stderr


# a token appears nowhere


def test_a_token_is_in_nothing_that_a_run_writes_or_says(
    call: Call, serve: Serve, folder: Path
) -> None:
    worker = FakeWorker(token=TOKEN)
    address = serve(worker)
    options = (*QUICK, "--memory=claude-mem", "--worker", address, "--out=here")
    said = []
    for environment in ({"CLAUDE_MEM_AUTH_TOKEN": TOKEN}, {}):
        for command in (
            ("doctor", *options[:-1], "--no-canary"),
            ("ingest", *options),
            ("verify", *options),
            ("run", *options, "--limit=3"),
            ("report", "here"),
        ):
            result = call(*command, **environment)
            said.append(result.stdout + result.stderr)

    assert worker.requests[0].headers["authorization"] == f"Bearer {TOKEN}"
    assert not any(TOKEN in text for text in said)
    assert any("Invalid auth token" in text for text in said)  # the calls without it
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert len(written) >= 3
    for path in written:
        assert TOKEN.encode() not in path.read_bytes()


# verify


def test_verify_shows_what_is_held_and_found(call: Call, serve: Serve) -> None:
    worker = FakeWorker(compress=by_lines)
    options = (*QUICK, "--worker", serve(worker))
    call("ingest", *options)

    result = call("verify", *options, "--rows=1")

    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "Completeness of the memory"
    assert sum(line.startswith("Q: ") for line in lines) == 3
    assert [line for line in lines if line.startswith("Category: ")] == [
        "Category: single-hop",
        "Category: multi-hop",
        "Category: temporal",
    ]
    start = lines.index("Top Search Results:")
    assert [line[:5] for line in lines[start + 1 : start + 4]] == [
        "  1. ",
        "  2. ",
        "  3. ",
    ]
    assert " — " in lines[start + 1]


def test_verify_of_an_empty_worker_says_what_is_missing_and_exits_with_3(
    call: Call, serve: Serve
) -> None:
    result = call("verify", *QUICK, "--worker", serve(FakeWorker()))

    assert result.exit_code == 3
    assert f"{SESSIONS} sessions are not in the memory" in result.stderr
    assert "  none" in result.stdout.splitlines()


def test_verify_prints_every_observation_as_json(call: Call, serve: Serve) -> None:
    options = (*QUICK, "--worker", serve(FakeWorker()), "--conversation=mini-1")
    call("ingest", *options)

    printed = json.loads(call("verify", *options, "--json").stdout)

    assert printed["complete"] is True
    (conversation,) = printed["conversations"]
    assert len(conversation["observations"]) == 5
    assert all(len(o["narrative"]) <= 100 for o in conversation["observations"])
    assert [each["category"] for each in printed["questions"]] == [
        "single-hop",
        "multi-hop",
        "temporal",
    ]


# doctor


def test_doctor_says_one_line_for_each_check(call: Call, serve: Serve) -> None:
    result = call("doctor", "--worker", serve(FakeWorker(vectors=True)))

    assert result.exit_code == 0, result.stdout
    starts = [line.partition(":")[0] for line in result.stdout.splitlines()]
    assert [start for start in starts if start[:4] in {"PASS", "WARN", "FAIL"}] == [
        "PASS  worker",
        "PASS  process",
        "PASS  model",
        "PASS  vector search",
        "PASS  projects",
        "PASS  search",
        "PASS  mode",
        "WARN  data set",
        "PASS  run directory",
        "WARN  model key",
        "PASS  proxy",
        "PASS  canary",
    ]
    assert "two short model calls" in result.stderr


def test_doctor_without_a_canary_calls_no_model(call: Call, serve: Serve) -> None:
    worker = FakeWorker()

    result = call("doctor", "--worker", serve(worker), "--no-canary", "--json")

    assert posted(worker) == 0
    assert {check["grade"] for check in json.loads(result.stdout)} <= {"PASS", "WARN"}


def in_use() -> FakeWorker:
    """A worker that holds what somebody else has stored."""
    worker = FakeWorker()
    with worker.client() as client:
        client.save_memory("a decision", "my-shop")
    worker.requests.clear()
    return worker


def written(worker: FakeWorker) -> set[str]:
    return {r.url.path for r in worker.requests if r.method == "POST"}


WRITING = {
    "/api/memory/save",
    "/api/sessions/init",
    "/api/sessions/observations",
    "/api/sdk-sessions/batch",
}


def test_doctor_writes_nothing_into_somebodys_own_memory_unless_told_to(
    call: Call, serve: Serve
) -> None:
    worker = in_use()
    options = ("doctor", "--worker", serve(worker))

    unasked = call(*options)
    before = written(worker)
    told = call(*options, "--yes")

    assert unasked.exit_code == 0, unasked.stderr
    assert "WARN  search: not tried: " in unasked.stdout
    assert "WARN  canary: not tried: " in unasked.stdout
    assert before == set()
    assert "PASS  canary: " in told.stdout
    assert written(worker) == WRITING


@pytest.mark.parametrize(("answer", "writes"), [("y", WRITING), ("n", set())])
def test_doctor_asks_a_terminal_before_it_writes(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, answer: str, writes: set[str]
) -> None:
    worker = in_use()
    address = serve(worker)
    asked: list[str] = []

    def reply(prompt: str) -> str:
        asked.append(prompt)
        return answer

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.termui.visible_prompt_func", reply)
    root(["doctor", "--worker", address], standalone_mode=False)

    assert len(asked) == 1
    assert written(worker) == writes


def test_a_run_asks_a_terminal_about_a_worker_in_use(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    worker = in_use()
    address = serve(worker)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda prompt: "n")

    with pytest.raises(click.Abort):
        root(
            ["run", *QUICK, "--memory=claude-mem", "--worker", address],
            standalone_mode=False,
        )

    assert written(worker) == set()


def test_doctor_fails_for_a_dead_queue(call: Call, serve: Serve) -> None:
    worker = FakeWorker(outcomes=[Outcome.DROPPED])

    result = call("doctor", "--worker", serve(worker))

    assert result.exit_code == 1
    assert "FAIL  canary: " in result.stdout
    assert "no row came" in result.stdout
    assert result.stderr.endswith("Error: not fit for a run: canary\n")


def test_doctor_without_a_worker_still_looks_at_the_rest(call: Call) -> None:
    result = call("doctor", "--worker", "localhost:1")

    assert result.exit_code == 1
    assert "FAIL  worker: Worker not running at localhost:1" in result.stdout
    assert "PASS  run directory" in result.stdout
    assert "canary" not in result.stdout


# worker-mode


def test_the_mode_is_written_where_the_worker_looks(call: Call, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()

    result = call("worker-mode", CLAUDE_MEM_DATA_DIR=str(data))

    path = data / "modes" / "conversation.json"
    assert result.stdout == f"mode: {path}\n"
    assert json.loads(path.read_text(encoding="utf-8"))["name"]
    assert "CLAUDE_MEM_MODE" in result.stderr


def test_the_mode_can_be_printed(call: Call, home: Path) -> None:
    result = call("worker-mode", "--print")

    assert json.loads(result.stdout)["observation_types"]
    assert not home.exists()
