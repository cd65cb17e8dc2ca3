"""The gate between ingestion and the first question.

Every session must have rows that were read back, and where the worker searches by
vectors its index must find them: the index lags behind by minutes and tells nobody.
"""

from __future__ import annotations

from collections.abc import Sequence

from cmem_client import AsyncClient, WaitExpired
from eval_report import Table, render_text

from locomo_run.calls.desk import Desk
from locomo_run.claude_mem.account import CODE_MODE, is_code, read_account, tell
from locomo_run.claude_mem.holdings import Holdings
from locomo_run.claude_mem.naming import item_name, session_name
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.errors import InvalidRunError
from locomo_run.ledger.entry import Stage
from locomo_run.ledger.store import Ledger
from locomo_run.progress import Noted

SHOWN_REASONS = 5
INDEX_POLL = 5.0
"""Seconds between looks at the index: each look is a search for every session."""

INDEX_NOTE = 30.0
"""Seconds between two words about how far the index is."""


def completeness_table(held: Sequence[Holdings]) -> Table:
    """Set out how much of each conversation the worker holds."""
    return Table(
        title="Completeness of the memory",
        columns=("Sample", "Sessions", "Stored", "Observations", "Missing"),
        rows=tuple(
            (
                each.sample_id,
                str(len(each.expected)),
                str(len(each.expected) - len(each.missing)),
                str(each.observations),
                ", ".join(map(str, each.missing)) or "none",
            )
            for each in held
        ),
    )


def check_complete(
    ledger: Ledger, held: Sequence[Holdings], options: ClaudeMemOptions
) -> None:
    """Let a run pass whose sessions are all stored.

    Raises:
        InvalidRunError: sessions are missing and the options do not allow that.
    """
    missing = sum(len(each.missing) for each in held)
    if not missing or options.allow_incomplete:
        return
    asked = sum(len(each.expected) for each in held)
    advice = (
        "Repeat the command to post them again, or ask the questions all the same with "
        "--allow-incomplete, which the report prints."
    )
    raise InvalidRunError(
        "\n".join(
            [
                f"{missing} of {asked} sessions are not in the memory.",
                "",
                render_text(completeness_table(held)),
                *_reasons(ledger, held),
                *([CODE_MODE] if is_code(read_account(ledger)) else []),
                advice,
            ]
        )
    )


async def check_index(
    client: AsyncClient,
    desk: Desk,
    held: Sequence[Holdings],
    options: ClaudeMemOptions,
) -> None:
    """Wait until a search finds the newest row of every session that has one.

    Raises:
        InvalidRunError: the index is still behind when the time is up and the options
            do not allow an incomplete memory.
        Stopped: the desk was told to stop.
    """
    for each in held:
        if not each.rows:
            continue
        behind = await _await_index(client, desk, each, options)
        if behind is not None:
            tell(desk.ledger, index="behind")
            if options.allow_incomplete:
                return
            raise InvalidRunError(
                f"the vector index does not find all of {each.sample_id}: {behind} "
                "Repeat the command later (nothing is ingested twice), give it more "
                "time with --index-timeout, or ask the questions all the same with "
                "--allow-incomplete, which the report prints."
            )
    tell(desk.ledger, index="ready")


async def _await_index(
    client: AsyncClient, desk: Desk, held: Holdings, options: ClaudeMemOptions
) -> WaitExpired | None:
    """Wait for the index of one project, saying now and then how far it is."""
    sessions = [session_name(options.namespace, held.sample_id, n) for n in held.rows]
    waited = 0.0
    while True:
        desk.stop.check()
        slice_s = min(INDEX_NOTE, options.index_timeout - waited)
        try:
            await client.wait_for_processing(
                held.project,
                sessions,
                timeout=slice_s,
                stall=slice_s,
                poll=max(options.poll, INDEX_POLL),
                searchable=True,
            )
        except WaitExpired as expired:
            waited += expired.report.elapsed_s
            if waited >= options.index_timeout:
                return expired
            found = len(sessions) - len(expired.report.missing)
            desk.observe(
                Noted(
                    text=f"Vector index [{held.sample_id}] — found {found} of "
                    f"{len(sessions)} sessions"
                )
            )
        else:
            return None


def _reasons(ledger: Ledger, held: Sequence[Holdings]) -> list[str]:
    """Say why sessions are missing, as far as attempts at them tell."""
    wanted = {item_name(each.sample_id, n) for each in held for n in each.missing}
    reasons = [
        f"{entry.request.item}: {entry.attempt.reason}"
        for entry in ledger.entries(Stage.INGEST)
        if entry.request.item in wanted and not entry.ok
    ]
    more = len(reasons) - SHOWN_REASONS
    return [*reasons[:SHOWN_REASONS], *([f"and {more} more"] if more > 0 else [])]
