import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import cmem_client
import cmem_client.testing
import pytest
from cmem_client import _errors

# httpx itself loads its command line where that is installed
LIGHT = {
    *("click", "rich", "pygments", "markdown_it", "mdurl"),
    "cmem_client",
    *("httpx", "httpcore", "h11", "h2", "anyio", "sniffio", "certifi", "idna"),
    *("pydantic", "pydantic_core", "annotated_types"),
    *("typing_extensions", "typing_inspection"),
}


@pytest.mark.parametrize("module", [cmem_client, cmem_client.testing])
def test_all_names_are_listed_in_order_and_exist(module: ModuleType) -> None:
    listed: list[str] = module.__all__

    assert len(set(listed)) == len(listed)
    assert all(hasattr(module, name) for name in listed)


def test_every_public_name_is_listed() -> None:
    public = {
        name
        for name, value in vars(cmem_client).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }

    assert public == set(cmem_client.__all__)


def test_every_listed_name_is_documented() -> None:
    undocumented = [
        name
        for name in cmem_client.__all__
        if name != "START_COMMAND" and not getattr(cmem_client, name).__doc__
    ]

    assert undocumented == []


def drawn(kind: type, indent: str = "") -> list[str]:
    lines = []
    children: list[type] = kind.__subclasses__()
    for child in children:
        last = child is children[-1]
        lines.append(f"{indent}{'└──' if last else '├──'} {child.__name__}")
        lines += drawn(child, indent + ("    " if last else "│   "))
    return lines


def test_the_drawn_error_tree_is_the_real_one() -> None:
    shown = re.findall(r"^[│├└─ ]*──? \w+", _errors.__doc__ or "", re.MULTILINE)

    assert shown == drawn(cmem_client.CmemError)


def test_an_import_loads_httpx_and_pydantic_and_what_they_bring() -> None:
    code = (
        "import sys, cmem_client; "
        "print(*{name.partition('.')[0] for name, module in sys.modules.items() "
        "if 'site-packages' in (getattr(module, '__file__', None) or '')})"
    )

    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )

    assert {"httpx", "pydantic"} <= set(done.stdout.split()) <= LIGHT


def test_the_package_depends_on_httpx_and_pydantic_alone() -> None:
    requires = importlib.metadata.requires("claude-mem-client") or []

    assert {line.partition(">")[0] for line in requires} == {"httpx", "pydantic"}


def test_types_are_shipped() -> None:
    assert (Path(cmem_client.__file__).parent / "py.typed").exists()
