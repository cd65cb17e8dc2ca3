import re
from pathlib import Path

import cmem_client
import pytest
from cmem_client import Client, _errors
from cmem_client.testing import FakeWorker

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")
FIRST, SECOND = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_first_example_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    worker = FakeWorker()
    monkeypatch.setattr(cmem_client, "Client", worker.client)

    exec(FIRST, {})  # noqa: S102 - the example itself is under test

    assert capsys.readouterr().out == "1 12 ms\n"
    assert len(FIRST.splitlines()) <= 15


def test_the_second_example_prints_what_it_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    exec(SECOND, {})  # noqa: S102 - the example itself is under test

    assert f"# {capsys.readouterr().out}" in SECOND


def test_the_error_tree_is_that_of_the_module() -> None:
    (tree,) = re.findall(r"```text\n(.*?)```", _errors.__doc__ or "", re.DOTALL)

    assert tree in TEXT


def test_every_method_that_it_names_exists() -> None:
    names = set(re.findall(r"`(\w+)\(", TEXT)) - {"print"}

    assert names
    assert all(hasattr(Client, n) or hasattr(cmem_client, n) for n in names)
