import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
TEXT = re.findall(r"```text\n(.*?)```", README, re.DOTALL)


def test_the_first_example_prints_what_the_readme_shows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    exec(PYTHON[0], {})  # noqa: S102 - the example as a reader would run it

    assert capsys.readouterr().out == TEXT[0]


@pytest.mark.parametrize("example", PYTHON, ids=["mini", "fetch", "errata"])
def test_every_example_imports_what_exists(example: str) -> None:
    imports = [line for line in example.splitlines() if line.startswith("from ")]

    assert imports
    exec("\n".join(imports), {})  # noqa: S102 - as above


@pytest.mark.locomo
def test_the_errata_example_prints_what_its_comment_says(
    real_path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "data").mkdir()
    for name, source in (
        ("locomo10.json", real_path),
        ("locomo-audit-errors.json", real_path.with_name("locomo-audit-errors.json")),
    ):
        (tmp_path / "data" / name).symlink_to(source.resolve())
    monkeypatch.chdir(tmp_path)

    exec(PYTHON[2], {})  # noqa: S102 - as above

    assert capsys.readouterr().out == "1441\n"
