import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from llm_judge import JudgeSettings
from llm_judge.testing import FakeMessagesAPI, FakeRequest
from locomo_run.batches.ledger import Batch
from locomo_run.ledger.entry import Attempt, Json, Stage, Status
from locomo_run.ledger.store import Ledger

Call = Callable[..., Result]

TAKES_TIME = frozenset({"latency", "timestamp", "search_latency_ms"})


@pytest.fixture
def paid(endpoint: Callable[..., FakeMessagesAPI]) -> FakeMessagesAPI:
    """An endpoint whose judges always say the same."""

    def reply(request: FakeRequest) -> str:
        verdict = '"label": "CORRECT"' if '"label"' in request.system else '"score": 70'
        return f'{{{verdict}, "explanation": "So."}}'

    return endpoint(reply=reply)


def figures(run: Path) -> dict[str, Any]:
    """Everything in results.json that does not tell the time."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                name: timeless(part)
                for name, part in value.items()
                if name not in TAKES_TIME and not name.endswith("latency_ms")
            }
        return [timeless(part) for part in value] if isinstance(value, list) else value

    whole = timeless(json.loads((run / "results.json").read_text("utf-8")))
    assert isinstance(whole, dict)
    return whole


@pytest.fixture
def shards(call: Call, folder: Path) -> tuple[Path, Path]:
    """Two runs that together cover one category of the small data set."""
    for name in ("mini-1", "mini-2"):
        part = ("--conversation", name, "--category", "multi-hop")
        done = call("run", *part, "--out", name, "--quiet")
        assert done.exit_code == 0, done.output
    return folder / "mini-1", folder / "mini-2"


def set_reply(run: Path, stage: Stage, reply: dict[str, Any]) -> str:
    """Give one entry of a stage another good reply; return its item."""
    with Ledger.write(run) as ledger:
        entry = min(ledger.entries(stage), key=lambda e: e.request.item)
        ledger.append(entry.request, Attempt(status=Status.OK, reply=reply))
    return entry.request.item


def test_merged_shards_equal_the_run_that_was_not_sharded(
    call: Call, folder: Path, paid: FakeMessagesAPI
) -> None:
    shards = ("mini-1", "mini-2")
    call("run", "--out", "whole", "--quiet")
    for name in shards:
        call("run", "--conversation", name, "--out", name, "--quiet")
    judging = (
        *("--judge", "claude-haiku-4-5", "--judge-runs", "1", "--quiet"),
        *("--judge-protocol", "graded", "--judge-protocol", "strict"),
    )
    for run in ("whole", "mini-1", "mini-2"):
        assert call("judge", run, *judging).exit_code == 0
    assert call("merge", "one", *shards).exit_code == 0
    assert call("merge", "other", *reversed(shards)).exit_code == 0
    assert figures(folder / "one") == figures(folder / "whole")
    assert figures(folder / "other") == figures(folder / "whole")
    assert json.loads((folder / "one/results.json").read_text("utf-8"))["judge"]


def test_a_merge_is_a_run_that_goes_on(
    call: Call, folder: Path, shards: tuple[Path, Path]
) -> None:
    call("merge", "merged", shards[0])
    again = call("run", "--out", "merged", "--quiet")
    assert again.exit_code == 0, again.output
    with Ledger.read(folder / "merged") as ledger:
        assert {e.attempts for e in ledger.entries(Stage.ANSWER)} == {1}
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_an_earlier_merge_grows_and_keeps_what_was_bought_in_it(
    call: Call, folder: Path, shards: tuple[Path, Path], paid: FakeMessagesAPI
) -> None:
    call("merge", "merged", shards[0])
    judging = ("--judge", "claude-haiku-4-5", "--judge-runs", "1", "--quiet")
    assert call("judge", "merged", *judging).exit_code == 0
    bought = paid.counts.bought
    grown = call("merge", "merged", *shards, "--json")
    said = json.loads(grown.stdout)
    assert said["runs"] == ["merged", str(shards[0]), str(shards[1])]
    assert said["entries"]["judge"] == bought
    assert said["duplicates"]["answer"] == said["duplicates"]["search"]
    assert said["conflicts"] == []
    with Ledger.read(folder / "merged") as ledger:
        assert ledger.fact("merged_from") == [str(shards[0]), str(shards[1])]
        assert {e.attempts for e in ledger.entries(Stage.ANSWER)} == {1}


def test_runs_of_other_settings_are_refused_and_nothing_is_left(
    call: Call, folder: Path, shards: tuple[Path, Path]
) -> None:
    call("run", "--limit", "1", "--search-limit", "3", "--out", "third", "--quiet")
    refused = call("merge", "merged", shards[0], "third")
    assert refused.exit_code == 2
    assert f"search.limit: {shards[0]} has 10, third has 3" in refused.output
    assert sorted(path.name for path in folder.iterdir()) == [
        "mini-1",
        "mini-2",
        "third",
    ]


def set_mode(run: Path, mode: str | None) -> None:
    """Let a run have searched a claude-mem worker of a mode."""
    with Ledger.write(run) as ledger:
        identity = ledger.fact("identity")
        assert isinstance(identity, dict)
        memory = {"name": "claude-mem", "mode": mode}
        ledger.set_facts({"identity": {**identity, "memory": memory}})


def test_a_mode_that_one_run_does_not_know_is_taken_from_another(
    call: Call, folder: Path, shards: tuple[Path, Path]
) -> None:
    set_mode(shards[0], None)
    set_mode(shards[1], "code")

    assert call("merge", "merged", *shards).exit_code == 0

    assert figures(folder / "merged")["metadata"]["memory"]["mode"] == "code"


def test_a_run_without_a_mode_does_not_reconcile_two_that_differ(
    call: Call, folder: Path, shards: tuple[Path, Path]
) -> None:
    shutil.copytree(shards[1], folder / "third")
    for run, mode in ((shards[0], None), (shards[1], "code"), (folder / "third", "x")):
        set_mode(run, mode)

    refused = call("merge", "merged", *shards, "third")

    assert refused.exit_code == 2
    assert "memory.mode: " in refused.output


def test_of_two_replies_the_first_runs_is_used_and_the_other_is_listed(
    call: Call, folder: Path
) -> None:
    call("run", "--question", "mini-1:0", "--out", "a", "--quiet")
    shutil.copytree("a", "b")
    set_reply(folder / "b", Stage.ANSWER, {"text": "something else"})
    said = call("merge", "ab", "a", "b")
    assert (
        "with different replies: 1\n  answer mini-1:0, run 0: a is used, b is not"
        in (said.output)
    )
    call("merge", "ba", "b", "a")
    predictions = {
        run: figures(folder / run)["questions"][0]["prediction"]
        for run in ("a", "ab", "ba")
    }
    assert predictions["ab"] == predictions["a"]
    assert predictions["ba"] == "something else"


def test_the_answer_that_is_used_read_the_hits_that_are_used(
    call: Call, folder: Path
) -> None:
    call("run", "--question", "mini-1:0", "--out", "a", "--quiet")
    shutil.copytree("a", "b")
    with Ledger.write(folder / "b") as ledger:
        (search,) = ledger.entries(Stage.SEARCH)
        nothing = {"hits": ledger.store("[]")}
        ledger.append(search.request, Attempt(status=Status.OK, reply=nothing))
    call("run", "--question", "mini-1:0", "--out", "b", "--quiet")
    assert figures(folder / "a")["questions"] != figures(folder / "b")["questions"]
    for out, runs in (("ab", ("a", "b")), ("ba", ("b", "a"))):
        call("merge", out, *runs)
        kept = figures(folder / out)["questions"]
        assert kept == figures(folder / runs[0])["questions"]


def test_many_conflicts_are_cut_in_the_text_and_whole_in_json(
    call: Call, folder: Path
) -> None:
    call("run", "--limit", "12", "--out", "a", "--quiet")
    shutil.copytree("a", "b")
    with Ledger.write(folder / "b") as ledger:
        for entry in list(ledger.entries(Stage.ANSWER)):
            reply = {"text": "else"}
            ledger.append(entry.request, Attempt(status=Status.OK, reply=reply))
    assert "and 2 more; --json lists them all" in call("merge", "ab", "a", "b").output
    said = json.loads(call("merge", "again", "a", "b", "--json").stdout)
    assert len(said["conflicts"]) == 12
    assert said["conflicts"][0] == {
        "stage": "answer",
        "item": "mini-1:0",
        "run": 0,
        "kept": "a",
        "other": "b",
    }


def test_a_failure_of_the_first_run_gives_way_to_a_reply_of_the_second(
    call: Call, folder: Path, paid: FakeMessagesAPI
) -> None:
    call("run", "--question", "mini-1:0", "--out", "a", "--quiet")
    shutil.copytree("a", "b")
    judging = ("--judge", "claude-haiku-4-5", "--judge-runs", "1", "--quiet")
    call("judge", "b", *judging)
    shutil.copytree("b", "c")
    with Ledger.write(folder / "c") as ledger:
        (entry,) = ledger.entries(Stage.JUDGE)
        request = entry.request
    shutil.rmtree("c")
    with Ledger.write(folder / "a") as ledger:
        failed = Attempt(status=Status.INFRA_ERROR, reason="no reply")
        ledger.append(request, failed)
    said = json.loads(call("merge", "ab", "a", "b", "--json").stdout)
    assert (said["duplicates"].get("judge"), said["conflicts"]) == (None, [])
    with Ledger.read(folder / "ab") as ledger:
        (entry,) = ledger.entries(Stage.JUDGE)
        assert (entry.ok, entry.attempts) == (True, 2)


def test_settings_that_do_not_identify_a_run_may_differ_and_are_said(
    call: Call, folder: Path, shards: tuple[Path, Path]
) -> None:
    with Ledger.write(shards[1]) as ledger:
        ledger.set_facts({"headline": "mem0"})
    said = call("merge", "merged", *shards)
    assert f"told differently: headline; {shards[0]} has the say" in said.output
    assert figures(folder / "merged")["metadata"]["headline"] == "locomo"


def test_a_run_of_its_own_is_not_overwritten(
    call: Call, shards: tuple[Path, Path]
) -> None:
    before = (shards[0] / "ledger.sqlite").read_bytes()
    refused = call("merge", *shards)
    assert refused.exit_code == 2
    assert "is a run of its own and stays as it is" in refused.output
    assert (shards[0] / "ledger.sqlite").read_bytes() == before


def test_a_folder_with_something_else_is_left_alone(
    call: Call, folder: Path, shards: tuple[Path, Path]
) -> None:
    (folder / "notes").mkdir()
    (folder / "notes/today.txt").write_text("mine", encoding="utf-8")
    refused = call("merge", "notes", *shards)
    assert refused.exit_code == 2
    assert "holds something that is not a run" in refused.output
    assert [path.name for path in (folder / "notes").iterdir()] == ["today.txt"]


def test_an_empty_folder_will_do(
    call: Call, folder: Path, shards: tuple[Path, Path]
) -> None:
    (folder / "empty").mkdir()
    assert call("merge", "empty", *shards).exit_code == 0
    assert (folder / "empty/report.md").is_file()


def test_what_is_no_run_is_named(call: Call, folder: Path) -> None:
    refused = call("merge", "merged", "nowhere")
    assert refused.exit_code == 1
    assert "nowhere is not a run directory" in refused.output


def test_a_merge_that_is_being_written_is_left_alone(
    call: Call, folder: Path, shards: tuple[Path, Path]
) -> None:
    call("merge", "merged", shards[0])
    with Ledger.write(folder / "merged"):
        refused = call("merge", "merged", *shards)
    assert refused.exit_code == 1
    assert "is being written by" in refused.output


def test_the_data_set_is_taken_from_where_it_is(
    call: Call, folder: Path, shards: tuple[Path, Path]
) -> None:
    with Ledger.write(shards[0]) as ledger:
        ledger.set_facts({"source": "/elsewhere/mini.json"})
    assert call("merge", "merged", *shards).exit_code == 0
    with Ledger.write(shards[1]) as ledger:
        ledger.set_facts({"source": "/elsewhere/too.json"})
    refused = call("merge", "other", *shards)
    assert refused.exit_code == 2
    assert "/elsewhere/mini.json" in refused.output
    assert call("merge", "other", *shards, "--dataset", "mini").exit_code == 0


def test_a_data_set_in_a_file_is_found_where_a_run_noted_it(
    call: Call, folder: Path
) -> None:
    content = (files("locomo_dataset") / "data/mini.json").read_bytes()
    (folder / "data.json").write_bytes(content)
    for name in ("a", "b"):
        given = ("--dataset", "data.json", "--limit", "1")
        call("run", "--out", name, "--quiet", *given)
    with Ledger.write(folder / "a") as ledger:
        ledger.set_facts({"source": "/elsewhere/data.json"})
    assert call("merge", "merged", "a", "b").exit_code == 0
    with Ledger.read(folder / "merged") as ledger:
        assert ledger.fact("source") == str(folder / "data.json")


def test_a_run_that_waits_for_a_batch_is_refused(
    call: Call, folder: Path, shards: tuple[Path, Path]
) -> None:
    batch = Batch(
        id="0123456789abcdef",
        stage=Stage.JUDGE,
        purpose="a judge",
        settings=JudgeSettings(),
        endpoint="http://localhost",
        requests=1,
        ids_digest="",
        cost=0.0,
        planned_at=datetime(2026, 1, 2, tzinfo=UTC),
    )
    with Ledger.write(shards[1]) as ledger:
        ledger.batches.plan(batch, {})
    refused = call("merge", "merged", *shards)
    assert refused.exit_code == 2
    assert f"{shards[1]} still waits for 1 batches" in refused.output
    assert not (folder / "merged").exists()


HELD: dict[str, Json] = {"sessions": 2, "stored": 2, "observations": 3, "missing": []}


def test_what_claude_mem_runs_tell_is_joined(
    call: Call, folder: Path, shards: tuple[Path, Path]
) -> None:
    for run, reused in zip(shards, (False, True), strict=True):
        with Ledger.write(run) as ledger:
            account: dict[str, Json] = {
                "reused": reused,
                "workers": [{"version": "1", "pid": 7 + reused}],
                "ingestion": {run.name: HELD},
                "searches": {"keywords": 1},
            }
            ledger.set_facts({"claude_mem": account})
    assert call("merge", "merged", *shards).exit_code == 0
    with Ledger.read(folder / "merged") as ledger:
        told = ledger.fact("claude_mem")
    assert isinstance(told, dict)
    assert told["reused"] is True
    assert [worker["pid"] for worker in told["workers"]] == [7, 8]
    assert set(told["ingestion"]) == {"mini-1", "mini-2"}
    assert sum(told["searches"].values()) == 10
