"""The model client works with both majors of the SDK, and without it."""

import os
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.index

FILES = (
    "test_anthropic_batches.py",
    "test_anthropic_errors.py",
    "test_anthropic_model.py",
    "test_readme.py",
)


def run(*command: str | Path, cwd: Path) -> str:
    settings = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "VIRTUAL_ENV", "PYTEST_ADDOPTS")
    }
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, env=settings
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("requirement", "major"),
    [("anthropic==1.0.0", "1"), ("anthropic<2", "1"), ("anthropic<3", "2")],
)
def test_the_client_passes_its_tests_with_this_sdk(
    root: Path, uv: str, tmp_path: Path, requirement: str, major: str
) -> None:
    python = environment(root, uv, tmp_path, requirement)
    version = "import anthropic; print(anthropic.__version__)"
    assert run(python, "-c", version, cwd=tmp_path).split(".")[0] == major

    done = run_tests(root, python, tmp_path)
    assert " passed" in done
    assert "skipped" not in done


def test_without_the_sdk_its_tests_skip_and_say_what_is_missing(
    root: Path, uv: str, tmp_path: Path
) -> None:
    python = environment(root, uv, tmp_path)
    done = run_tests(root, python, tmp_path)

    assert " passed" in done
    assert "needs the SDK: pip install 'llm-judge[anthropic]'" in done


def environment(root: Path, uv: str, folder: Path, *requirements: str) -> Path:
    run(uv, "venv", folder / "env", cwd=folder)
    python = folder / "env" / "bin" / "python"
    member = root / "packages" / "llm-judge"
    run(
        *(uv, "pip", "install", "--python", python, "--refresh-package", "llm-judge"),
        *(str(member), "pytest>=9", "hypothesis", *requirements),
        cwd=folder,
    )
    return python


def run_tests(root: Path, python: Path, folder: Path) -> str:
    """Run the tests of the client as the workspace does, away from its plugins."""
    member = root / "packages" / "llm-judge" / "tests"
    return run(
        *(python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"),
        *("-c", root / "pyproject.toml", "--rootdir", folder),
        *(member / name for name in FILES),
        cwd=folder,
    )
