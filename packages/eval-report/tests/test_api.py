import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import eval_report
import eval_report.page
import pytest

README = Path(__file__).parent.parent / "README.md"

HEAVY = ["jinja2", "matplotlib", "numpy", "scipy"]


def modules_after(code: str) -> set[str]:
    """Return which heavy modules a fresh interpreter has after running code."""
    script = f"{code}\nimport sys\nprint(*sys.modules, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    return {name for name in HEAVY if name in done.stdout.split("\n")}


NAMESPACES = pytest.mark.parametrize("module", [eval_report, eval_report.page])


@NAMESPACES
def test_every_public_name_is_there_once(module: ModuleType) -> None:
    assert len(module.__all__) == len(set(module.__all__))
    assert all(hasattr(module, name) for name in module.__all__)


@NAMESPACES
def test_every_public_name_is_documented(module: ModuleType) -> None:
    undocumented = [
        name
        for name in module.__all__
        if callable(value := getattr(module, name)) and not value.__doc__
    ]

    assert undocumented == []


@pytest.mark.parametrize(
    "code",
    [
        "import eval_report",
        "import eval_report as e; e.render_text(e.format_f1_comparison_table([]))",
        "import eval_report.page",
    ],
)
def test_importing_and_printing_tables_loads_nothing_heavy(code: str) -> None:
    assert modules_after(code) == set()


def test_the_laziness_test_sees_what_an_interval_loads() -> None:
    code = "import eval_report as e; e.wilson_interval(1, 2)"

    assert {"numpy", "scipy"} <= modules_after(code)


def test_the_examples_of_the_readme_print_what_they_say(tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", text, re.DOTALL)

    assert len(examples) == text.count("```python")
    for code, printed in examples:
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            cwd=tmp_path,
            encoding="utf-8",
        )
        assert done.stdout == printed
