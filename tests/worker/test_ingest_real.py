"""`locomo-run` against real workers: what goes in, what gets lost, what is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from cmem_client import Client
from locomo_dataset import load_mini
from locomo_run.claude_mem.canary import canary
from locomo_run.claude_mem.checks import Grade
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.ledger.entry import Stage
from locomo_run.ledger.store import Ledger

from .calls import wait_for
from .conftest import RunWorker
from .installation import NEWEST, OLDER, Chroma
from .real_worker import Worker
from .stub_llm import LINES_PER_OBSERVATION, Behaviour, Kind, StubLlm

VERSIONS = (NEWEST, OLDER)
MINI = load_mini().conversations
SESSIONS = sum(len(each.sessions) for each in MINI)
BLOCKS = sum(
    -(-len(session.turns) // LINES_PER_OBSERVATION)
    for each in MINI
    for session in each.sessions
)
"""Rows that the stub makes of the data set."""
TURNS = sum(len(session.turns) for each in MINI for session in each.sessions)
TOKEN = "planted-s3cret-token"  # noqa: S105  # planted to be looked for

Program = Callable[..., subprocess.CompletedProcess[str]]


def command(
    worker: Worker, *arguments: str, data_dir: Path | None = None
) -> tuple[list[str], dict[str, str]]:
    """Return a call of the program against a worker, and its environment.

    Args:
        worker: The worker.
        arguments: Command and options.
        data_dir: Where to look for its files instead of where they are.
    """
    call = [sys.executable, "-m", "locomo_run", *arguments]
    options = [
        "--memory=claude-mem",
        f"--worker=127.0.0.1:{worker.port}",
        "--poll=0.2",
        "--out=run",
    ]
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith("LOCOMO_RUN_")},
        "CLAUDE_MEM_DATA_DIR": str(data_dir or worker.data_dir),
        "CLAUDE_MEM_AUTH_TOKEN": TOKEN,
    }
    return [*call, *options], environment


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Run the program in a folder of the test's own."""

    def run(
        worker: Worker, *arguments: str, data_dir: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        call, environment = command(worker, *arguments, data_dir=data_dir)
        return subprocess.run(
            call,
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )

    return run


def account(folder: Path) -> dict[str, Any]:
    """Return what a run tells about its worker."""
    with Ledger.read(folder / "run") as ledger:
        found = ledger.fact("claude_mem")
    assert isinstance(found, dict)
    return found


def attempts(folder: Path) -> dict[str, int]:
    """Return how often each session was tried."""
    with Ledger.read(folder / "run") as ledger:
        return {
            entry.request.item: entry.attempts
            for entry in ledger.entries(Stage.INGEST)
            if "/s" in entry.request.item
        }


def stored(worker: Worker) -> int:
    """Count all rows of a worker."""
    answer = worker.http.get("/api/stats").raise_for_status().json()
    return int(answer["database"]["observations"])


@pytest.mark.parametrize("version", VERSIONS)
def test_a_run_goes_all_the_way_and_a_second_one_pays_for_nothing(
    run_worker: RunWorker,
    stub: StubLlm,
    program: Program,
    tmp_path: Path,
    version: str,
) -> None:
    with run_worker(version) as worker:
        first = program(worker, "run")
        assert first.returncode == 0, first.stderr
        calls = len(stub.calls())
        second = program(worker, "ingest")
        checked = program(worker, "verify")

        assert second.returncode == 0, second.stderr
        assert checked.returncode == 0, checked.stderr
        assert stored(worker) == BLOCKS
        assert len(stub.calls()) == calls
        assert len(stub.calls(Kind.OBSERVATION)) == SESSIONS

    told = account(tmp_path)
    assert told["workers"] == [{"version": version, "pid": worker.pid}]
    assert told["searches"] == {"keywords": len(load_mini().all_questions())}
    assert told["without_hits"] < 3
    assert (told["mode"], told["model"]) == ("code", "stub")
    assert sum(each["observations"] for each in told["ingestion"].values()) == BLOCKS
    results = json.loads((tmp_path / "run" / "results.json").read_text("utf-8"))
    assert all(q["state"] == "answered" for q in results["questions"])
    for path in (tmp_path / "run").iterdir():
        assert TOKEN.encode() not in path.read_bytes()
    for said in (first, second, checked):
        assert TOKEN not in said.stdout + said.stderr


@pytest.mark.parametrize("version", VERSIONS)
def test_a_session_about_which_the_model_is_silent_is_named_and_then_mended(
    run_worker: RunWorker,
    stub: StubLlm,
    program: Program,
    tmp_path: Path,
    version: str,
) -> None:
    stub.behave(silent_about=f"[Session 2 — {MINI[0].sessions[1].date_text}]")
    with run_worker(version) as worker:
        refused = program(worker, "run", "--session-posts=2", "--ingest-workers=1")
        stub.behave()
        mended = program(worker, "run")

        assert refused.returncode == 3
        assert f"1 of {SESSIONS} sessions are not in the memory." in refused.stderr
        assert "mini-1/s2: dropped: " in refused.stderr
        assert mended.returncode == 0, mended.stderr
        assert stored(worker) == BLOCKS
    tried = attempts(tmp_path)
    assert tried.pop("mini-1/s2") == 3
    assert set(tried.values()) == {1}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_run_killed_with_its_worker_is_completed_without_doubles(
    run_worker: RunWorker,
    stub: StubLlm,
    program: Program,
    tmp_path: Path,
    version: str,
) -> None:
    stub.behave(delay=0.3)
    with run_worker(version) as worker:
        call, environment = command(worker, "ingest")
        with subprocess.Popen(
            call,
            env=environment,
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            wait_for(lambda: stored(worker) > 2)
            os.kill(worker.pid, signal.SIGKILL)
            process.kill()
    stub.behave()
    with run_worker(version) as worker:
        completed = program(worker, "ingest")

        assert completed.returncode == 0, completed.stderr
        assert stored(worker) == BLOCKS
    told = account(tmp_path)
    assert [each["pid"] for each in told["workers"]][-1] == worker.pid
    assert any("The worker changed" in remark for remark in told["remarks"])


def test_a_parked_session_is_woken_without_doubles(
    run_worker: RunWorker, stub: StubLlm, program: Program, tmp_path: Path
) -> None:
    stub.behave(Behaviour.SERVER_ERROR, times=3)
    with run_worker(NEWEST) as worker:
        result = program(worker, "ingest", "--stall=6", "--ingest-workers=1")

        assert result.returncode == 0, result.stderr
        assert stored(worker) == BLOCKS
    assert attempts(tmp_path)["mini-1/s1"] == 2
    assert "parked: " in result.stderr


@pytest.mark.parametrize("files_are_here", [True, False])
def test_a_used_up_quota_ends_the_run_with_the_time_to_come_back(
    run_worker: RunWorker,
    stub: StubLlm,
    program: Program,
    tmp_path: Path,
    *,
    files_are_here: bool,
) -> None:
    data_dir = None if files_are_here else tmp_path / "none"
    options = ("--stall=6", "--ingest-workers=1")
    stub.behave(Behaviour.TOO_MANY_REQUESTS)
    with run_worker(NEWEST) as worker:
        first = program(worker, "ingest", *options, data_dir=data_dir)
        calls = len(stub.calls())
        second = program(worker, "ingest", *options, data_dir=data_dir)
        uses = worker.http.get("/api/tool-uses").json()["toolUses"]
        doctor = program(worker, "doctor", "--no-canary", data_dir=data_dir)

    for result in (first, second):
        assert result.returncode == 1
        assert "it makes no calls until " in result.stderr
        assert " UTC" in result.stderr
    assert len(stub.calls()) == calls
    assert len(uses) == 1
    assert "FAIL  quota: " in doctor.stdout


@pytest.mark.parametrize("version", VERSIONS)
def test_an_import_stores_every_turn_once(
    run_worker: RunWorker, stub: StubLlm, program: Program, tmp_path: Path, version: str
) -> None:
    with run_worker(version) as worker:
        result = program(worker, "run", "--via=import", "--per-category=3")
        assert result.returncode == 0, result.stderr
        again = program(worker, "ingest", "--via=import")
        assert again.returncode == 0, again.stderr

        assert stored(worker) == TURNS
    assert stub.calls() == ()
    results = json.loads((tmp_path / "run" / "results.json").read_text("utf-8"))
    assert results["evidence_recall"]["mean"] > 0.5


@pytest.mark.parametrize("version", VERSIONS)
def test_the_doctor_tells_a_worker_that_stores_from_one_that_does_not(
    run_worker: RunWorker, stub: StubLlm, program: Program, version: str
) -> None:
    with run_worker(version) as worker:
        healthy = program(worker, "doctor")
        stub.behave(Behaviour.EMPTY)
        dead = program(worker, "doctor")

    assert healthy.returncode == 0, healthy.stdout
    assert "PASS  canary: " in healthy.stdout
    assert "PASS  search: " in healthy.stdout
    assert dead.returncode == 1
    assert "FAIL  canary: dropped: " in dead.stdout


@pytest.mark.parametrize(
    ("version", "behaviour", "cause"),
    [
        (NEWEST, Behaviour.PROSE, "dropped"),
        (NEWEST, Behaviour.GARBAGE, "dropped"),
        (NEWEST, Behaviour.UNAUTHORIZED, "parked"),
        (NEWEST, Behaviour.SERVER_ERROR, "parked"),
        (NEWEST, Behaviour.TOO_MANY_REQUESTS, "cooldown"),
        (OLDER, Behaviour.PROSE, "dropped"),
        (OLDER, Behaviour.GARBAGE, "dropped"),
        (OLDER, Behaviour.UNAUTHORIZED, "dropped"),
        (OLDER, Behaviour.SERVER_ERROR, "dropped"),
        (OLDER, Behaviour.TOO_MANY_REQUESTS, "dropped"),
    ],
)
def test_the_canary_fails_whatever_the_model_does_instead_of_its_work(
    run_worker: RunWorker,
    stub: StubLlm,
    monkeypatch: pytest.MonkeyPatch,
    version: str,
    behaviour: Behaviour,
    cause: str,
) -> None:
    # a queue that stands still is given up after four seconds
    monkeypatch.setattr("locomo_run.claude_mem.canary.CANARY_SECONDS", 14.0)
    stub.behave(behaviour)
    with (
        run_worker(version) as worker,
        Client(f"127.0.0.1:{worker.port}", token="") as client,
    ):
        check = canary(client, ClaudeMemOptions(), name="ab12")

    assert check.grade is Grade.FAIL
    assert check.found.startswith(f"{cause}: no row came within ")


def test_a_mode_that_the_worker_did_not_find_is_told_although_settings_name_it(
    run_worker: RunWorker, program: Program, tmp_path: Path
) -> None:
    with run_worker(NEWEST, MODE="conversation") as worker:
        doctor = program(worker, "doctor", "--no-canary")
        ingested = program(worker, "ingest")

    assert ingested.returncode == 0, ingested.stderr
    assert account(tmp_path)["mode"] == "code"
    assert "The worker's mode is code" in ingested.stderr
    assert (
        "WARN  mode: the worker works in code, but its settings name conversation"
        in doctor.stdout
    )


def test_with_vectors_questions_wait_for_the_index_and_go_as_they_are(
    run_worker: RunWorker,
    stub: StubLlm,
    chroma: Chroma,
    program: Program,
    tmp_path: Path,
) -> None:
    (tmp_path / "few.json").write_text(json.dumps(few_turns()), encoding="utf-8")
    with run_worker(NEWEST, chroma=chroma) as worker:
        wait_for(lambda: has_vectors(worker), within=60.0)
        result = program(
            worker, "run", "--via=import", "--dataset=few.json", "--no-adversarial"
        )

    assert result.returncode == 0, result.stderr
    told = account(tmp_path)
    assert (told["vectors"], told["index"]) == (True, "ready")
    assert list(told["searches"]) == ["question"]
    assert told["without_hits"] == 0
    assert not any("without vectors" in remark for remark in told["remarks"])


def few_turns() -> list[dict[str, Any]]:
    """Cut the data set to what the index takes in seconds: eight turns."""
    text = (files("locomo_dataset") / "data" / "mini.json").read_text(encoding="utf-8")
    talk: dict[str, Any] = json.loads(text)[0]
    kept = {"speaker_a", "speaker_b"}
    for number in (1, 2):
        talk["conversation"][f"session_{number}"] = talk["conversation"][
            f"session_{number}"
        ][:4]
        kept |= {f"session_{number}", f"session_{number}_date_time"}
    return [
        {
            "sample_id": talk["sample_id"],
            "conversation": {
                k: v for k, v in talk["conversation"].items() if k in kept
            },
            "qa": talk["qa"][:5],
        }
    ]


def has_vectors(worker: Worker) -> bool:
    return bool(worker.http.get("/api/chroma/status").json()["connected"])
