"""The file behind the ledger: opening, locking, and what to do when that fails."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from locomo_run.errors import RunError

FILE_NAME = "ledger.sqlite"
LOCK_NAME = "writer.lock"
SCHEMA_VERSION = 2


class LedgerError(RunError):
    """The ledger cannot be opened, read or written."""


def connect(path: Path, *, uri_options: str = "") -> sqlite3.Connection:
    """Open a database file; transactions are begun and committed by the caller."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}{uri_options}",
        uri=True,
        isolation_level=None,
        timeout=10,
    )


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Open a ledger without writing to its folder, whatever state it was left in."""
    db = connect(path, uri_options="?mode=ro")
    try:
        version(db)
    except sqlite3.OperationalError:
        db.close()
    except sqlite3.DatabaseError:
        db.close()
        raise
    else:
        return db
    # A killed run leaves a write-ahead log, and SQLite cannot read that in a folder it
    # may not write to: read a copy of both.
    copy = sqlite3.connect(":memory:", isolation_level=None)
    _copy_with_log(path, copy)
    return copy


def _copy_with_log(path: Path, target: sqlite3.Connection) -> None:
    with tempfile.TemporaryDirectory(prefix="locomo-run-") as folder:
        for suffix in ("", "-wal"):
            part = path.with_name(path.name + suffix)
            if part.exists():
                shutil.copyfile(part, Path(folder) / part.name)
        source = connect(Path(folder) / path.name)
        try:
            source.backup(target)
        finally:
            source.close()


def take_lock(directory: Path) -> sqlite3.Connection:
    """Take the writer's lock; the system releases it however the process ends."""
    lock = connect(directory / LOCK_NAME)
    try:
        lock.execute("PRAGMA busy_timeout=250")  # somebody may just be looking
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        raise LedgerError(
            f"{directory} is being written by {_writer(directory)}; wait for it, or "
            f"watch it with `locomo-run status {directory}`"
        ) from None
    return lock


def is_locked(directory: Path) -> bool:
    """Tell whether a process is writing to a run directory at the moment."""
    try:
        lock = connect(directory / LOCK_NAME, uri_options="?mode=ro")
    except sqlite3.OperationalError:
        return False
    try:
        lock.execute("PRAGMA busy_timeout=0")
        lock.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        return error.sqlite_errorcode == sqlite3.SQLITE_BUSY
    finally:
        lock.close()
    return False


def _writer(directory: Path) -> str:
    """Who holds the lock, as far as the ledger tells."""
    try:
        db = connect_read_only(directory / FILE_NAME)
    except sqlite3.Error:  # it holds the lock but has not made the file yet
        return "another process"
    try:
        row = db.execute("SELECT value FROM fact WHERE name = 'writer'").fetchone()
    except sqlite3.Error:
        return "another process"
    finally:
        db.close()
    return f"process {row[0]}" if row else "another process"


def version(db: sqlite3.Connection) -> int:
    """The ledger format of an open file; 0 if it is new."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def check_version(db: sqlite3.Connection, path: Path) -> None:
    """Refuse a file of another format."""
    found = version(db)
    if found != SCHEMA_VERSION:
        db.close()
        raise LedgerError(
            f"{path} has ledger format {found}, this program reads {SCHEMA_VERSION}; "
            "use the version of locomo-run that made it, or another --out"
        )


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what the system says into what the user can do."""
    try:
        yield
    except sqlite3.Error as error:
        raise LedgerError(_advice(path, str(error))) from error
    except OSError as error:
        raise LedgerError(_advice(path, error.strerror or str(error))) from error


def _advice(path: Path, said: str) -> str:
    for words, advice in _ADVICE.items():
        if words in said:
            return f"{path}: {said}; {advice}"
    return f"{path}: {said}"


_ADVICE: Mapping[str, str] = {
    "full": "everything stored so far is kept: free some space and repeat the command",
    "disk I/O error": "everything stored so far is kept: check the disk and its limits "
    "and repeat the command",
    "readonly": "the run cannot grow here: copy it to where you may write",
    "No such file or directory": "choose another --out",
    "unable to open": "check that the folder exists and may be written",
    "not a database": "another program wrote this file; choose another --out",
    "Permission denied": "choose another --out, or change the folder's permissions",
    "Read-only file system": "choose another --out",
    "No space left": "free some space and repeat the command",
    "locked": "another process holds it; try again when that has ended",
}
