"""Where a data set comes from: a path, or a name."""

from __future__ import annotations

from pathlib import Path

from locomo_dataset import Dataset, load, load_mini
from locomo_dataset.errata import Errata, load_errata
from locomo_dataset.fetch import KNOWN

from locomo_run.errors import UsageError

MINI = "mini"
ERRATA = "errata"


def data_folder() -> Path:
    """Return where fetched files go: `data/` of a checkout, else the user's cache."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / "data" / "README.md").is_file() and (
            folder / "apps" / "locomo-run"
        ).is_dir():
            return folder / "data"
    from platformdirs import user_cache_path

    return user_cache_path("locomo-run")


def open_dataset(source: str) -> Dataset:
    """Load a data set by name (`mini`, `locomo10`) or path.

    Raises:
        UsageError: there is no such file.
        DatasetError: the file is not a data set.
    """
    if source == MINI:
        return load_mini()
    return load(dataset_path(source))


def dataset_path(source: str) -> Path:
    """Return the file behind a name or path.

    Raises:
        UsageError: there is none.
    """
    named = KNOWN.get(source)
    path = data_folder() / named.filename if named else Path(source)
    if _is_file(path):
        return path
    if named:
        raise UsageError(
            f"{source} has not been fetched ({path} is missing); "
            f"`locomo-run dataset fetch {source}` brings it"
        )
    names = (MINI, *(name for name in KNOWN if name != ERRATA))
    raise UsageError(
        f"no file at {path}; give the path of a data set, or one of the names "
        f"{', '.join(names)}"
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long, or with a character no name may hold
        return False


def open_errata(source: str | None) -> Errata | None:
    """Load the audit of the golds.

    Args:
        source: Its path; None for the fetched one, if it has been fetched.

    Raises:
        UsageError: there is no such file.
        DatasetError: the file is not an audit.
    """
    if source is not None:
        return load_errata(dataset_path(source))
    path = data_folder() / KNOWN[ERRATA].filename
    return load_errata(path) if path.is_file() else None
