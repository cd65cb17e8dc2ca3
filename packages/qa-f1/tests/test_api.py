import importlib.metadata
import subprocess
import sys
from types import ModuleType

import pytest
import qa_f1


@pytest.mark.parametrize("module", [qa_f1, qa_f1.profiles])
def test_what_a_module_offers_is_sorted_and_there(module: ModuleType) -> None:
    offered = list(module.__all__)

    assert offered == sorted(offered)
    assert all(hasattr(module, name) for name in offered)


def test_nothing_public_is_left_out() -> None:
    public = {
        name
        for name, value in vars(qa_f1).items()
        if not name.startswith("_")
        and (not isinstance(value, ModuleType) or name == "profiles")
    }

    assert public == set(qa_f1.__all__)


def _modules_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules, sep='\\n')"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_the_package_imports_only_its_stemmer() -> None:
    before = _modules_after("pass")

    imported = _modules_after("import qa_f1") - before
    used = _modules_after("import qa_f1\nqa_f1.token_f1('cats', 'cat')") - before

    assert imported - set(sys.stdlib_module_names) == {"qa_f1"}
    assert used - set(sys.stdlib_module_names) == {"qa_f1", "snowballstemmer"}


def test_the_package_imports_nothing_heavy_of_the_standard_library() -> None:
    heavy = {"argparse", "asyncio", "decimal", "json", "logging", "pathlib", "socket"}

    assert not heavy & (_modules_after("import qa_f1") - _modules_after("pass"))


def test_the_distribution_needs_only_the_stemmer() -> None:
    assert importlib.metadata.requires("qa-f1") == ["snowballstemmer>=2.2"]
