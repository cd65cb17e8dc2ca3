from pathlib import Path

import pytest
from cmem_client._settings import (
    data_directory,
    port_number,
    read_settings,
    read_token,
)


@pytest.mark.parametrize(
    ("value", "port"),
    [
        ("37777", 37777),
        (" 37777 ", 37777),
        (8080, 8080),
        (1, 1),
        (65535, 65535),
        (65536, None),
        (0, None),
        (-1, None),
        (True, None),
        (1.5, None),
        ("", None),
        (None, None),
        pytest.param("9" * 5000, None, id="long"),
        ("²", None),
    ],
)
def test_a_port_is_a_number_from_1_to_65535(value: object, port: int | None) -> None:
    assert port_number(value) == port


def test_the_data_directory_is_named_by_environment_then_settings_then_default(
    tmp_path: Path,
) -> None:
    default = tmp_path / ".claude-mem"
    assert data_directory({}, tmp_path) == default

    default.mkdir()
    (default / "settings.json").write_text(
        '{"CLAUDE_MEM_DATA_DIR": "~/elsewhere"}', encoding="utf-8"
    )
    assert data_directory({}, tmp_path) == tmp_path / "elsewhere"

    environ = {"CLAUDE_MEM_DATA_DIR": str(tmp_path / "mine")}
    assert data_directory(environ, tmp_path) == tmp_path / "mine"


def test_a_directory_without_files_says_nothing(tmp_path: Path) -> None:
    found = read_settings(tmp_path)

    assert (found.host, found.port, found.bound_port, found.notes) == (
        None,
        None,
        None,
        (),
    )


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("", "settings.json ignored: no valid JSON"),
        ("[" * 200_000, "settings.json ignored: no valid JSON"),
        ("[1]", "settings.json ignored: no JSON object"),
    ],
)
def test_a_file_that_cannot_be_used_is_noted(
    tmp_path: Path, text: str, note: str
) -> None:
    (tmp_path / "settings.json").write_text(text, encoding="utf-8")

    assert read_settings(tmp_path).notes == (note,)


def test_a_file_that_cannot_be_opened_is_noted(tmp_path: Path) -> None:
    (tmp_path / "worker.pid").mkdir()

    (note,) = read_settings(tmp_path).notes

    assert note.startswith("worker.pid ignored: ")


def test_values_of_odd_types_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text(
        '{"CLAUDE_MEM_WORKER_HOST": 7, "CLAUDE_MEM_WORKER_PORT": [1]}', encoding="utf-8"
    )

    found = read_settings(tmp_path)

    assert (found.host, found.port) == (None, None)


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("AUTH_TOKEN=one", "one"),
        ("CLAUDE_MEM_AUTH_TOKEN=two", "two"),
        ("AUTH_TOKEN=one\nCLAUDE_MEM_AUTH_TOKEN=two", "two"),
        ("CLAUDE_MEM_AUTH_TOKEN=\nAUTH_TOKEN=one", "one"),
        ("export AUTH_TOKEN = 'one' \r\n", "one"),
        ('\ufeffAUTH_TOKEN="one"', "one"),
        ("AUTH_TOKEN=a=b==", "a=b=="),
        ("# AUTH_TOKEN=one", None),
        ("MY_AUTH_TOKEN=one\nANTHROPIC_AUTH_TOKEN=two\nAUTH_TOKEN2=three", None),
        ("ANTHROPIC_API_KEY=sk-ant-1\nOPENROUTER_API_KEY=sk-or-1", None),
        ("AUTH_TOKEN", None),
        ("", None),
    ],
)
def test_of_the_env_file_only_the_token_is_read(
    tmp_path: Path, text: str, token: str | None
) -> None:
    (tmp_path / ".env").write_text(text, encoding="utf-8")

    assert read_token(tmp_path / ".env") == token


def test_without_an_env_file_there_is_no_token(tmp_path: Path) -> None:
    assert read_token(tmp_path / ".env") is None
