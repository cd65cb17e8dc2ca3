"""Whose rows a project holds: yesterday's memories are not today's result.

A run claims a project, durably, before it writes to it for the first time, and only
when it is empty.
From then on what it finds there under the names of its sessions is its own, also after
it was killed between a post and the entry for it.
The entry of a session keeps the ids of its rows: where they are gone and others are
there, another worker's store answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from locomo_run.claude_mem.account import tell
from locomo_run.claude_mem.holdings import Holdings
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.entry import Json, Stage
from locomo_run.errors import UsageError
from locomo_run.ledger import Ledger

CLAIMS = "claude_mem_projects"


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
        return f"{count} rows" if count else ""
    if held.strangers:
        return f"{len(held.strangers)} rows of other sessions"
    changed = [
        number
        for number, ids in _stored_ids(ledger, held.sample_id).items()
        if (rows := held.rows.get(number)) and not ids & {row.id for row in rows}
    ]
    if changed:
        return f"other rows for sessions {', '.join(map(str, changed))}"
    return ""


def _stored_ids(ledger: Ledger, sample_id: str) -> Mapping[int, set[int]]:
    """Return the ids of the rows that each session had when it was read back."""
    ids: dict[int, set[int]] = {}
    for entry in ledger.entries(Stage.INGEST):
        conversation, slash, name = entry.request.item.rpartition("/s")
        if slash and conversation == sample_id and entry.ok:
            rows = cast(list[Json], entry.attempt.reply["rows"])
            ids[int(name)] = {row for row in rows if isinstance(row, int)}
    return ids
