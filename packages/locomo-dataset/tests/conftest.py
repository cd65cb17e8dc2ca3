"""Fixtures: the real files when they are there, and a mini file to break."""

import copy
import json
import os
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from locomo_dataset import Dataset, load

MINI = files("locomo_dataset").joinpath("data/mini.json").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def real_path() -> Path:
    """Path of the real data set."""
    path = os.environ.get("LOCOMO_DATASET")
    if not path:
        pytest.skip("set LOCOMO_DATASET to the path of locomo10.json")
    return Path(path)


@pytest.fixture(scope="session")
def real(real_path: Path) -> Dataset:
    """The real data set."""
    return load(real_path)


@pytest.fixture
def mini() -> Any:
    """The decoded mini file, free to change."""
    return copy.deepcopy(json.loads(MINI))


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Any], Path]:
    """Write a value as JSON, or bytes as they are, and give the path."""

    def write_value(value: Any) -> Path:
        path = tmp_path / "changed.json"
        content = value if isinstance(value, bytes) else json.dumps(value).encode()
        path.write_bytes(content)
        return path

    return write_value
