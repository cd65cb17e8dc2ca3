"""Completion as a shell asks for it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from locomo_run.cli import COMMANDS, root


def asked(instruction: str, **environment: str) -> str:
    """What the program prints when a shell asks."""
    done = CliRunner().invoke(
        root,
        prog_name="locomo-run",
        env={"_LOCOMO_RUN_COMPLETE": instruction, **environment},
        catch_exceptions=False,
    )
    assert done.exit_code == 0, done.stderr
    return done.stdout


def complete(words: str) -> list[str]:
    printed = asked("bash_complete", COMP_WORDS=words, COMP_CWORD=str(words.count(" ")))
    return [line.removeprefix("plain,") for line in printed.split()]


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
def test_a_word_is_completed(words: str, completed: list[str]) -> None:
    assert complete(words) == completed


def test_an_empty_word_offers_every_command() -> None:
    assert complete("locomo-run ") == sorted(COMMANDS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed_for_each_shell(shell: str) -> None:
    assert f"_LOCOMO_RUN_COMPLETE={shell}_complete" in asked(f"{shell}_source")


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
    program = Path(sys.executable).parent
    bash = shutil.which("bash")
    assert bash is not None

    done = subprocess.run(
        [bash, "--norc", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{program}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        encoding="utf-8",
        timeout=30,
    )

    assert (done.returncode, done.stdout) == (0, "validate\n"), done.stderr
