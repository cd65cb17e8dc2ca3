import json
from pathlib import Path

import pytest
from locomo_dataset import DatasetError, load_mini
from locomo_run.dataset_source import (
    data_folder,
    dataset_path,
    open_dataset,
    open_errata,
)
from locomo_run.errors import UsageError


@pytest.fixture
def checkout(folder: Path) -> Path:
    """What makes a folder a checkout; the process works somewhere inside it."""
    (folder / "data").mkdir()
    (folder / "data/README.md").write_text("sources", encoding="utf-8")
    (folder / "apps/locomo-run").mkdir(parents=True)
    return folder


def test_outside_of_a_checkout_files_go_to_the_cache(folder: Path) -> None:
    assert data_folder() == folder.parent / "cache" / "locomo-run"


def test_inside_a_checkout_files_go_to_its_data_folder(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert data_folder() == checkout / "data"

    monkeypatch.chdir(checkout / "apps/locomo-run")

    assert data_folder() == checkout / "data"


@pytest.mark.parametrize("missing", ["data/README.md", "apps/locomo-run"])
def test_half_a_checkout_is_none(checkout: Path, missing: str) -> None:
    path = checkout / missing
    path.rmdir() if path.is_dir() else path.unlink()

    assert data_folder() == checkout.parent / "cache" / "locomo-run"


def test_the_small_data_set_has_a_name_and_no_file(folder: Path) -> None:
    assert open_dataset("mini") is load_mini()
    with pytest.raises(UsageError):
        dataset_path("mini")


def test_a_fetched_name_is_found(checkout: Path) -> None:
    (checkout / "data/locomo10.json").write_text("[]", encoding="utf-8")

    assert dataset_path("locomo10") == checkout / "data/locomo10.json"


def test_a_name_that_was_not_fetched_says_how(checkout: Path) -> None:
    with pytest.raises(UsageError) as caught:
        dataset_path("locomo10")

    assert str(caught.value) == (
        f"locomo10 has not been fetched ({checkout}/data/locomo10.json is missing); "
        "`locomo-run dataset fetch locomo10` brings it"
    )


@pytest.mark.parametrize("source", ["missing.json", ".", "data"])
def test_what_is_no_file_is_refused_with_the_names_there_are(
    checkout: Path, source: str
) -> None:
    with pytest.raises(UsageError) as caught:
        open_dataset(source)

    assert str(caught.value) == (
        f"no file at {source}; give the path of a data set, or one of the names "
        "mini, locomo10"
    )


def test_a_path_wins_where_it_cannot_be_a_name(checkout: Path) -> None:
    (checkout / "a.json").write_text("[]", encoding="utf-8")

    assert dataset_path("a.json") == Path("a.json")


@pytest.mark.locomo
def test_the_real_data_set_is_opened_by_its_path(dataset_path: Path) -> None:
    assert len(open_dataset(str(dataset_path)).all_questions()) == 1_986


# the audit


def test_an_audit_that_was_not_fetched_is_none(checkout: Path) -> None:
    assert open_errata(None) is None


def test_a_fetched_audit_is_used_without_being_named(checkout: Path) -> None:
    (checkout / "data/locomo-audit-errors.json").write_text("[]", encoding="utf-8")

    by_itself, named = open_errata(None), open_errata("errata")

    assert by_itself == named
    assert by_itself is not None
    assert by_itself.errors == ()


def test_an_audit_that_is_named_must_be_there(checkout: Path) -> None:
    with pytest.raises(UsageError, match=r"no file at missing\.json"):
        open_errata("missing.json")
    with pytest.raises(UsageError, match="dataset fetch errata` brings it"):
        open_errata("errata")


def test_a_file_that_is_no_audit_is_refused(checkout: Path) -> None:
    (checkout / "a.json").write_text(json.dumps([{"a": 1}]), encoding="utf-8")

    with pytest.raises(DatasetError, match=r"a\.json"):
        open_errata("a.json")


@pytest.mark.locomo
def test_the_real_audit_finds_99_wrong_golds(dataset_path: Path) -> None:
    audit = open_errata(str(dataset_path.with_name("locomo-audit-errors.json")))

    assert audit is not None
    joined = audit.join(open_dataset(str(dataset_path)))
    assert len(joined.score_corrupting) == 99
    assert joined.mismatches == ()
