from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from locomo_run import run_directory
from locomo_run.errors import RunError
from locomo_run.run_directory import MEMBERS, installed_versions, noted_source
from locomo_run.run_directory import write_file as write


def test_the_versions_are_those_of_the_installed_members() -> None:
    found = installed_versions()

    assert list(found) == list(MEMBERS)
    assert found["locomo-run"] == version("locomo-run")


def test_a_member_that_is_not_installed_has_no_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def only_ours(name: str) -> str:
        if name != "locomo-run":
            raise PackageNotFoundError(name)
        return "9.9"

    monkeypatch.setattr(run_directory, "version", only_ours)

    assert installed_versions() == {"locomo-run": "9.9"}


def test_a_path_is_noted_so_that_it_is_found_from_anywhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.json").write_text("[]", encoding="utf-8")

    noted = noted_source("a.json")

    monkeypatch.chdir("/")
    assert Path(noted).is_file()
    assert noted_source("mini") == "mini"


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "one\ntwo é\n" * 1_000)
    write(tmp_path / "a.md", "three\n")

    assert (tmp_path / "a.md").read_bytes() == b"three\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


def test_a_file_can_be_given_piece_by_piece(tmp_path: Path) -> None:
    write(tmp_path / "a.json", (piece for piece in ("[1,", " 2]", "\n")))

    assert (tmp_path / "a.json").read_text(encoding="utf-8") == "[1, 2]\n"


@pytest.mark.parametrize("is_run", [True, False])
def test_a_file_that_cannot_be_written_keeps_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_run: bool
) -> None:
    write(tmp_path / "a.md", "one\n")
    if is_run:
        (tmp_path / "ledger.sqlite").touch()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)

    with pytest.raises(RunError) as caught:
        write(tmp_path / "a.md", "two\n")

    advice = (
        f"the ledger is complete, and `locomo-run report {tmp_path}` prints the same "
        "from it"
        if is_run
        else "mend that and repeat the command"
    )
    assert str(caught.value) == f"{tmp_path}/a.md: No space left on device; {advice}"
    assert (tmp_path / "a.md").read_text(encoding="utf-8") == "one\n"
    assert {path.name for path in tmp_path.iterdir()} <= {"a.md", "ledger.sqlite"}
