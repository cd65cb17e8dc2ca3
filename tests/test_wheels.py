"""The members as a stranger gets them: built, and installed outside the workspace."""

import json
import subprocess
import tarfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

pytestmark = pytest.mark.index

WHEELS = {
    "claude_mem_client": "cmem_client",
    "eval_report": "eval_report",
    "llm_judge": "llm_judge",
    "locomo_dataset": "locomo_dataset",
    "locomo_run": "locomo_run",
    "qa_f1": "qa_f1",
}


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(root: Path, uv: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(uv, "build", "--all-packages", "--no-sources", "--out-dir", folder, cwd=root)
    return folder


def wheel(dist: Path, name: str) -> Path:
    (found,) = dist.glob(f"{name}-*.whl")
    return found


def environment(uv: str, folder: Path, *wheels: str | Path, dist: Path) -> Path:
    run(uv, "venv", folder / "env", cwd=folder)
    python = folder / "env" / "bin" / "python"
    run(
        *(uv, "pip", "install", "--python", python, "--find-links", dist),
        *wheels,
        cwd=folder,
    )
    return python


def test_every_member_is_built_and_nothing_else(dist: Path) -> None:
    assert {path.name.partition("-")[0] for path in dist.glob("*.whl")} == set(WHEELS)
    assert len(list(dist.glob("*.tar.gz"))) == len(WHEELS)


@pytest.mark.parametrize(("name", "module"), WHEELS.items())
def test_a_wheel_says_what_it_is(dist: Path, name: str, module: str) -> None:
    with zipfile.ZipFile(wheel(dist, name)) as archive:
        files = archive.namelist()
        (metadata_name,) = [f for f in files if f.endswith(".dist-info/METADATA")]
        metadata = HeaderParser().parsestr(archive.read(metadata_name).decode())

    assert f"{module}/py.typed" in files
    assert any(f.endswith("licenses/LICENSE") for f in files)
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "@" not in (metadata.get_all("Requires-Dist") or [""])[0]


def test_no_archive_holds_a_data_set_that_is_not_ours(dist: Path) -> None:
    for path in dist.iterdir():
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
        elif path.name.endswith(".tar.gz"):
            with tarfile.open(path) as archive:
                names = archive.getnames()
        else:
            continue
        odd = [n for n in names if "locomo10" in n or "audit-errors" in n]
        assert not odd, path.name


def test_qa_f1_installs_itself_and_the_stemmer_alone(
    dist: Path, uv: str, tmp_path: Path
) -> None:
    python = environment(uv, tmp_path, wheel(dist, "qa_f1"), dist=dist)

    listed = json.loads(
        run(uv, "pip", "list", "--python", python, "--format", "json", cwd=tmp_path)
    )
    assert {each["name"] for each in listed} == {"qa-f1", "snowballstemmer"}
    score = "import qa_f1; print(qa_f1.token_f1('the big cat sat', 'the cat sat').f1)"
    assert run(python, "-I", "-c", score, cwd=tmp_path) == "0.8\n"


def test_the_program_works_from_wheels_in_a_clean_environment(
    dist: Path, uv: str, tmp_path: Path
) -> None:
    wheels = [wheel(dist, name) for name in WHEELS]
    python = environment(uv, tmp_path, *wheels, dist=dist)
    program = python.with_name("locomo-run")

    assert "Usage: locomo-run" in run(program, "--help", cwd=tmp_path)
    printed = json.loads(run(program, "run", "--json", "--quiet", cwd=tmp_path))
    assert printed["metadata"]["recipe"] == "offline"
    assert printed["overall_f1"]["locomo"]["count"] > 30
    assert (tmp_path / printed["run"] / "report.md").is_file()
    checks = run(program, "validate", printed["run"], cwd=tmp_path)
    assert "FAIL" not in checks
    for module in WHEELS.values():
        run(python, "-I", "-c", f"import {module}", cwd=tmp_path)
