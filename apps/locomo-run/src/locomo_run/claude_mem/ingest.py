"""Conversations into the worker, until the rows of each session were read back.

What is missing is decided by rows read back per session, never by what was posted.
The sessions of a conversation go in one after the other, since recent workers show
their model what a project holds already; conversations go side by side.
An error in one session is stored and shown, and the next session follows.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from cmem_client import AsyncClient, Cause
from locomo_dataset import Conversation, Session

from locomo_run.calls.desk import Desk
from locomo_run.calls.lane import each as side_by_side
from locomo_run.claude_mem.account import process_of, tell, tell_worker
from locomo_run.claude_mem.bulk import import_date, records
from locomo_run.claude_mem.holdings import Holdings, look
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.claude_mem.ownership import check_foreign_projects, check_owner, claim
from locomo_run.claude_mem.place import place_of, request_of
from locomo_run.claude_mem.plain import counted
from locomo_run.claude_mem.posting import QUEUED, Poster, Step, Tried, stored
from locomo_run.claude_mem.settings import WorkerSettings
from locomo_run.ledger.entry import Attempt, Json, Status
from locomo_run.progress import Noted, SessionIngested


async def ingest(
    conversations: Sequence[Conversation],
    client: AsyncClient,
    desk: Desk,
    options: ClaudeMemOptions,
    *,
    settings: WorkerSettings | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> tuple[Holdings, ...] | None:
    """Bring the worker to the point where it holds every session, as far as it goes.

    Args:
        conversations: What to ingest.
        client: The worker.
        desk: Where the entries go, and what says that the run is to stop.
        options: How.
        settings: What the worker's files say, where they can be read.
        clock: Seconds, for the wait for a worker that has gone.
        sleep: Waits, for the same.

    Returns:
        What the worker holds at the end, where sessions may be missing; None if the
        desk was told to stop before the end.

    Raises:
        UsageError: a project holds rows that are not this run's, or the worker other
            projects.
        CmemError: the worker cannot be asked what it holds.
    """
    tell_worker(desk.ledger, process_of(await client.health()))
    tell(desk.ledger, via=options.via)
    held = {each.sample_id: await look(client, each, options) for each in conversations}
    for one in held.values():
        check_owner(desk.ledger, one, options)
    if any(one.missing for one in held.values()):
        check_foreign_projects(await client.projects(), options)
    claim(desk.ledger, [one.project for one in held.values()])
    work = _Work(
        conversations=conversations,
        held=held,
        poster=Poster(
            client=client, options=options, settings=settings, clock=clock, sleep=sleep
        ),
        desk=desk,
        options=options,
    )
    one_by_one = options.via == "observation"
    await side_by_side(
        conversations,
        work.conversation if one_by_one else work.in_bulk,
        options.ingest_workers if one_by_one else 1,
    )
    desk.ledger.commit()
    if desk.stop.reason is not None:
        return None
    return tuple([await look(client, each, options) for each in conversations])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """The sessions of all conversations, and how far they are."""

    conversations: Sequence[Conversation]
    held: dict[str, Holdings]
    poster: Poster
    desk: Desk
    options: ClaudeMemOptions

    async def conversation(self, conversation: Conversation) -> None:
        """Ingest what is missing of a conversation, in order."""
        held = self.held[conversation.sample_id]
        for session in conversation.sessions:
            if session.number in held.missing:
                await self._session(conversation, session)
            else:
                self._found(conversation, session, held)

    async def in_bulk(self, conversation: Conversation) -> None:
        """Import what is missing of a conversation, word for word.

        One request takes all of it: its time is told once, and no session has one.

        Raises:
            CmemError: the worker did not take it; a repetition makes no duplicates.
        """
        self.desk.stop.check()
        held = self.held[conversation.sample_id]
        lacking = [s for s in conversation.sessions if s.number in held.missing]
        for session in conversation.sessions:
            if session not in lacking:
                self._found(conversation, session, held)
        if not lacking:
            return
        date = import_date(self.desk.ledger)
        receipt = await self.poster.client.import_records(
            *records(conversation, lacking, self.options, date)
        )
        now_held = await look(self.poster.client, conversation, self.options)
        self._show_import(conversation, len(lacking), receipt.latency_ms / 1000)
        for session in lacking:
            rows = now_held.rows.get(session.number, ())
            attempt = stored(rows, {}, None)
            if session.number in now_held.missing:
                reason = f"{len(rows)} of {len(session.turns)} turns were stored"
                attempt = Attempt(status=Status.INFRA_ERROR, reason=reason)
            place = place_of(conversation, session, self.options)
            self.desk.ledger.append(request_of(place, self.options), attempt)
            self._show(conversation, session, Tried(attempt=attempt))

    async def _session(self, conversation: Conversation, session: Session) -> None:
        place = place_of(conversation, session, self.options)
        request = request_of(place, self.options)
        known = self.desk.ledger.entry(request)
        made = known.attempts if known else 0
        waited = known is not None and known.attempt.reason.startswith(
            (Cause.WORKING, Cause.STALLED)
        )
        cooled = (
            known.attempt.reply if known and QUEUED in known.attempt.reply else None
        )
        step = Step.WAIT if waited else Step.POST
        for number in range(made + 1, made + 1 + self.options.session_posts):
            self.desk.stop.check()
            tried = await self.poster.attempt(place, step, number, cooled)
            cooled = None
            self.desk.ledger.append(request, tried.attempt)
            if (worker := tried.attempt.reply.get("worker")) is not None:
                tell_worker(self.desk.ledger, cast(Mapping[str, Json], worker))
            self._show(conversation, session, tried)
            if tried.fatal is not None:
                self.desk.stop.set(tried.fatal)
            if tried.next_step is None:
                break
            step = tried.next_step
        self.desk.ledger.commit()

    def _found(
        self, conversation: Conversation, session: Session, held: Holdings
    ) -> None:
        """Store that a session is there, if that is not stored yet."""
        request = request_of(
            place_of(conversation, session, self.options), self.options
        )
        known = self.desk.ledger.entry(request)
        if known is None or not known.ok:
            self.desk.ledger.append(
                request, stored(held.rows[session.number], {}, None)
            )

    def _show_import(
        self, conversation: Conversation, sessions: int, seconds: float
    ) -> None:
        place = self.conversations.index(conversation) + 1
        where = f"Conversation {place}/{len(self.conversations)}"
        self.desk.observe(
            Noted(
                text=f"{where} [{conversation.sample_id}] — "
                f"{counted(sessions, 'session')} imported in {seconds:.1f}s"
            )
        )

    def _show(self, conversation: Conversation, session: Session, tried: Tried) -> None:
        self.desk.observe(
            SessionIngested(
                sample_id=conversation.sample_id,
                conversation=self.conversations.index(conversation) + 1,
                conversations=len(self.conversations),
                session=conversation.sessions.index(session) + 1,
                sessions=len(conversation.sessions),
                seconds=tried.seconds,
                reason=tried.attempt.reason,
            )
        )
