import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def _path(variable: str, what: str) -> Path:
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"set {variable} to {what}")
    return Path(value)


@pytest.fixture(scope="session")
def golden() -> Path:
    return _path("LOCOMO_GOLDEN", "the folder of recorded outputs")


@pytest.fixture(scope="session")
def dataset() -> dict[str, Any]:
    path = _path("LOCOMO_DATASET", "the path of locomo10.json")
    samples = json.loads(path.read_text(encoding="utf-8"))
    return {sample["sample_id"]: sample for sample in samples}


@pytest.fixture(scope="session")
def data() -> Path:
    return Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def nltk_stem() -> Callable[[str], str]:
    from nltk.stem.porter import PorterStemmer

    stem: Callable[[str], str] = PorterStemmer().stem
    return stem
