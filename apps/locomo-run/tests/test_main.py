import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from locomo_run.cli import COMMANDS, root
from locomo_run.versions import version_lines


def program(
    *arguments: str, folder: Path, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "locomo_run", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        timeout=30,
    )


def test_the_version_is_asked_for_in_one_word(tmp_path: Path) -> None:
    done = program("--version", folder=tmp_path)

    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().splitlines() == list(version_lines())
    assert done.stdout.startswith(b"locomo-run ")


def test_help_lists_the_commands_and_the_exit_codes(tmp_path: Path) -> None:
    short, long = program("-h", folder=tmp_path), program("--help", folder=tmp_path)

    assert (short.returncode, long.returncode) == (0, 0)
    assert short.stdout == long.stdout
    text = " ".join(long.stdout.decode().split())
    for part in ("dataset", "report", "status", "validate", "LOCOMO_RUN_SEARCH_LIMIT"):
        assert part in text
    for code in ("0 done", "1 failed", "2 usage", "3 the run is not valid", "130"):
        assert code in text


@pytest.mark.parametrize("arguments", [("repot",), ("run", "--serch-limit", "3"), ()])
def test_a_call_that_cannot_be_read_ends_with_exit_2(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = program(*arguments, folder=tmp_path)

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"Usage: ")
    assert list(tmp_path.iterdir()) == []


def test_output_is_utf_8_whatever_the_environment_says(tmp_path: Path) -> None:
    done = program(
        *("run", "--limit", "1", "--out", "é\u2028"),
        folder=tmp_path,
        PYTHONIOENCODING="ascii",
    )

    assert done.returncode == 0, done.stderr
    errors = done.stderr.decode("utf-8")
    assert errors.startswith("run: é\u2028\n[QA 1/1] mini-1 — Q 1/1 — F1: ")
    assert "\nToken F1 by category" in done.stdout.decode("utf-8")


def test_a_name_that_is_not_utf_8_is_no_error_of_ours(tmp_path: Path) -> None:
    done = program("run", "--question", "\udcff", folder=tmp_path)

    assert done.returncode == 2
    assert done.stderr.startswith(b"Error: no question '\\udcff' in mini.json; ")


def test_a_reader_that_leaves_early_is_no_error_of_ours(tmp_path: Path) -> None:
    program("run", "--out", "here", "--quiet", folder=tmp_path)
    reading, writing = os.pipe()
    os.close(reading)

    done = subprocess.run(
        [sys.executable, "-m", "locomo_run", "report", "here"],
        cwd=tmp_path,
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=30,
    )
    os.close(writing)

    assert done.returncode == 1
    assert b"Traceback" not in done.stderr


def test_a_start_without_standard_streams_is_no_error_of_ours(tmp_path: Path) -> None:
    script = 'exec "$0" -m locomo_run run --limit 1 --out here --quiet >&- 2>&-'

    done = subprocess.run(
        ["/bin/sh", "-c", script, sys.executable], cwd=tmp_path, timeout=30
    )

    assert done.returncode == 0
    assert (tmp_path / "here/results.json").is_file()


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_list_says_of_a_command_what_its_own_help_says(name: str) -> None:
    command = root.get_command(click.Context(root), name)

    assert command is not None
    assert COMMANDS[name][1] == command.get_short_help_str(limit=400).rstrip(".") + "."


def test_the_list_of_commands_is_sorted() -> None:
    assert list(COMMANDS) == sorted(COMMANDS)
