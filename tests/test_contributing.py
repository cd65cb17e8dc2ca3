"""What CONTRIBUTING.md says is so."""

import re
import tomllib
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_every_marker_is_explained(root: Path, page: str) -> None:
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    declared = [
        text.partition(":")[0] for text in settings["tool"]["pytest"]["markers"]
    ]

    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == declared


def test_every_file_of_ours_that_it_names_exists(root: Path, page: str) -> None:
    named = re.findall(r"\.(?:ci|github)/[\w./]*\w", page)

    assert len(set(named)) == 5
    assert not [name for name in named if not (root / name).is_file()]


def test_setting_up_takes_three_commands(page: str) -> None:
    first = re.search(r"```sh\n(.+?)```", page, re.DOTALL)

    assert first is not None
    assert first[1].splitlines() == [
        "python3 -m pip install uv",
        "uv sync",
        "uv run pytest",
    ]
