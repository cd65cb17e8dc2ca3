"""The program starts quickly, because it imports what it needs when it needs it."""

import subprocess
import sys

import pytest

HEAVY = ("anthropic", "httpx", "httpx2", "scipy", "numpy", "matplotlib", "jinja2")


def imported_by(*arguments: str) -> set[str]:
    program = (
        "import sys\n"
        "from locomo_run.cli import root\n"
        f"root({list(arguments)!r}, standalone_mode=False)\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("run", "--help"),
        ("dataset", "stats", "mini"),
        ("config", "show"),
    ],
    ids=" ".join,
)
def test_what_needs_no_heavy_module_imports_none(arguments: tuple[str, ...]) -> None:
    modules = imported_by(*arguments)

    assert "locomo_run.cli" in modules
    assert not modules.intersection(HEAVY)


def test_the_help_needs_no_display_either() -> None:
    assert "rich" not in imported_by("--help")


def test_a_run_needs_neither_a_network_nor_a_model(tmp_path: object) -> None:
    modules = imported_by("run", "--quiet", "--out", f"{tmp_path}/run")

    assert not modules.intersection({"anthropic", "httpx", "httpx2", "matplotlib"})
