"""What tests that span members need."""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


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
