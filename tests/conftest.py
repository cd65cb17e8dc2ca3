"""What tests that span members need."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

Run = Callable[..., str]


@pytest.fixture(scope="session")
def root() -> Path:
    """The workspace."""
    return ROOT


@pytest.fixture(scope="session")
def dataset_path() -> Path:
    """The real data set, for tests marked `locomo`."""
    value = os.environ.get("LOCOMO_DATASET")
    if not value:
        pytest.skip("set LOCOMO_DATASET to the path of locomo10.json")
    return Path(value)


@pytest.fixture(scope="session")
def uv() -> str:
    """The uv that runs this, for tests marked `index`."""
    found = os.environ.get("UV") or shutil.which("uv")
    if not found:
        pytest.skip("uv is not here: python3 -m pip install uv")
    return found


@pytest.fixture(scope="session")
def run() -> Run:
    """Run a program, outside of this environment; gives what it prints."""
    ours = ("PYTHONPATH", "VIRTUAL_ENV", "PYTEST_ADDOPTS")
    environment = {name: text for name, text in os.environ.items() if name not in ours}

    def call(*command: str | Path, cwd: Path) -> str:
        done = subprocess.run(
            command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8"
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return call


@pytest.fixture(scope="session")
def dist(
    root: Path, uv: str, run: Run, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with the wheels and source archives of all members."""
    folder = tmp_path_factory.mktemp("dist")
    run(uv, "build", "--all-packages", "--no-sources", "--out-dir", folder, cwd=root)
    return folder


@pytest.fixture
def install(uv: str, run: Run, dist: Path, tmp_path: Path) -> Callable[..., Path]:
    """Install into a clean environment; members come from `dist`. Gives its Python."""

    def into(*requirements: str | Path) -> Path:
        run(uv, "venv", tmp_path / "env", cwd=tmp_path)
        python = tmp_path / "env" / "bin" / "python"
        run(
            *(uv, "pip", "install", "--python", python, "--find-links", dist),
            *requirements,
            cwd=tmp_path,
        )
        return python

    return into
