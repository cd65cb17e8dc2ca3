"""claude-mem as the memory under test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from cmem_client import (
    AsyncClient,
    Client,
    CmemError,
    Observation,
    ProtocolError,
    WorkerNotRunning,
)
from locomo_dataset import Conversation

from locomo_run.calls.desk import Desk
from locomo_run.calls.lane import Stopped
from locomo_run.calls.tries import CallFault
from locomo_run.claude_mem.account import (
    Account,
    completeness,
    count_searches,
    process_of,
    read_account,
    tell,
    tell_worker,
)
from locomo_run.claude_mem.bulk import date_prefix, turn_of
from locomo_run.claude_mem.connect import has_vectors, in_our_words, locate
from locomo_run.claude_mem.finding import find, shown
from locomo_run.claude_mem.gate import check_complete, check_index
from locomo_run.claude_mem.holdings import Holdings
from locomo_run.claude_mem.ingest import ingest
from locomo_run.claude_mem.mode import ask_mode
from locomo_run.claude_mem.naming import hit_name, project_name
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.claude_mem.search import resolved
from locomo_run.claude_mem.settings import WorkerSettings, mode_of_rows
from locomo_run.errors import CallError
from locomo_run.memory import Found, Hit, Query, Setting


class ClaudeMemMemory:
    """A claude-mem worker under test.

    `prepare` brings all conversations in and past the gate before any question;
    `conclude` tells what the searches were like.

    Args:
        options: How it is filled and searched.
        client: The worker, for what the runner asks from its thread.
        open_async: Opens the worker for `prepare`, within its event loop.
        settings: What the worker's files say, where they can be read.

    Raises:
        CmemError: the worker does not answer.
    """

    def __init__(
        self,
        options: ClaudeMemOptions,
        *,
        client: Client,
        open_async: Callable[[], AsyncClient],
        settings: WorkerSettings | None = None,
    ) -> None:
        self._options = options
        self._client = client
        self._open_async = open_async
        self._settings = settings
        self._vectors = has_vectors(client)
        self._mode = resolved(options.search, vectors=self._vectors)
        self._dates: dict[tuple[str, int], str] = {}
        self._sessions: dict[str, dict[int, int]] = {}
        """Per conversation: row to dialogue session."""
        self._version: str | None = None

    async def prepare(self, conversations: Sequence[Conversation], desk: Desk) -> None:
        """Ingest what is missing and check that all of it can be found.

        Returns early when the desk is told to stop.

        Raises:
            InvalidRunError: sessions are missing, or the index is behind.
            UsageError: a project or the worker holds what is not this run's.
            RunError: the worker does not answer.
        """
        with in_our_words():
            async with self._open_async() as client:
                before = read_account(desk.ledger)
                projects = [self._project(each.sample_id) for each in conversations]
                self._tell_start(desk, await ask_mode(client, projects))
                held = await ingest(
                    conversations, client, desk, self._options, settings=self._settings
                )
                if held is None:
                    return
                if mode := await ask_mode(client, projects):
                    tell(desk.ledger, mode=mode)
                self._learn(conversations, held)
                self._tell_held(desk, held)
                check_complete(desk.ledger, held, self._options)
                health = await client.health()
                self._version = health.version
                tell_worker(desk.ledger, process_of(health))
                if self._vectors and not _is_known(before, read_account(desk.ledger)):
                    with suppress(Stopped):
                        await check_index(client, desk, held, self._options)

    def conclude(self, desk: Desk) -> None:
        """Tell how the questions were searched, and whether the worker changed.

        A worker that is gone by now tells nothing and spoils nothing.
        """
        with suppress(CmemError):
            tell_worker(desk.ledger, process_of(self._client.health()))
        tell(desk.ledger, **count_searches(desk.ledger))

    def ingest(self, conversation: Conversation) -> None:
        """Do nothing: `prepare` has brought the conversation in.

        Raises:
            CallError: it has not.
        """
        if conversation.sample_id not in self._sessions:
            raise CallError(f"{conversation.sample_id} has not been prepared")

    def search(self, query: Query, limit: int) -> tuple[Hit, ...]:
        """Return at most `limit` observations of the query's conversation.

        Raises:
            CallFault: see `search_and_tell`.
        """
        return self.search_and_tell(query, limit).hits

    def search_and_tell(self, query: Query, limit: int) -> Found:
        """Return the same, how long the worker took for the search, and who it is.

        The version is that of the worker when it was found ready for questions.

        Raises:
            CallFault: the worker did not answer as it should; fatally if it is gone or
                gives rows of another project.
        """
        project = self._project(query.sample_id)
        try:
            found = find(self._client, project, query.text, self._mode, limit)
            if not found.rows and self._mode == "question" and self._vectors:
                self._check_vectors()
        except (ProtocolError, WorkerNotRunning) as error:
            raise CallFault(f"claude-mem: {error}", fatal=True) from error
        except CmemError as error:
            raise CallFault(f"claude-mem: {error}") from error
        return Found(
            hits=tuple(
                self._hit(query.sample_id, row, score) for row, score in found.rows
            ),
            latency_ms=found.latency_ms,
            about={
                "project": project,
                "project_checked": True,  # the client takes no row of another one
                "worker_version": self._version,
            },
        )

    def describe(self) -> Mapping[str, Setting]:
        """Return the fingerprint: names, model, mode, ways in and out.

        `search` and `engine` are what the worker could do when it was opened, so that
        a run that goes on with another engine is another run.
        """
        told = self._settings
        return {
            "name": "claude-mem",
            "namespace": self._options.namespace,
            "via": self._options.via,
            "captions": self._options.captions,
            "search": self._mode,
            "engine": "vectors" if self._vectors else "words",
            "model": told.model if told else None,
            "mode": told.mode if told else None,
        }

    def close(self) -> None:
        """Close the connections; a second time is harmless."""
        self._client.close()

    def _project(self, sample_id: str) -> str:
        return project_name(self._options.namespace, sample_id)

    def _tell_start(self, desk: Desk, mode: str | None) -> None:
        where, told = self._client.connection, self._settings
        known = read_account(desk.ledger)
        tell(
            desk.ledger,
            address=where.url,
            found_by=str(where.source),
            mode=mode or (told.mode if told else known.get("mode")),
            model=told.model if told else known.get("model"),
            vectors=self._vectors,
            incomplete=bool(known.get("incomplete")) or self._options.allow_incomplete,
        )

    def _tell_held(self, desk: Desk, held: Sequence[Holdings]) -> None:
        rows = [row for each in held for some in each.rows.values() for row in some]
        known = read_account(desk.ledger).get("ingestion")
        tell(
            desk.ledger,
            ingestion={
                **(known if isinstance(known, Mapping) else {}),
                **completeness(held),
            },
            mode_of_rows=None if self._options.via == "import" else mode_of_rows(rows),
        )

    def _learn(
        self, conversations: Sequence[Conversation], held: Sequence[Holdings]
    ) -> None:
        """Keep which row comes from which session, and when that was."""
        for conversation, each in zip(conversations, held, strict=True):
            self._sessions[each.sample_id] = {
                row.id: number for number, rows in each.rows.items() for row in rows
            }
            for session in conversation.sessions:
                self._dates[each.sample_id, session.number] = session.date_text

    def _hit(self, sample_id: str, row: Observation, score: float | None) -> Hit:
        session = self._sessions.get(sample_id, {}).get(row.id)
        date = "" if session is None else self._dates[sample_id, session]
        imported = self._options.via == "import" and session is not None
        turn = turn_of(row.title) if imported else None
        return Hit(
            id=hit_name(row.id, session),
            # the date of an imported turn goes where every memory has it
            text=(row.narrative or "").removeprefix(date_prefix(date))
            if turn
            else shown(row),
            date=date,
            score=score,
            turns=(turn,) if turn else None,
        )

    def _check_vectors(self) -> None:
        """Tell an index that finds nothing from one that is gone.

        Raises:
            CallFault: the worker fell back to searching by words.
        """
        if not has_vectors(self._client):
            raise CallFault(
                "claude-mem: the worker does not search by vectors any more"
            )


def _is_known(before: Account, now: Account) -> bool:
    """Tell whether the index was found ready for what the same process still holds."""
    same = all(before.get(name) == now.get(name) for name in ("ingestion", "workers"))
    return same and before.get("index") == "ready"


def open_claude_mem(options: ClaudeMemOptions) -> ClaudeMemMemory:
    """Find the worker and open it as a memory.

    Raises:
        RunError: there is none, or it does not answer as it should.
    """
    connection, settings = locate(options)
    client = Client(connection)
    try:
        with in_our_words():
            return ClaudeMemMemory(
                options,
                client=client,
                open_async=lambda: AsyncClient(connection),
                settings=settings,
            )
    except BaseException:
        client.close()
        raise
