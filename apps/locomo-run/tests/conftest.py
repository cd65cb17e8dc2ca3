from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def dataset_path() -> Path:
    """Path of the real data set, for tests marked `locomo`."""
    value = os.environ.get("LOCOMO_DATASET")
    if not value:
        pytest.skip("set LOCOMO_DATASET to the path of locomo10.json")
    return Path(value)
