"""Completion as a shell asks for it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from locomo_run.cli import COMMANDS

PROGRAM = Path(sys.executable).with_name("locomo-run")


def complete(words: str, folder: Path) -> list[str]:
    done = subprocess.run(
        [PROGRAM],
        cwd=folder,
        env={
            **os.environ,
            "_LOCOMO_RUN_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
        },
        capture_output=True,
        encoding="utf-8",
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    return [line.removeprefix("plain,") for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("locomo-run val", ["validate"]),
        ("locomo-run run --search-l", ["--search-limit"]),
        ("locomo-run dataset st", ["stats"]),
        ("locomo-run run --memory=nowhere --quie", ["--quiet"]),
        ("locomo-run nothing-begins-so", []),
    ],
)
def test_a_word_is_completed(words: str, completed: list[str], tmp_path: Path) -> None:
    assert complete(words, tmp_path) == completed


def test_an_empty_word_offers_every_command(tmp_path: Path) -> None:
    assert complete("locomo-run ", tmp_path) == sorted(COMMANDS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed_for_each_shell(shell: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [PROGRAM],
        cwd=tmp_path,
        env={**os.environ, "_LOCOMO_RUN_COMPLETE": f"{shell}_source"},
        capture_output=True,
        encoding="utf-8",
        timeout=30,
    )

    assert done.returncode == 0, done.stderr
    assert f"_LOCOMO_RUN_COMPLETE={shell}_complete" in done.stdout


def test_bash_takes_the_line_of_the_readme_and_completes(tmp_path: Path) -> None:
    readme = Path(__file__).resolve().parent.parent / "README.md"
    (line,) = (
        line
        for line in readme.read_text(encoding="utf-8").splitlines()
        if line.startswith("eval ")
    )
    script = f"""
        {line}
        COMP_WORDS=(locomo-run val) COMP_CWORD=1
        _locomo_run_completion locomo-run
        echo "${{COMPREPLY[@]}}"
    """
    bash = shutil.which("bash")
    assert bash is not None

    done = subprocess.run(
        [bash, "--norc", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        encoding="utf-8",
        timeout=30,
    )

    assert (done.returncode, done.stdout) == (0, "validate\n"), done.stderr
