import subprocess
import sys
from types import ModuleType

import locomo_dataset
import locomo_dataset.errata
import locomo_dataset.fetch
import pytest

MODULES = [locomo_dataset, locomo_dataset.errata, locomo_dataset.fetch]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_promised_name_is_there_and_has_a_docstring(module: ModuleType) -> None:
    for name in module.__all__:
        assert getattr(module, name).__doc__ or name == "KNOWN"


def test_the_promised_names_are_sorted_and_complete() -> None:
    public = {
        name
        for name, value in vars(locomo_dataset).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }

    assert sorted(public) == locomo_dataset.__all__


@pytest.mark.parametrize("module", [m.__name__ for m in MODULES])
def test_importing_needs_nothing_but_the_standard_library(module: str) -> None:
    program = (
        f"import sys, {module}\n"
        "import locomo_dataset; locomo_dataset.load_mini()\n"
        "print(*sorted({'httpx', 'pydantic', 'numpy'} & set(sys.modules)))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8"
    )

    assert (done.stdout, done.stderr) == ("\n", "")
