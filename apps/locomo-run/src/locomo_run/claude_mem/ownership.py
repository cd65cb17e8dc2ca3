"""Whose rows a project holds: yesterday's memories are not today's result.

A run claims a project, durably, before it writes to it for the first time, and only
when it is empty.
From then on what it finds there under the names of its sessions is its own, also after
it was killed between a post and the entry for it.
The entry of a session keeps the ids and times of its rows: where they are gone and
others are there, another worker's store answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from locomo_run.claude_mem.account import tell
from locomo_run.claude_mem.holdings import Holdings
from locomo_run.claude_mem.naming import is_own_project
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.claude_mem.plain import counted
from locomo_run.errors import UsageError
from locomo_run.ledger.entry import Stage
from locomo_run.ledger.store import Ledger

CLAIMS = "claude_mem_projects"
SHOWN_PROJECTS = 5


def claimed(ledger: Ledger) -> list[str]:
    """Return the projects that a run has claimed."""
    return list(cast(list[str], ledger.fact(CLAIMS) or []))


def claim(ledger: Ledger, projects: Sequence[str]) -> None:
    """Note, durably, that the rows of these projects are the run's from now on."""
    ledger.set_facts({CLAIMS: list(dict.fromkeys([*claimed(ledger), *projects]))})


def check_owner(ledger: Ledger, held: Holdings, options: ClaudeMemOptions) -> None:
    """Stop a run that finds rows which it did not write.

    Raises:
        UsageError: there are some, and the options do not take them over.
    """
    found = foreign_rows(ledger, held)
    if not found:
        return
    if not options.reuse_memories:
        raise UsageError(
            f"project {held.project!r} holds {found} which this run did not write; "
            "use a worker with a fresh data directory or another --namespace, or take "
            "them over with --reuse-memories, which the report prints"
        )
    tell(ledger, reused=True)


def foreign_rows(ledger: Ledger, held: Holdings) -> str:
    """Say which rows of a project are not the run's; empty if all are."""
    if held.project not in claimed(ledger):
        count = held.observations + len(held.strangers)
        return counted(count, "row") if count else ""
    if held.strangers:
        return f"{counted(len(held.strangers), 'row')} of other sessions"
    changed = [
        number
        for number, known in _stored_rows(ledger, held.sample_id).items()
        if (rows := held.rows.get(number))
        and known.isdisjoint((row.id, row.created_at_epoch) for row in rows)
    ]
    if changed:
        return f"other rows for sessions {', '.join(map(str, changed))}"
    return ""


def _stored_rows(
    ledger: Ledger, sample_id: str
) -> Mapping[int, set[tuple[int, int | None]]]:
    """Return ids and times of the rows that each session had when it was read back."""
    stored = {}
    for entry in ledger.entries(Stage.INGEST):
        conversation, slash, name = entry.request.item.rpartition("/s")
        if slash and conversation == sample_id and entry.ok:
            ids = cast(list[int], entry.attempt.reply["rows"])
            created = cast(list[int | None], entry.attempt.reply["created"])
            stored[int(name)] = set(zip(ids, created, strict=True))
    return stored


def check_foreign_projects(projects: Sequence[str], options: ClaudeMemOptions) -> None:
    """Refuse to fill somebody's own memory with a benchmark unless told to.

    Raises:
        UsageError: the worker holds projects of others.
    """
    foreign = foreign_projects(projects, options.namespace)
    if foreign and not options.foreign_projects:
        raise UsageError(f"{foreign_warning(foreign)}; --yes goes on with this one")


def foreign_projects(projects: Sequence[str], namespace: str) -> tuple[str, ...]:
    """Return the projects that no run of this namespace has made.

    >>> foreign_projects(["locomo-eval-conv-26", "my-shop"], "locomo")
    ('my-shop',)
    """
    return tuple(
        project for project in projects if not is_own_project(namespace, project)
    )


def foreign_warning(projects: Sequence[str]) -> str:
    """Say that a worker is in use for something else."""
    names = ", ".join(repr(name) for name in projects[:SHOWN_PROJECTS])
    more = ", ..." if len(projects) > SHOWN_PROJECTS else ""
    others = counted(len(projects), "other project")
    return (
        f"the worker holds {others} ({names}{more}): it looks "
        "like somebody's own memory, and a run adds hundreds of sessions to it. "
        "Evaluate with a worker that has a data directory of its own"
    )
