"""The memory of the README is one that the runner takes."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from locomo_run import start
from locomo_run.cli import root
from locomo_run.memory import Memory

README = Path(__file__).resolve().parent.parent / "README.md"


def test_the_memory_of_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = re.findall(r"```python\n(.+?)```", README.read_text("utf-8"), re.DOTALL)[0]
    names: dict[str, type[Memory]] = {}
    exec(compile(code, README, "exec"), names)  # noqa: S102  # the README's own words
    memory = names["LastTurns"]()
    monkeypatch.setattr(start, "open_memory", lambda *args, **settings: memory)

    done = CliRunner().invoke(
        root, ["run", "--quiet", "--out", str(tmp_path / "run")], catch_exceptions=False
    )

    assert done.exit_code == 0
    assert "overall" in done.stdout


def test_every_command_of_the_readme_has_a_help() -> None:
    text = README.read_text(encoding="utf-8")
    for command in set(re.findall(r"^locomo-run ([a-z]+)", text, re.MULTILINE)):
        done = CliRunner().invoke(root, [command, "--help"])
        assert done.exit_code == 0, command
