from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cmem_client import Cooldown, Observation, resolve
from locomo_run.claude_mem.settings import (
    WorkerSettings,
    data_directory,
    end_of,
    mode_of_rows,
    read_settings,
)

NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
HERE = resolve("localhost:30001", token="")


def write(folder: Path, name: str, value: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str) else json.dumps(value)
    (folder / name).write_text(text, encoding="utf-8-sig")


def settings_of(home: Path) -> WorkerSettings | None:
    return read_settings(HERE, {}, home)


def test_model_and_mode_are_read_from_the_workers_own_settings(tmp_path: Path) -> None:
    write(
        tmp_path / ".claude-mem",
        "settings.json",
        {
            "CLAUDE_MEM_WORKER_PORT": "30001",
            "CLAUDE_MEM_MODE": "conversation",
            "CLAUDE_MEM_PROVIDER": "openrouter",
            "CLAUDE_MEM_OPENROUTER_MODEL": "some/model",
            "CLAUDE_MEM_OPENROUTER_API_KEY": "s3cret",
        },
    )

    found = settings_of(tmp_path)

    assert found is not None
    assert (found.mode, found.provider, found.model) == (
        "conversation",
        "openrouter",
        "some/model",
    )
    assert "s3cret" not in repr(found)


def test_without_a_mode_the_worker_is_in_its_own_default(tmp_path: Path) -> None:
    write(tmp_path / ".claude-mem", "worker.pid", {"pid": 1, "port": 30001})

    found = settings_of(tmp_path)

    assert found is not None
    assert (found.mode, found.provider, found.model) == ("code", None, None)


@pytest.mark.parametrize(
    "content", [{"CLAUDE_MEM_WORKER_PORT": "30002"}, {}, "{broken", "[]", "7"]
)
def test_the_files_of_another_worker_say_nothing(
    tmp_path: Path, content: object
) -> None:
    write(tmp_path / ".claude-mem", "settings.json", content)

    assert settings_of(tmp_path) is None


def test_a_worker_on_another_machine_is_not_looked_up_here(tmp_path: Path) -> None:
    write(
        tmp_path / ".claude-mem", "settings.json", {"CLAUDE_MEM_WORKER_PORT": "30001"}
    )
    elsewhere = resolve("worker.example:30001", token="")

    assert read_settings(elsewhere, {}, tmp_path) is None


def test_the_environment_names_the_data_directory_before_the_settings(
    tmp_path: Path,
) -> None:
    default = tmp_path / ".claude-mem"
    assert data_directory({}, tmp_path) == default
    write(default, "settings.json", {"CLAUDE_MEM_DATA_DIR": str(tmp_path / "b")})
    assert data_directory({}, tmp_path) == tmp_path / "b"
    named = {"CLAUDE_MEM_DATA_DIR": str(tmp_path / "a")}
    assert data_directory(named, tmp_path) == tmp_path / "a"


@pytest.mark.parametrize(
    ("content", "minutes"),
    [
        ([{"provider": "a", "armedAtMs": (NOW.timestamp() - 60) * 1000}], 29),
        (
            [
                {"armedAtMs": (NOW.timestamp() - 1200) * 1000},
                {"armedAtMs": NOW.timestamp() * 1000},
                {"armedAtMs": "never"},
                "x",
            ],
            30,
        ),
        ([{"armedAtMs": (NOW.timestamp() - 1801) * 1000}], None),
        ({"armedAtMs": NOW.timestamp() * 1000}, None),
        ("{", None),
    ],
)
def test_a_cooldown_ends_thirty_minutes_after_it_began(
    tmp_path: Path, content: object, minutes: int | None
) -> None:
    write(tmp_path, "quota-cooldown.json", content)
    settings = WorkerSettings(
        directory=tmp_path, mode="code", provider=None, model=None
    )

    end = settings.cooldown_until(NOW)

    assert end == (None if minutes is None else NOW + timedelta(minutes=minutes))


@pytest.mark.parametrize(
    ("minutes", "is_on"), [(0, False), (-5, False), (12, True), (30, True), (92, False)]
)
def test_a_logged_cooldown_counts_while_it_can_still_be_on(
    minutes: int, *, is_on: bool
) -> None:
    until = NOW + timedelta(minutes=minutes)

    end = end_of(Cooldown(told=NOW, until=until), NOW)

    assert end == (until if is_on else None)
    assert end_of(None, NOW) is None


def test_without_a_file_there_is_no_cooldown(tmp_path: Path) -> None:
    settings = WorkerSettings(
        directory=tmp_path, mode="code", provider=None, model=None
    )

    assert settings.cooldown_until(NOW) is None


@pytest.mark.parametrize(
    ("types", "mode"),
    [
        (["discovery", "bugfix"], "code"),
        (["event", "fact"], "other"),
        (["event", "discovery"], None),
        ([None], None),
        ([], None),
    ],
)
def test_the_types_of_rows_tell_the_mode_unless_they_are_mixed(
    types: list[str | None], mode: str | None
) -> None:
    rows = [
        Observation(id=number, project="p", type=kind)
        for number, kind in enumerate(types)
    ]

    assert mode_of_rows(rows) == mode
