"""A memory and a model of somebody else, packaged as the program's README says."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.index

Install = Callable[..., Path]
Run = Callable[..., str]

FILE = re.compile(r"^`([\w./]+)`:\n\n```\w+\n(.+?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture
def program(
    root: Path, uv: str, dist: Path, run: Run, install: Install, tmp_path: Path
) -> Path:
    """The program, installed from wheels beside the distribution of the README."""
    readme = (root / "apps" / "locomo-run" / "README.md").read_text(encoding="utf-8")
    files = dict(FILE.findall(readme))
    assert len(files) == 3
    for name, text in files.items():
        path = tmp_path / "plugins" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    built = tmp_path / "built"
    run(uv, "build", "--wheel", "--out-dir", built, tmp_path / "plugins", cwd=tmp_path)
    return install(*dist.glob("*.whl"), *built.glob("*.whl")).with_name("locomo-run")


def test_a_memory_and_a_model_of_another_distribution_make_a_run(
    program: Path, run: Run, tmp_path: Path
) -> None:
    plugged = ("--memory", "last-turns", "--answerer", "echo:v1", "--limit", "4")

    printed = run(program, "run", *plugged, "--json", "--quiet", cwd=tmp_path)

    figures = json.loads(printed)
    results = json.loads(
        (tmp_path / figures["run"] / "results.json").read_text(encoding="utf-8")
    )
    assert results["metadata"]["memory"] == {"name": "last-turns"}
    assert results["metadata"]["answerer"]["name"] == "echo:v1"
    for question in results["questions"]:
        assert question["prediction"].endswith(question["question"])
        assert question["search_results_used"] == 10


def test_a_name_that_nobody_registered_is_answered_with_those_there_are(
    program: Path, tmp_path: Path, run: Run
) -> None:
    with pytest.raises(AssertionError, match=r"there are .*, last-turns"):
        run(program, "run", "--memory", "first-turns", cwd=tmp_path)
    with pytest.raises(AssertionError, match=r"is registered \(there is echo\)"):
        run(program, "run", "--answerer", "parrot:v1", cwd=tmp_path)
