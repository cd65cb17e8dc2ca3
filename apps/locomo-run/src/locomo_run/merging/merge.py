"""Merge runs of one identity: the union of their entries is a run again.

The merge is built in a folder beside the one it is meant for and moved there when it is
whole, so that a failure leaves everything as it was. The runs are only read.
"""

from __future__ import annotations

import heapq
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from locomo_dataset.errata import Errata

from locomo_run.errors import UsageError
from locomo_run.ledger.entry import Json, Stage
from locomo_run.ledger.file import (
    FILE_NAME,
    LOCK_NAME,
    connect,
    connect_read_only,
    explained,
    take_lock,
)
from locomo_run.ledger.rows import INSERT_ATTEMPT
from locomo_run.ledger.schema import SCHEMA
from locomo_run.ledger.store import Ledger
from locomo_run.merging.facts import MERGED, read_all, write_joined
from locomo_run.merging.joining import Joined, Row, join_attempts
from locomo_run.reporting.report import write_reports
from locomo_run.reporting.results import Results, compute
from locomo_run.run_directory import dataset_of, read_facts

COLUMNS = "status, reply, reason, latency_ms, model, usage, at"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One request to which two runs hold different good replies."""

    stage: Stage
    item: str
    run: int
    kept: str
    """The run whose reply is kept."""
    other: str
    """The run whose reply is kept in the ledger, but not used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """What came of a merge."""

    directory: Path
    runs: tuple[str, ...]
    """What was joined, in the order in which the runs have the say."""
    entries: dict[str, int]
    """Entries by stage."""
    duplicates: dict[str, int]
    """By stage, entries that more than one run holds with the same good reply."""
    conflicts: tuple[Conflict, ...]
    facts: tuple[str, ...]
    """Names of the facts that the runs tell differently; the first run's are kept."""
    results: Results

    def spec(self) -> dict[str, Json]:
        """Return everything but the results as plain values."""
        return {
            "run": str(self.directory),
            "runs": list(self.runs),
            "entries": dict(self.entries),
            "duplicates": dict(self.duplicates),
            "conflicts": [asdict(conflict) for conflict in self.conflicts],
            "facts_that_differ": list(self.facts),
        }


def merge(
    out: Path,
    runs: Sequence[Path],
    *,
    dataset: str | None = None,
    errata: Errata | None = None,
) -> Merge:
    """Join runs of one identity into a run directory.

    Where runs hold different good replies to one request, the first run's is used. An
    earlier merge in `out` takes part as the first run, so that nothing is lost that was
    bought in it.

    Args:
        out: A folder that does not exist, is empty, or holds an earlier merge.
        runs: The run directories.
        dataset: Where the data set is, if not where the runs noted it.
        errata: The audit of the golds, for the second line of scores.

    Raises:
        UsageError: the runs differ in their identity, or `out` holds something else.
        RunError: a run cannot be read, or the merge cannot be written.
    """
    with _held(out) as before, _beside(out) as folder:
        sources = _distinct([*([out] if before else []), *runs])
        told = read_all(sources)
        duplicates, conflicts = _unite(folder / FILE_NAME, sources)
        with Ledger.write(folder) as ledger:
            differing = write_joined(ledger, told, dataset)
            facts = read_facts(ledger)
            results = compute(facts, dataset_of(facts), ledger, errata)
            entries = ledger.counts()
        write_reports(folder, results)
        _move(folder, out, onto=before)
    return Merge(
        directory=out,
        runs=tuple(str(path) for path in sources),
        entries={stage.value: entries[stage] for stage in Stage if stage in entries},
        duplicates=duplicates,
        conflicts=tuple(conflicts),
        facts=differing,
        results=results,
    )


# the ledgers


