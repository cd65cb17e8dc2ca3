import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from qa_f1 import profiles

README = Path(__file__).parents[1] / "README.md"


@pytest.fixture(scope="module")
def readme() -> str:
    return README.read_text(encoding="utf-8")


def test_the_python_example_gives_what_it_shows(readme: str) -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    test = doctest.DocTestParser().get_doctest(block, {}, "README", str(README), 0)
    report: list[str] = []

    result = doctest.DocTestRunner().run(test, out=report.append)

    assert report == []
    assert result.attempted > 4


def test_the_shell_example_gives_what_it_shows(readme: str, tmp_path: Path) -> None:
    command, shown = re.findall(
        r"^```console\n\$ (.*?)\n(.*?)^```", readme, re.MULTILINE | re.DOTALL
    )[0]
    text, run = command.split(" | ")
    program, *arguments = shlex.split(run)
    assert program == "python"

    done = subprocess.run(
        [sys.executable, *arguments],
        input=shlex.split(text)[1].encode().decode("unicode_escape"),
        capture_output=True,
        encoding="utf-8",
        check=True,
        cwd=tmp_path,
    )

    assert done.stdout == shown


def test_the_table_names_every_profile(readme: str) -> None:
    named = re.findall(r"^\| `([A-Z0-9_]+)` \|", readme, re.MULTILINE)

    assert sorted(name.lower().replace("_", "-") for name in named) == sorted(
        profiles.names()
    )
