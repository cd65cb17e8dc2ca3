import re
import subprocess
import sys
from pathlib import Path

import eval_report
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


def test_the_public_names_are_sorted_and_there() -> None:
    assert eval_report.__all__ == sorted(eval_report.__all__)
    assert all(hasattr(eval_report, name) for name in eval_report.__all__)


def test_every_public_name_is_documented() -> None:
    undocumented = [
        name
        for name in eval_report.__all__
        if callable(value := getattr(eval_report, name)) and not value.__doc__
    ]

    assert undocumented == []


@pytest.mark.parametrize(
    "code",
    [
        "import eval_report",
        "import eval_report as e; e.render_text(e.format_f1_comparison_table([]))",
    ],
)
def test_importing_and_printing_tables_loads_nothing_heavy(code: str) -> None:
    assert modules_after(code) == set()


def test_the_laziness_test_sees_what_an_interval_loads() -> None:
    code = "import eval_report as e; e.wilson_interval(1, 2)"

    assert {"numpy", "scipy"} <= modules_after(code)


def test_the_example_of_the_readme_prints_what_it_says() -> None:
    text = README.read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (printed,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8"
    )

    assert done.stdout == printed