def _unite(
    target: Path, sources: Sequence[Path]
) -> tuple[dict[str, int], list[Conflict]]:
    """Write the union of the ledgers' entries; return duplicates and conflicts."""
    with explained(target), ExitStack() as stack:
        db = stack.enter_context(closing(connect(target)))
        db.executescript(SCHEMA)
        db.execute("BEGIN IMMEDIATE")
        read = []
        for path in sources:
            source = stack.enter_context(closing(connect_read_only(path / FILE_NAME)))
            source.execute("BEGIN")  # one moment of a run that may still be written
            read.append(source)
            _copy_shared(source, db)
        duplicates: Counter[str] = Counter()
        conflicts: list[Conflict] = []
        for key, joined in _joined(read):
            db.executemany(
                INSERT_ATTEMPT,
                ((key, number, *row) for number, row in enumerate(joined.rows, 1)),
            )
            if joined.kept is not None and (joined.same or joined.others):
                stage, item, run = db.execute(
                    "SELECT stage, item, run FROM request WHERE key = ?", (key,)
                ).fetchone()
                duplicates[stage] += bool(joined.same)
                conflicts += [
                    Conflict(
                        stage=Stage(stage),
                        item=item,
                        run=run,
                        kept=str(sources[joined.kept]),
                        other=str(sources[other]),
                    )
                    for other in joined.others
                ]
        db.execute("COMMIT")
    conflicts.sort(key=lambda each: (each.stage, each.item, each.run, each.other))
    return _by_stage(duplicates), conflicts


def _by_stage(counts: Counter[str]) -> dict[str, int]:
    return {stage.value: counts[stage] for stage in Stage if counts[stage]}


def _copy_shared(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Copy what is named by its content and so cannot contradict anything."""
    for columns, table in (
        ("digest, body", "content"),
        ("key, stage, item, run, content", "request"),
    ):
        marks = ", ".join("?" for _ in columns.split(","))
        target.executemany(
            f"INSERT INTO {table} ({columns}) VALUES ({marks}) "  # noqa: S608  # constants
            "ON CONFLICT DO NOTHING",
            source.execute(f"SELECT {columns} FROM {table}"),  # noqa: S608  # constants
        )


def _joined(ledgers: Sequence[sqlite3.Connection]) -> Iterator[tuple[str, Joined]]:
    """Go through the attempts of all ledgers key by key."""
    streams = [_by_key(db, position) for position, db in enumerate(ledgers)]
    for key, found in groupby(heapq.merge(*streams), key=itemgetter(0)):
        yield key, join_attempts([(position, rows) for _, position, rows in found])


def _by_key(
    db: sqlite3.Connection, position: int
) -> Iterator[tuple[str, int, list[Row]]]:
    rows = db.execute(
        f"SELECT key, {COLUMNS} FROM request "  # noqa: S608  # a constant
        "JOIN attempt ON attempt.request = request.id ORDER BY key, number"
    )
    for key, group in groupby(rows, key=itemgetter(0)):
        yield key, position, [Row(*row[1:]) for row in group]


# the folders


@contextmanager
def _held(out: Path) -> Iterator[bool]:
    """Check that a merge may go into a folder; keep writers out of one that is there.

    Gives whether the folder holds an earlier merge.
    """
    if not (out / FILE_NAME).is_file():
        if out.exists() and not (out.is_dir() and not any(out.iterdir())):
            raise UsageError(
                f"{out} holds something that is not a run; name a new folder"
            )
        yield False
        return
    with Ledger.read(out) as ledger:
        if ledger.fact(MERGED) is None:
            raise UsageError(
                f"{out} is a run of its own and stays as it is; name a new folder, "
                f"and {out} among the runs to be merged"
            )
    with explained(out / FILE_NAME), closing(take_lock(out)):
        with closing(connect(out / FILE_NAME)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            db.execute("PRAGMA journal_mode=DELETE")
        yield True


@contextmanager
def _beside(out: Path) -> Iterator[Path]:
    """Give a folder on the same disk; it is gone afterwards unless it was moved."""
    place = out.absolute()
    folder = place.with_name(f".{place.name}.{os.getpid()}")
    with explained(out):
        folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _move(folder: Path, out: Path, *, onto: bool) -> None:
    """Put a finished merge where it belongs."""
    with explained(out):
        (folder / LOCK_NAME).unlink(missing_ok=True)
        if not onto:
            if out.exists():
                out.rmdir()  # it is empty
            folder.rename(out)
            return
        (folder / FILE_NAME).replace(out / FILE_NAME)  # the rest is made from it
        for path in sorted(folder.iterdir()):
            path.replace(out / path.name)


def _distinct(paths: Sequence[Path]) -> list[Path]:
    """Return paths without those that lead to the same folder again."""
    found: dict[Path, Path] = {}
    for path in paths:
        found.setdefault(path.resolve(), path)
    return list(found.values())
