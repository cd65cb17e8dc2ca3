import asyncio
import json
from pathlib import Path

import httpx
import pytest
from cmem_client import AsyncClient, resolve
from locomo_run.claude_mem.mode import (
    MODE,
    activation_hint,
    active_mode,
    ask_mode,
    mode_json,
    write_mode,
)
from locomo_run.errors import RunError


def test_every_type_and_concept_of_the_mode_is_explained_to_the_model() -> None:
    mode = json.loads(mode_json())

    for each in mode["observation_types"]:
        assert f"- {each['id']}: " in mode["prompts"]["type_guidance"]
    for each in mode["observation_concepts"]:
        assert each["id"] in mode["prompts"]["concept_guidance"]


def test_the_mode_lacks_no_label() -> None:
    mode = json.loads(mode_json())

    for each in mode["observation_types"]:
        assert each.keys() == {"id", "label", "description", "emoji", "work_emoji"}
        assert all(each.values())
    for each in mode["observation_concepts"]:
        assert each.keys() == {"id", "label", "description"}
        assert all(each.values())


def test_the_mode_is_about_no_benchmark() -> None:
    assert "locomo" not in mode_json().lower()


def test_the_mode_lies_where_the_worker_looks_and_writing_it_again_is_harmless(
    tmp_path: Path,
) -> None:
    path = write_mode(tmp_path)

    assert path == tmp_path / "modes" / "conversation.json"
    assert path.read_text(encoding="utf-8") == mode_json()
    assert write_mode(tmp_path) == path


def test_a_mode_of_somebody_else_is_replaced_only_on_purpose(tmp_path: Path) -> None:
    path = tmp_path / "modes" / f"{MODE}.json"
    path.parent.mkdir()
    path.write_text("{}", encoding="utf-8")

    with pytest.raises(RunError, match="holds another mode"):
        write_mode(tmp_path)
    assert path.read_text(encoding="utf-8") == "{}"

    write_mode(tmp_path, overwrite=True)
    assert path.read_text(encoding="utf-8") == mode_json()


def test_a_missing_data_directory_is_said_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no worker's data directory at"):
        write_mode(tmp_path / "nowhere")

    assert not (tmp_path / "nowhere").exists()


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "modes").write_text("a file", encoding="utf-8")

    with pytest.raises(RunError, match=r"cannot write .*conversation\.json: "):
        write_mode(tmp_path)


def test_the_hint_names_the_settings_file_and_the_mode(tmp_path: Path) -> None:
    hint = activation_hint(write_mode(tmp_path))

    assert f'"CLAUDE_MEM_MODE": "{MODE}" in {tmp_path / "settings.json"}' in hint


@pytest.mark.parametrize(
    ("context", "mode"),
    [
        ("# [p] recent context, 1 May\nMode: Conversation (conversation)\n", MODE),
        ("# [p]\nMode: Code (and more) (code--chill)\n\nrows", "code--chill"),
        ("# [p] recent context\n\nNo previous sessions found.", None),
        ("a row that says Mode: Conversation (conversation) within", None),
        ("", None),
    ],
)
def test_the_active_mode_is_read_from_the_workers_context(
    context: str, mode: str | None
) -> None:
    assert active_mode(context) == mode


@pytest.mark.parametrize(
    ("answers", "asked", "mode"),
    [
        ([(404, "")], ["a"], None),
        ([(500, "locked")], ["a"], None),
        (
            [(200, "Nothing yet."), (200, "Mode: Talk (conversation)\n")],
            ["a", "b"],
            "conversation",
        ),
        ([(200, "Nothing yet.")] * 3, ["a", "b", "c"], None),
    ],
    ids=["an older worker", "a broken one", "rows in the second", "rows in none"],
)
def test_a_worker_is_asked_for_its_mode_until_it_tells_or_fails(
    answers: list[tuple[int, str]], asked: list[str], mode: str | None
) -> None:
    left, seen = iter(answers), []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.params["project"])
        status, text = next(left)
        return httpx.Response(status, text=text)

    async def ask() -> str | None:
        local = resolve("localhost:37777", token="")
        async with AsyncClient(local, transport=httpx.MockTransport(answer)) as client:
            return await ask_mode(client, ["a", "b", "c"])

    assert asyncio.run(ask()) == mode
    assert seen == asked
