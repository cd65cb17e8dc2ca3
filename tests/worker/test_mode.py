"""The mode for conversations, as the worker takes it."""

import json

from locomo_run.claude_mem.mode import MODE, active_mode, mode_json, write_mode

from .calls import post, rows, wait_until_idle
from .conftest import RunWorker
from .installation import NEWEST, OLDER, Installation
from .real_worker import Worker
from .stub_llm import Kind, StubLlm

TYPES = {each["id"] for each in json.loads(mode_json())["observation_types"]}


def prepare(run_worker: RunWorker) -> None:
    data_dir = run_worker.home / ".claude-mem"
    data_dir.mkdir(parents=True)
    write_mode(data_dir)


def context(worker: Worker, project: str) -> str:
    return worker.http.get("/api/context/inject", params={"project": project}).text


def test_the_mode_gives_every_prompt_that_the_worker_asks_for(
    installation: Installation,
) -> None:
    shipped = installation.script.parent.parent / "modes" / "code.json"
    theirs = json.loads(shipped.read_text(encoding="utf-8"))
    ours = json.loads(mode_json())

    assert theirs.keys() <= ours.keys()
    assert theirs["prompts"].keys() <= ours["prompts"].keys()
    alike = [
        name
        for name, text in ours["prompts"].items()
        if len(text) > 20 and text.strip() == theirs["prompts"].get(name, "").strip()
    ]
    assert alike == [], "the words are to be our own"


def test_a_chat_becomes_rows_of_the_modes_types(
    run_worker: RunWorker, stub: StubLlm
) -> None:
    prepare(run_worker)
    with run_worker(NEWEST, MODE=MODE) as worker:
        post(worker, "chat", "chat-s1")
        wait_until_idle(worker)

        stored = rows(worker, "chat")
        assert [row["type"] for row in stored] == ["event", "plan"]
        assert active_mode(context(worker, "chat")) == MODE
        assert "falling back to 'code'" not in worker.log()
    (opening,) = stub.calls(Kind.OPENING)
    for text in json.loads(mode_json())["prompts"]["recording_focus"].splitlines():
        assert text in opening.prompts[0]


def test_without_the_file_the_newest_works_in_the_mode_for_code(
    run_worker: RunWorker, stub: StubLlm
) -> None:
    with run_worker(NEWEST, MODE=MODE) as worker:
        post(worker, "chat", "chat-s1")
        wait_until_idle(worker)

        assert not {row["type"] for row in rows(worker, "chat")} & TYPES
        assert active_mode(context(worker, "chat")) == "code"
        assert "falling back to 'code'" in worker.log()


def test_the_older_generation_does_not_look_in_the_data_directory(
    run_worker: RunWorker, stub: StubLlm
) -> None:
    prepare(run_worker)
    with run_worker(OLDER, MODE=MODE) as worker:
        post(worker, "chat", "chat-s1")
        wait_until_idle(worker)

        assert not {row["type"] for row in rows(worker, "chat")} & TYPES
        assert active_mode(context(worker, "chat")) is None
        assert "falling back to 'code'" in worker.log()
