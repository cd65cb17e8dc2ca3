"""What a tag must be before the workflow builds and publishes it."""

import importlib.util
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def problem(root: Path) -> Callable[[str, Path], str | None]:
    script = root / ".ci" / "release.py"
    spec = importlib.util.spec_from_file_location("release", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[[str, Path], str | None] = module.problem
    return found


def repository(folder: Path, changelog: str) -> Path:
    """A repository with one member, whose folder is not called as it is."""
    member = folder / "packages" / "client"
    member.mkdir(parents=True)
    (member / "CHANGELOG.md").write_text(changelog, encoding="utf-8")
    (member / "pyproject.toml").write_text(
        '[project]\nname = "mem-client"\nversion = "0.2.0"\n', encoding="utf-8"
    )
    return folder


RELEASED = "# Changelog\n\n## 0.2.0 (2026-12-01)\n\n- New.\n\n## 0.1.0 (2026-11-01)\n"


def test_a_dated_entry_of_the_tagged_version_is_released(
    problem: Callable[[str, Path], str | None], tmp_path: Path
) -> None:
    assert problem("mem-client-v0.2.0", repository(tmp_path, RELEASED)) is None


@pytest.mark.parametrize(
    ("tag", "changelog", "said"),
    [
        ("v0.2.0", RELEASED, "no member; tags are <member>-v<version>"),
        ("client-v0.2.0", RELEASED, "of ['mem-client']"),
        ("mem-client-0.2.0", RELEASED, "no member"),
        ("mem-client-v0.3.0", RELEASED, "client/pyproject.toml says version 0.2.0"),
        (
            "mem-client-v0.2.0",
            RELEASED.replace("2026-12-01", "unreleased"),
            "says unreleased, not ## 0.2.0 (YYYY-MM-DD)",
        ),
        (
            "mem-client-v0.2.0",
            "## 0.3.0 (2026-12-02)\n\n" + RELEASED,
            "the newest entry of client/CHANGELOG.md is not ## 0.2.0",
        ),
        ("mem-client-v0.2.0", "# Changelog\n", "the newest entry"),
    ],
)
def test_a_tag_that_is_not_ready_says_what_is_missing(
    problem: Callable[[str, Path], str | None],
    tmp_path: Path,
    tag: str,
    changelog: str,
    said: str,
) -> None:
    found = problem(tag, repository(tmp_path, changelog))

    assert found is not None
    assert found.startswith(f"{tag}: ")
    assert said in found


def test_nothing_but_the_date_stands_between_the_members_and_a_release(
    root: Path, problem: Callable[[str, Path], str | None]
) -> None:
    for pyproject in [
        *root.glob("packages/*/pyproject.toml"),
        *root.glob("apps/*/pyproject.toml"),
    ]:
        project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
        found = problem(f"{project['name']}-v{project['version']}", root)
        assert found is None or "says unreleased" in found
