"""The members as a stranger gets them: built, and installed outside the workspace."""

import json
import subprocess
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath

import pytest

pytestmark = pytest.mark.index

Install = Callable[..., Path]
Run = Callable[..., str]

MEMBERS = {
    "claude_mem_client": "packages/cmem-client",
    "eval_report": "packages/eval-report",
    "llm_judge": "packages/llm-judge",
    "locomo_dataset": "packages/locomo-dataset",
    "locomo_run": "apps/locomo-run",
    "qa_f1": "packages/qa-f1",
}
REPOSITORY = "https://github.com/locomo-bench/locomo-bench"


def wheel(dist: Path, name: str) -> Path:
    (found,) = dist.glob(f"{name}-*.whl")
    return found


def archive(dist: Path, name: str) -> Path:
    (found,) = dist.glob(f"{name}-*.tar.gz")
    return found


def metadata(dist: Path, name: str) -> Message:
    with zipfile.ZipFile(wheel(dist, name)) as opened:
        (found,) = (n for n in opened.namelist() if n.endswith(".dist-info/METADATA"))
        return HeaderParser().parsestr(opened.read(found).decode("utf-8"))


def module(root: Path, name: str) -> str:
    (found,) = (root / MEMBERS[name] / "src").iterdir()
    return found.name


def test_every_member_is_built_and_nothing_else(dist: Path) -> None:
    assert {path.name.partition("-")[0] for path in dist.glob("*.whl")} == set(MEMBERS)
    assert len(list(dist.glob("*.tar.gz"))) == len(MEMBERS)


@pytest.mark.parametrize("name", MEMBERS)
def test_a_wheel_says_what_it_is(root: Path, dist: Path, name: str) -> None:
    folder = root / MEMBERS[name]
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    said = metadata(dist, name)

    assert said["Name"] == project["name"]
    assert said["Version"] == project["version"]
    assert said["Summary"] == project["description"]
    assert said["License-Expression"] == "Apache-2.0"
    assert said["License-File"] == "LICENSE"
    assert said["Requires-Python"] == ">=3.11"
    assert said["Description-Content-Type"] == "text/markdown"
    assert said.get_payload() == (folder / "README.md").read_text("utf-8")
    requirements = said.get_all("Requires-Dist") or []
    assert not [each for each in requirements if "@" in each or "file:" in each]


@pytest.mark.parametrize("name", MEMBERS)
def test_a_wheel_can_be_found_by_what_it_is_for(dist: Path, name: str) -> None:
    said = metadata(dist, name)
    classifiers = said.get_all("Classifier") or []

    assert [c.rpartition(" ")[2] for c in classifiers if ":: Python :: 3." in c] == [
        *("3.11", "3.12", "3.13", "3.14")
    ]
    assert "Typing :: Typed" in classifiers
    assert not [each for each in classifiers if each.startswith("License ::")]
    assert said["Keywords"]


@pytest.mark.parametrize(("name", "folder"), MEMBERS.items())
def test_a_wheel_links_to_where_it_comes_from(
    dist: Path, name: str, folder: str
) -> None:
    assert metadata(dist, name).get_all("Project-URL") == [
        f"Source, {REPOSITORY}/tree/main/{folder}",
        f"Changelog, {REPOSITORY}/blob/main/{folder}/CHANGELOG.md",
        f"Issues, {REPOSITORY}/issues",
    ]


@pytest.mark.parametrize("name", MEMBERS)
def test_a_readme_on_the_index_has_no_link_that_leads_nowhere(
    dist: Path, name: str
) -> None:
    targets = [part.partition(")")[0] for part in str(metadata(dist, name)).split("](")]

    assert not [each for each in targets[1:] if not each.startswith(("https://", "#"))]


