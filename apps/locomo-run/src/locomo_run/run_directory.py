"""A run on disk: what its folder and its ledger say about it.

```text
runs/offline-c0312e54a9/
├── ledger.sqlite   everything that was asked and replied: the run itself
├── results.json    every question with its scores, made from the ledger
├── report.md       the tables, made from the ledger
└── writer.lock     held by the process that writes, empty
```
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar, cast

from locomo_dataset import Dataset, Question

from locomo_run.dataset_source import MINI, dataset_path, open_dataset
from locomo_run.errors import RunError, UsageError
from locomo_run.identity import Identity, differences, with_known
from locomo_run.judging.judge import Judge, merged
from locomo_run.ledger.entry import Json
from locomo_run.ledger.file import FILE_NAME
from locomo_run.ledger.store import Ledger
from locomo_run.selection import Selection, union

MEMBERS = (
    "locomo-run",
    "locomo-dataset",
    "claude-mem-client",
    "qa-f1",
    "llm-judge",
    "eval-report",
)

IMPORTED = "imported"
"""The recipe of runs whose answers come from a result file."""

FIRST_MEMORY = "memory_at_first"
"""The fact that holds what a run knew of its memory when it began."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a run knows about itself, besides its entries."""

    recipe: str
    identity: Identity
    source: str
    """Name of the data set, or the path it was last read from."""
    selections: tuple[Selection, ...]
    """Every choice of questions that it was started with."""
    headline: str
    versions: tuple[Mapping[str, str], ...]
    """The versions of the members that wrote to it, each set once."""
    judges: tuple[Judge, ...] = ()
    """Everybody who was ever asked to judge it, with the most runs asked for."""
    answer_runs: int = 1
    """How often each question is answered, the most that was ever asked for."""

    @property
    def imported(self) -> bool:
        """Whether the answers come from a result file, so that little else is known."""
        return self.recipe == IMPORTED

    def questions(self, dataset: Dataset) -> tuple[Question, ...]:
        """Return all questions that the run was ever asked for."""
        return union(self.selections, dataset)


def register(ledger: Ledger, facts: Facts) -> Facts:
    """Note in a ledger what is run now; return what the run knows from then on.

    Raises:
        UsageError: the ledger belongs to a run of another identity.
    """
    stored = ledger.fact("identity")
    if stored is not None:
        known = read_facts(ledger)
        check_identity(known.identity, facts.identity)
        identity = with_known(known.identity, facts.identity)
        if identity != known.identity:
            ledger.set_facts({FIRST_MEMORY: first_memory(ledger)})
        facts = Facts(
            recipe=known.recipe,
            identity=identity,
            source=facts.source,
            selections=_append(known.selections, facts.selections),
            headline=facts.headline,
            versions=_append(known.versions, facts.versions),
            judges=merged(known.judges, facts.judges),
            answer_runs=max(known.answer_runs, facts.answer_runs),
        )
    return record(ledger, facts)


def first_memory(ledger: Ledger) -> Mapping[str, Json]:
    """Return what a run knew of its memory when it began: its searches' key.

    What it learns later about the same memory makes no search another one.
    """
    first = ledger.fact(FIRST_MEMORY) or read_facts(ledger).identity["memory"]
    return cast(Mapping[str, Json], first)


def check_identity(known: Identity, asked: Identity) -> None:
    """Refuse to go on with a run under other settings.

    Raises:
        UsageError: the two differ.
    """
    if differing := differences(known, asked):
        raise UsageError(
            "this folder holds another run, which cannot be continued with other "
            "settings:\n"
            + "".join(f"  {difference}\n" for difference in differing)
            + "choose another --out, or leave --out away"
        )


def record(ledger: Ledger, facts: Facts) -> Facts:
    """Note in a ledger what its run knows about itself, and read it back."""
    ledger.set_facts(
        {
            "recipe": facts.recipe,
            "identity": facts.identity,
            "source": facts.source,
            "selections": [selection.spec() for selection in facts.selections],
            "headline": facts.headline,
            "versions": list(facts.versions),
            "judges": [judge.spec() for judge in facts.judges],
            "answer_runs": facts.answer_runs,
        }
    )
    return read_facts(ledger)


def add_judges(ledger: Ledger, facts: Facts, judges: Sequence[Judge]) -> Facts:
    """Note in a ledger who judges the run besides those who did so far."""
    joined = merged(facts.judges, judges)
    ledger.set_facts(
        {
            "judges": [judge.spec() for judge in joined],
            "versions": list(_append(facts.versions, (installed_versions(),))),
        }
    )
    return read_facts(ledger)


def read_facts(ledger: Ledger) -> Facts:
    """Return what a run knows about itself.

    Raises:
        RunError: the ledger has been opened but nothing was ever run.
    """
    identity = cast(Identity | None, ledger.fact("identity"))
    if identity is None:
        raise RunError("the run was stopped before it began; repeat its command")
    return Facts(
        recipe=str(ledger.fact("recipe")),
        identity=identity,
        source=str(ledger.fact("source")),
        selections=tuple(
            Selection.from_spec(spec)
            for spec in cast(Sequence[Mapping[str, Json]], ledger.fact("selections"))
        ),
        headline=str(ledger.fact("headline")),
        versions=tuple(cast(Sequence[Mapping[str, str]], ledger.fact("versions"))),
        judges=tuple(
            Judge.from_spec(spec)
            for spec in cast(Sequence[Mapping[str, Json]], ledger.fact("judges"))
        ),
        answer_runs=cast(int, ledger.fact("answer_runs")),
    )


def dataset_of(facts: Facts, source: str | None = None) -> Dataset:
    """Load the data set that a run was made on.

    Args:
        facts: Of the run.
        source: Path or name to use in place of the one that the run noted.

    Raises:
        UsageError: it is not there, or it is another file.
    """
    dataset = open_dataset(source or facts.source)
    wanted = facts.identity["dataset"]["sha256"]
    if dataset.sha256 != wanted:
        raise UsageError(
            f"{dataset.name} is not the data set of this run: its sha256 is "
            f"{dataset.sha256}, the run's {wanted}; name the right file with --dataset"
        )
    return dataset


def noted_source(source: str) -> str:
    """Return a source in the form in which a run can find it again from anywhere."""
    return source if source == MINI else str(dataset_path(source).absolute())


def installed_versions() -> dict[str, str]:
    """Return the versions of the members that are installed."""
    found = {}
    for member in MEMBERS:
        try:
            found[member] = version(member)
        except PackageNotFoundError:
            continue
    return found


def write_file(path: Path, text: str | Iterable[str]) -> Path:
    """Write a file whole or not at all; return its path.

    Args:
        path: The file.
        text: What it is to hold, or the pieces of that.

    Raises:
        RunError: it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines([text] if isinstance(text, str) else text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        advice = "mend that and repeat the command"
        if (path.parent / FILE_NAME).is_file():
            advice = (
                "the ledger is complete, and "
                f"`locomo-run report {path.parent}` prints the same from it"
            )
        raise RunError(f"{path}: {error.strerror or error}; {advice}") from error
    return path


def _append(known: tuple[T, ...], more: Iterable[T]) -> tuple[T, ...]:
    return known + tuple(one for one in more if one not in known)
