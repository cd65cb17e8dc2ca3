"""What every member has in common."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
MEMBERS = sorted([*ROOT.glob("packages/*"), *ROOT.glob("apps/*")])


def pyproject(member: Path) -> dict[str, Any]:
    return tomllib.loads((member / "pyproject.toml").read_text(encoding="utf-8"))


def test_there_are_the_six_members() -> None:
    assert [pyproject(member)["project"]["name"] for member in MEMBERS] == [
        "locomo-run",
        "claude-mem-client",
        "eval-report",
        "llm-judge",
        "locomo-dataset",
        "qa-f1",
    ]


def test_the_root_is_no_package() -> None:
    assert pyproject(ROOT)["tool"]["uv"]["package"] is False
    assert "build-system" not in pyproject(ROOT)


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_a_member_has_what_every_member_has(member: Path) -> None:
    project = pyproject(member)["project"]
    module = next((member / "src").iterdir())

    assert (member / "README.md").read_text(encoding="utf-8").startswith("# ")
    assert (member / "LICENSE").resolve() == ROOT / "LICENSE"
    assert (module / "py.typed").is_file()
    assert list((member / "tests").glob("test_*.py"))
    assert project["license"] == "Apache-2.0"
    assert project["requires-python"] == ">=3.11"
    assert pyproject(member)["build-system"] == pyproject(MEMBERS[0])["build-system"]


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_the_newest_changelog_entry_is_the_version(member: Path) -> None:
    changelog = (member / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[?([0-9.]+)", changelog, re.MULTILINE)

    assert newest is not None
    assert newest[1] == pyproject(member)["project"]["version"]


def tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return listed.stdout.splitlines()


def test_the_top_level_is_as_agreed() -> None:
    allowed = (
        "pyproject.toml uv.lock README.md README.zh-CN.md LICENSE CONTRIBUTING.md "
        "mkdocs.yml packages apps docs tests data .ci .github .gitignore "
        ".pre-commit-config.yaml"
    )

    assert {name.partition("/")[0] for name in tracked()} <= set(allowed.split())


def test_no_data_set_is_in_the_repository() -> None:
    in_data = [name for name in tracked() if name.startswith("data/")]

    assert in_data == ["data/README.md"]
    assert not [name for name in tracked() if "locomo10" in Path(name).name]


@pytest.mark.locomo
def test_no_long_text_of_the_data_set_is_in_the_repository(dataset_path: Path) -> None:
    """No question or gold of forty characters and more stands in any file."""
    from locomo_dataset import load

    dataset = load(dataset_path)
    texts = {
        text
        for question in dataset.all_questions()
        for text in (question.text, question.gold, question.adversarial_answer)
        if text and len(text) >= 40
    }
    texts |= {
        turn.text
        for conversation in dataset.conversations
        for session in conversation.sessions
        for turn in session.turns
        if len(turn.text) >= 40
    }
    assert len(texts) > 5000
    for name in tracked():
        path = ROOT / name
        if name == "uv.lock" or not path.is_file():
            continue
        content = path.read_bytes().decode("utf-8", "replace")
        found = [text for text in texts if text in content]
        assert not found, f"{name} quotes the data set: {found[:2]}"


def test_nothing_names_a_package_index_or_a_path_of_one_machine() -> None:
    pattern = re.compile(
        r"index-url *=|--index-url|registry *= *.?http|(?<![A-Za-z.])/home/|/root/"
    )
    here = Path(__file__).name
    for name in tracked():
        path = ROOT / name
        if name == "uv.lock" or path.name == here or not path.is_file():
            continue
        content = path.read_bytes().decode("utf-8", "replace")
        assert not pattern.search(content), name