@pytest.mark.parametrize("name", MEMBERS)
def test_an_archive_holds_what_is_tracked_and_nothing_else(
    root: Path, dist: Path, name: str
) -> None:
    folder = root / MEMBERS[name]
    tracked = files_of(folder)
    with zipfile.ZipFile(wheel(dist, name)) as opened:
        packed = {n for n in opened.namelist() if not n.endswith("/")}
    own = {f"src/{n}" for n in packed if ".dist-info/" not in n}
    assert own == {n for n in tracked if n.startswith("src/")}
    assert f"src/{module(root, name)}/py.typed" in own
    assert [n for n in packed if n.endswith(".dist-info/licenses/LICENSE")]

    with tarfile.open(archive(dist, name)) as opened_tar:
        files = {m.name.partition("/")[2]: m for m in opened_tar if m.isfile()}
        licence = opened_tar.extractfile(files["LICENSE"])
        assert licence is not None
        assert licence.read() == (root / "LICENSE").read_bytes()
    assert set(files) - {"PKG-INFO", "pyproject.toml.orig"} == tracked


def files_of(folder: Path) -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "."],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return {name for name in listed.stdout.splitlines() if (folder / name).is_file()}


@pytest.mark.locomo
def test_no_archive_quotes_the_data_set(dist: Path, dataset_path: Path) -> None:
    from locomo_dataset import load

    turns = [
        turn.text
        for conversation in load(dataset_path).conversations
        for session in conversation.sessions
        for turn in session.turns
        if len(turn.text) >= 40
    ]
    assert len(turns) > 4000
    for path, name, content in contents(dist):
        assert PurePosixPath(name).name not in ("locomo10.json", "errors.json")
        found = [text for text in turns if text in content]
        assert not found, f"{name} of {path.name}"


def contents(dist: Path) -> Iterator[tuple[Path, str, str]]:
    for path in dist.glob("*.whl"):
        with zipfile.ZipFile(path) as opened:
            for name in opened.namelist():
                yield path, name, opened.read(name).decode("utf-8", "replace")
    for path in dist.glob("*.tar.gz"):
        with tarfile.open(path) as opened_tar:
            for each in opened_tar:
                if file := opened_tar.extractfile(each):
                    yield path, each.name, file.read().decode("utf-8", "replace")


def test_the_index_would_take_every_archive(
    dist: Path, uv: str, run: Run, tmp_path: Path
) -> None:
    files = [*sorted(dist.glob("*.whl")), *sorted(dist.glob("*.tar.gz"))]
    twine = (uv, "run", "--no-project", "--isolated", "--with", "twine", "twine")

    printed = run(*twine, "--no-color", "check", "--strict", *files, cwd=tmp_path)

    assert printed.count("PASSED") == len(files)


def test_qa_f1_installs_itself_and_the_stemmer_alone(
    dist: Path, uv: str, run: Run, install: Install, tmp_path: Path
) -> None:
    python = install(wheel(dist, "qa_f1"))

    listed = json.loads(
        run(uv, "pip", "list", "--python", python, "--format", "json", cwd=tmp_path)
    )
    assert {each["name"] for each in listed} == {"qa-f1", "snowballstemmer"}
    score = "import qa_f1; print(qa_f1.token_f1('the big cat sat', 'the cat sat').f1)"
    assert run(python, "-I", "-c", score, cwd=tmp_path) == "0.8\n"


def test_the_program_works_from_wheels_in_a_clean_environment(
    root: Path, dist: Path, run: Run, install: Install, tmp_path: Path
) -> None:
    python = install(*(wheel(dist, name) for name in MEMBERS))
    program = python.with_name("locomo-run")

    assert "Usage: locomo-run" in run(program, "--help", cwd=tmp_path)
    printed = json.loads(run(program, "run", "--json", "--quiet", cwd=tmp_path))
    assert printed["metadata"]["recipe"] == "offline"
    assert printed["overall_f1"]["locomo"]["count"] > 30
    assert (tmp_path / printed["run"] / "report.md").is_file()
    checks = run(program, "validate", printed["run"], cwd=tmp_path)
    assert "FAIL" not in checks
    assert len(run(program, "--version", cwd=tmp_path).splitlines()) > len(MEMBERS)
    for name in MEMBERS:
        run(python, "-I", "-c", f"import {module(root, name)}", cwd=tmp_path)
