"""The hooks pass on what is here, and stop what they are there to stop."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.index

Run = Callable[..., str]

UNTIDY = "import os\n\n\nx = [ 1,2 ]\n"


@pytest.fixture
def checkout(root: Path, run: Run, tmp_path: Path) -> Path:
    """A repository with one member of this one, and the project files of all."""
    folder = tmp_path / "checkout"
    listing = ("git", "ls-files", "--cached", "--others", "--exclude-standard", "--")
    some = (".pre-commit-config.yaml", "README.md", "uv.lock", "packages/qa-f1")
    for name in run(*listing, *some, "*pyproject.toml", cwd=root).splitlines():
        source, target = root / name, folder / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target, follow_symlinks=False)
    run("git", "init", "--quiet", cwd=folder)
    run("git", "add", "--all", cwd=folder)
    return folder


@pytest.fixture
def hooks(uv: str, run: Run, checkout: Path, tmp_path: Path) -> Callable[[], str]:
    """Run every hook over every file; fails as they do."""
    program = (uv, "run", "--no-project", "--isolated", "--with", "pre-commit")
    home = f"PRE_COMMIT_HOME={tmp_path / 'home'}"
    whole = ("pre-commit", "run", "--all-files", "--color", "never")
    return lambda: run("env", home, *program, *whole, cwd=checkout)


def test_the_hooks_pass_and_then_stop_what_is_untidy(
    run: Run, checkout: Path, hooks: Callable[[], str]
) -> None:
    assert hooks().count("Passed\n") == 4

    (checkout / "packages/qa-f1/src/qa_f1/_new.py").write_text(UNTIDY, encoding="utf-8")
    with (checkout / "README.md").open("a", encoding="utf-8") as readme:
        readme.write("The end. \n")
    pyproject = checkout / "packages/qa-f1/pyproject.toml"
    text = pyproject.read_text(encoding="utf-8")
    pyproject.write_text(
        text.replace("snowballstemmer>=", "snowballstemmer!=2.5,>="), encoding="utf-8"
    )
    run("git", "add", "--all", cwd=checkout)
    with pytest.raises(AssertionError) as stopped:
        hooks()

    assert str(stopped.value).count("Failed\n") == 4
    assert "README.md:" in str(stopped.value)
    changed = subprocess.run(
        ["git", "diff", "--name-only"],
        cwd=checkout,
        capture_output=True,
        encoding="utf-8",
    )
    assert changed.stdout == "packages/qa-f1/src/qa_f1/_new.py\n"
