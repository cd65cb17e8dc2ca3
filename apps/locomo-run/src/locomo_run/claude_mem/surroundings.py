"""The doctor's checks of everything but the worker: data set, folder, key, proxy."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from cmem_client import Connection
from locomo_dataset import DatasetError
from locomo_dataset.fetch import KNOWN

from locomo_run.claude_mem.checks import Check, failed, passed, warned
from locomo_run.dataset_source import MINI, open_dataset
from locomo_run.errors import RunError

KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


def check_surroundings(
    source: str, folder: Path, connection: Connection, environ: Mapping[str, str]
) -> Iterator[Check]:
    """Check what a run needs besides a worker.

    Args:
        source: Path or name of the data set.
        folder: Where the run directory goes.
        connection: Where the worker is.
        environ: The environment; of keys only the presence is looked at.
    """
    yield check_dataset(source)
    yield check_folder(folder)
    yield check_key(environ)
    yield check_proxy(connection, environ)


def check_dataset(source: str) -> Check:
    """Check that the data set can be read and is the known file."""
    name = "data set"
    try:
        dataset = open_dataset(source)
    except (RunError, DatasetError) as error:
        return failed(name, str(error), "`locomo-run dataset fetch` brings LoCoMo")
    found = f"{dataset.name}, sha256 {dataset.sha256[:12]}…"
    if source == MINI:
        return warned(
            name,
            f"{found}, the small synthetic one",
            "name the real one with --dataset locomo10 for a number of LoCoMo",
        )
    if dataset.sha256 != KNOWN["locomo10"].sha256:
        return warned(
            name, f"{found}, not the published file", "compare with nothing published"
        )
    return passed(name, f"{found}, the published file")


def check_folder(folder: Path) -> Check:
    """Check that a run directory can be written; leaves nothing behind."""
    name = "run directory"
    there = folder
    while not there.exists():
        there = there.parent
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        return failed(
            name,
            f"{folder} cannot be written: {error.strerror or error}",
            "name another folder with --out",
        )
    return passed(name, f"{folder} can be written")


def check_key(environ: Mapping[str, str]) -> Check:
    """Check that there is a key for models; never looks at what it is."""
    present = [key for key in KEYS if environ.get(key)]
    if present:
        return passed("model key", f"{present[0]} is set")
    return warned(
        "model key",
        f"{' and '.join(KEYS)} are not set",
        "models that answer or judge need one; the extractive answerer does not",
    )


def check_proxy(connection: Connection, environ: Mapping[str, str]) -> Check:
    """Check whether a proxy could come between this program and the worker."""
    wanted = (*PROXIES, *map(str.lower, PROXIES))
    present = [name for name in wanted if environ.get(name)]
    if not present:
        return passed("proxy", "none is set")
    if connection.is_loopback:
        return passed("proxy", f"{present[0]} is set; calls to the worker ignore it")
    return warned(
        "proxy",
        f"{present[0]} is set and the worker is on another machine",
        f"list {connection.address} in NO_PROXY if it is to be called directly",
    )


def default_folder(out: Path | None) -> Path:
    """Return the folder that a run would write to."""
    return out or Path(os.curdir) / "runs"
