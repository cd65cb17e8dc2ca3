from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import httpx
import pytest
from cmem_client import AsyncClient, Client
from cmem_client.testing import VERSIONS, FakeWorker, Outcome
from locomo_dataset import Conversation, load_mini
from locomo_run.calls.desk import Desk
from locomo_run.calls.tries import CallFault
from locomo_run.claude_mem.account import read_account
from locomo_run.claude_mem.memory import ClaudeMemMemory, open_claude_mem
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.claude_mem.settings import WorkerSettings
from locomo_run.errors import (
    CallError,
    InterruptedRunError,
    InvalidRunError,
    RunError,
)
from locomo_run.ledger.entry import Attempt, Request, Stage, Status
from locomo_run.memory import PreparedMemory, Query, TellingMemory
from locomo_run.progress import Event, Noted

T = TypeVar("T")
QUICK = ClaudeMemOptions(
    ingest_workers=1, session_timeout=20.0, stall=10.0, poll=1.0, index_timeout=60.0
)
IMPORT = replace(QUICK, via="import")
MINI = load_mini().conversations
ONE = (replace(MINI[0], sessions=MINI[0].sessions[:3]),)
PROJECT = "locomo-eval-mini-1"


class AtDesk(Protocol):
    def __call__(
        self, work: Callable[[Desk], Awaitable[T]], *, name: str = "run"
    ) -> T: ...


class Site:
    """A memory over a fake worker, and what happens at the desk of its run."""

    def __init__(self, at_desk: AtDesk, worker: FakeWorker) -> None:
        self.at_desk = at_desk
        self.worker = worker
        self.intercept: Callable[[httpx.Request], httpx.Response | None] = (
            lambda request: None
        )

    def memory(
        self,
        options: ClaudeMemOptions = QUICK,
        settings: WorkerSettings | None = None,
    ) -> ClaudeMemMemory:
        def handle(request: httpx.Request) -> httpx.Response:
            return self.intercept(request) or self.worker(request)

        client = Client(
            "localhost:37777",
            token="",
            transport=httpx.MockTransport(handle),
            clock=lambda: self.worker.now_s,
        )
        return ClaudeMemMemory(
            options,
            client=client,
            open_async=self.open_async,
            settings=settings,
        )

    def open_async(self) -> AsyncClient:
        return self.worker.async_client()

    def prepare(
        self,
        memory: ClaudeMemMemory,
        conversations: Sequence[Conversation] = ONE,
        before: Callable[[Desk], None] = lambda desk: None,
    ) -> None:
        async def work(desk: Desk) -> None:
            before(desk)
            await memory.prepare(conversations, desk)

        self.at_desk(work)

    def account(self) -> dict[str, Any]:
        async def read(desk: Desk) -> dict[str, Any]:
            return read_account(desk.ledger)

        return self.at_desk(read)


@pytest.fixture
def site(at_desk: AtDesk) -> Callable[..., Site]:
    """Make a site with a worker; its arguments are those of `FakeWorker`."""

    def make(*arguments: Any, **settings: Any) -> Site:
        return Site(at_desk, FakeWorker(*arguments, **settings))

    return make


def asked(text: str) -> Query:
    return Query(question_id="mini-1:0", sample_id="mini-1", text=text)


def by_lines(text: str) -> Sequence[str]:
    """A model that keeps every line that somebody says."""
    return [line for line in text.splitlines()[3:] if line]


# searching


def test_it_is_a_memory_that_is_prepared(site: Callable[..., Site]) -> None:
    assert isinstance(site().memory(), PreparedMemory)
    assert isinstance(site().memory(), TellingMemory)


@pytest.mark.parametrize("version", ["13.4.0", VERSIONS[-1]])
def test_a_hit_is_a_whole_observation_with_its_session_and_date(
    site: Callable[..., Site], version: str
) -> None:
    here = site(version, compress=by_lines)
    memory = here.memory()
    here.prepare(memory)
    session = ONE[0].sessions[1]
    turn = session.turns[0]

    hits = memory.search(asked(turn.text), 5)

    assert len(hits) == 5
    first = hits[0]
    assert first.id.startswith("s2/")
    assert first.date == session.date_text
    assert f"{turn.speaker}: {turn.text}"[:80] in first.text
    assert first.turns is None
    assert first.score is not None
    assert [hit.score for hit in hits] == sorted(
        (hit.score or 0 for hit in hits), reverse=True
    )


def test_an_imported_turn_is_known_by_its_id_and_reads_like_any_other(
    site: Callable[..., Site],
) -> None:
    here = site()
    memory = here.memory(IMPORT)
    here.prepare(memory)
    session = ONE[0].sessions[0]
    turn = session.turns[0]

    hit = memory.search(asked(turn.text), 1)[0]

    assert hit.turns == (turn.id,)
    assert hit.date == session.date_text
    assert hit.text == f"{turn.speaker}: {turn.text}"


def test_a_row_of_no_session_of_the_conversation_has_neither_session_nor_date(
    site: Callable[..., Site],
) -> None:
    here = site()
    with here.worker.client() as client:
        client.save_memory("The zebra is from elsewhere.", PROJECT, title="Zebra")
    memory = here.memory(replace(QUICK, reuse_memories=True))
    here.prepare(memory)

    (hit,) = memory.search(asked("zebra"), 10)

    assert (hit.id, hit.date, hit.turns) == ("1", "", None)
    assert hit.text == "Zebra\nThe zebra is from elsewhere."


def test_where_vectors_work_the_question_itself_is_sent(
    site: Callable[..., Site],
) -> None:
    here = site(vectors=True, compress=by_lines)
    memory = here.memory()
    here.prepare(memory)
    before = len(here.worker.requests)

    hits = memory.search(asked("Where does she live?"), 10)

    (request,) = here.worker.requests[before:]
    assert request.url.params["query"] == "Where does she live?"
    assert request.url.params["limit"] == "10"
    assert all(hit.score is None for hit in hits)


def test_an_index_that_finds_nothing_but_lives_is_believed(
    site: Callable[..., Site],
) -> None:
    here = site(vectors=True)
    memory = here.memory()
    here.prepare(memory)

    assert memory.search(asked("xylophone"), 10) == ()


def test_the_time_of_a_search_is_that_of_its_request_alone(
    site: Callable[..., Site],
) -> None:
    here = site(vectors=True, compress=by_lines, latency_s=0.25)
    memory = here.memory()
    here.prepare(memory)
    before = len(here.worker.requests)

    nothing = memory.search_and_tell(asked("xylophone"), 10)

    asked_for = [request.url.path for request in here.worker.requests[before:]]
    assert asked_for == ["/api/search", "/api/chroma/status"]
    assert nothing.hits == ()
    assert nothing.latency_ms == pytest.approx(250)


def test_the_time_of_a_search_by_keywords_is_the_sum_of_its_requests(
    site: Callable[..., Site],
) -> None:
    here = site(compress=by_lines, latency_s=0.25)
    memory = here.memory()
    here.prepare(memory)

    three = memory.search_and_tell(asked("Where does Ana's sister live?"), 10)
    none = memory.search_and_tell(asked("?"), 10)

    assert three.latency_ms == pytest.approx(750)
    assert (none.hits, none.latency_ms) == ((), None)


def test_a_search_tells_whose_rows_were_found_and_by_which_worker(
    site: Callable[..., Site],
) -> None:
    here = site(compress=by_lines)
    memory = here.memory()
    here.prepare(memory)

    assert memory.search_and_tell(asked("sister"), 10).about == {
        "project": PROJECT,
        "project_checked": True,
        "worker_version": "13.25.3",
    }


def test_a_worker_that_falls_back_to_words_is_a_fault_and_no_empty_result(
    site: Callable[..., Site],
) -> None:
    here = site(vectors=True)
    memory = here.memory()
    here.prepare(memory)
    here.worker._routes._index.vectors = False

    with pytest.raises(CallFault, match="does not search by vectors any more") as found:
        memory.search(asked("Where does she live?"), 10)

    assert found.value.retryable
    assert not found.value.fatal


def test_a_hit_of_another_project_ends_the_run(site: Callable[..., Site]) -> None:
    here = site()
    memory = here.memory()
    here.prepare(memory)
    foreign = {"id": 1, "project": "somebody-elses", "title": "secret"}
    here.intercept = lambda request: (
        httpx.Response(200, json={"observations": [foreign]})
        if request.url.path == "/api/search"
        else None
    )

    with pytest.raises(CallFault, match="somebody-elses") as found:
        memory.search(asked("sister"), 10)

    assert found.value.fatal


def test_a_worker_that_is_gone_ends_the_run(site: Callable[..., Site]) -> None:
    here = site()
    memory = here.memory()
    here.prepare(memory)
    here.worker.stop()

    with pytest.raises(CallFault, match="Worker not running") as found:
        memory.search(asked("sister"), 10)

    assert found.value.fatal


def test_an_error_of_the_worker_may_pass(site: Callable[..., Site]) -> None:
    here = site()
    memory = here.memory()
    here.prepare(memory)
    here.intercept = lambda request: httpx.Response(500, json={"error": "locked"})

    with pytest.raises(CallFault, match="locked") as found:
        memory.search(asked("sister"), 10)

    assert not found.value.fatal


def test_a_conversation_that_was_not_prepared_cannot_be_asked_about(
    site: Callable[..., Site],
) -> None:
    here = site()
    memory = here.memory()
    here.prepare(memory)

    memory.ingest(ONE[0])
    with pytest.raises(CallError, match="mini-2 has not been prepared"):
        memory.ingest(MINI[1])


# the gate


def test_no_question_is_asked_while_a_session_is_missing(
    site: Callable[..., Site],
) -> None:
    here = site(outcomes=[Outcome.STORED] + [Outcome.DROPPED] * 3)

    with pytest.raises(InvalidRunError) as found:
        here.prepare(here.memory())

    lines = str(found.value).splitlines()
    assert found.value.exit_code == 3
    assert lines[0] == "1 of 3 sessions are not in the memory."
    assert any(line.split() == ["mini-1", "3", "2", "2", "2"] for line in lines)
    assert any(line.startswith("mini-1/s2: dropped: ") for line in lines)
    assert "--allow-incomplete" in lines[-1]
    assert here.account()["ingestion"]["mini-1"]["missing"] == [2]


def test_many_missing_sessions_are_counted_and_not_listed(
    site: Callable[..., Site],
) -> None:
    here = site(compress=lambda text: ())
    options = replace(QUICK, session_posts=1)

    with pytest.raises(InvalidRunError, match="and 5 more"):
        here.prepare(here.memory(options), MINI)


def test_the_gates_message_names_the_mode_that_discards_talk(
    site: Callable[..., Site], tmp_path: Path
) -> None:
    here = site(compress=lambda text: ())
    settings = WorkerSettings(
        directory=tmp_path, mode="code", provider=None, model=None
    )

    with pytest.raises(InvalidRunError, match="worker's mode is code"):
        here.prepare(here.memory(replace(QUICK, session_posts=1), settings))


@pytest.mark.parametrize(
    ("version", "mode"), [(VERSIONS[-1], "code"), ("13.4.0", "conversation")]
)
def test_a_run_tells_the_mode_by_the_workers_own_word_else_by_its_settings(
    site: Callable[..., Site], tmp_path: Path, version: str, mode: str
) -> None:
    here = site(version, mode="code")
    settings = WorkerSettings(
        directory=tmp_path, mode="conversation", provider=None, model=None
    )

    here.prepare(here.memory(settings=settings))

    assert here.account()["mode"] == mode


def test_the_gates_message_names_a_mode_that_the_settings_do_not(
    site: Callable[..., Site], tmp_path: Path
) -> None:
    def first_alone(text: str) -> Sequence[str]:
        return (text,) if text.startswith("[Session 1 ") else ()

    here = site(mode="code", compress=first_alone)
    settings = WorkerSettings(
        directory=tmp_path, mode="conversation", provider=None, model=None
    )

    with pytest.raises(InvalidRunError, match="worker's mode is code"):
        here.prepare(here.memory(replace(QUICK, session_posts=1), settings))


def test_an_incomplete_memory_can_be_allowed_and_that_is_told_for_good(
    site: Callable[..., Site],
) -> None:
    here = site(outcomes=[Outcome.DROPPED] * 4)
    options = replace(QUICK, session_posts=1, allow_incomplete=True)

    here.prepare(here.memory(options))

    assert here.account()["remarks"][0] == (
        "NOT COMPLETE: 3 sessions are not in the memory (mini-1 sessions 1, 2, 3)."
    )
    assert here.account()["incomplete"] is True


def test_questions_wait_until_the_index_finds_every_session(
    site: Callable[..., Site],
) -> None:
    here = site(vectors=True, index_lag=8)

    here.prepare(here.memory())

    assert here.account()["index"] == "ready"
    assert here.worker.now_s > 8 * 1.0


def test_an_index_that_was_found_ready_is_not_asked_again(
    site: Callable[..., Site],
) -> None:
    here = site(vectors=True)
    here.prepare(here.memory())
    here.worker.requests.clear()

    here.prepare(here.memory())
    assert not any(r.url.path == "/api/search" for r in here.worker.requests)

    here.worker.restart()
    here.prepare(here.memory())
    assert any(r.url.path == "/api/search" for r in here.worker.requests)


def test_a_long_wait_for_the_index_says_how_far_it_is(
    at_desk: AtDesk, site: Callable[..., Site]
) -> None:
    here = site(vectors=True, index_lag=12)
    said: list[Event] = []
    memory = here.memory()

    async def work(desk: Desk) -> None:
        await memory.prepare(ONE, replace(desk, observe=said.append))

    at_desk(work)

    notes = [event.text for event in said if isinstance(event, Noted)]
    assert notes[0] == "Vector index [mini-1] — found 0 of 3 sessions"


def test_a_wait_for_the_index_ends_when_the_run_is_stopped(
    at_desk: AtDesk, site: Callable[..., Site]
) -> None:
    here = site(vectors=True, index_lag=10_000)
    memory = here.memory(replace(QUICK, index_timeout=1e6))

    async def work(desk: Desk) -> None:
        def stop(event: Event) -> None:
            if isinstance(event, Noted):
                desk.stop.set(InterruptedRunError("stopped by the test"))

        await memory.prepare(ONE, replace(desk, observe=stop))

    with pytest.raises(InterruptedRunError):
        at_desk(work)


def test_an_index_that_stays_behind_stops_the_run(site: Callable[..., Site]) -> None:
    here = site(vectors=True, index_lag=10_000)

    with pytest.raises(InvalidRunError, match="--index-timeout"):
        here.prepare(here.memory())

    assert here.account()["index"] == "behind"


def test_an_index_that_stays_behind_can_be_allowed_and_that_is_told(
    site: Callable[..., Site],
) -> None:
    here = site(vectors=True, index_lag=10_000)

    here.prepare(here.memory(replace(QUICK, allow_incomplete=True)))

    assert any(each.startswith("INDEX BEHIND") for each in here.account()["remarks"])


def test_a_conversation_without_rows_is_not_waited_for_in_the_index(
    site: Callable[..., Site],
) -> None:
    here = site(vectors=True, compress=lambda text: ())
    options = replace(QUICK, session_posts=1, allow_incomplete=True)

    here.prepare(here.memory(options))

    assert here.account()["index"] == "ready"


def test_a_stopped_run_does_not_come_to_the_gate(site: Callable[..., Site]) -> None:
    here = site()

    def stop(desk: Desk) -> None:
        desk.stop.set(InterruptedRunError("stopped by the test"))

    with pytest.raises(InterruptedRunError):
        here.prepare(here.memory(), before=stop)

    assert "ingestion" not in here.account()


def test_errors_of_the_worker_stop_the_preparation_with_a_message(
    site: Callable[..., Site],
) -> None:
    here = site()
    memory = here.memory()
    here.worker.stop()

    with pytest.raises(RunError, match="claude-mem: Worker not running at"):
        here.prepare(memory)


# what it tells


def test_the_fingerprint_names_all_that_changes_a_hit(
    site: Callable[..., Site], tmp_path: Path
) -> None:
    settings = WorkerSettings(
        directory=tmp_path, mode="conversation", provider="claude", model="some-model"
    )

    assert site().memory(settings=settings).describe() == {
        "name": "claude-mem",
        "namespace": "locomo",
        "via": "observation",
        "captions": True,
        "search": "keywords",
        "engine": "words",
        "model": "some-model",
        "mode": "conversation",
    }
    told = site(vectors=True).memory().describe()
    assert (told["search"], told["engine"]) == ("question", "vectors")
    assert (told["model"], told["mode"]) == (None, None)


def test_the_oldest_workers_have_no_vectors(site: Callable[..., Site]) -> None:
    assert site("10.6.3").memory().describe()["engine"] == "words"


def test_a_run_tells_how_its_questions_were_searched(site: Callable[..., Site]) -> None:
    here = site()
    memory = here.memory()

    async def work(desk: Desk) -> None:
        await memory.prepare(ONE, desk)
        for number, found in enumerate(("[]", "[1]", "[2]")):
            desk.ledger.append(
                Request(
                    stage=Stage.SEARCH,
                    item=f"mini-1:{number}",
                    content={"memory": memory.describe()},
                ),
                Attempt(status=Status.OK, reply={"hits": desk.ledger.store(found)}),
            )
        desk.ledger.append(
            Request(
                stage=Stage.SEARCH,
                item="mini-1:9",
                content={"memory": memory.describe()},
            ),
            Attempt(status=Status.INFRA_ERROR, reason="no reply"),
        )
        here.worker.restart()
        memory.conclude(desk)

    here.at_desk(work)

    account = here.account()
    assert account["searches"] == {"keywords": 3}
    assert account["without_hits"] == 1
    assert [each["pid"] for each in account["workers"]] == [1001, 1002]
    assert account["mode_of_rows"] == "code"


def test_a_worker_that_is_gone_at_the_end_spoils_nothing(
    site: Callable[..., Site],
) -> None:
    here = site()
    memory = here.memory()

    async def work(desk: Desk) -> None:
        await memory.prepare(ONE, desk)
        here.worker.stop()
        memory.conclude(desk)

    here.at_desk(work)

    assert here.account()["searches"] == {}


def test_what_was_imported_says_nothing_about_the_mode(
    site: Callable[..., Site],
) -> None:
    here = site()
    here.prepare(here.memory(IMPORT))

    account = here.account()
    assert account["mode_of_rows"] is None
    assert account["remarks"] == [
        (
            "The turns were imported word for word, without a model: storage and "
            "search alone are under test."
        ),
        "The worker searched without vectors, by words alone.",
    ]


# opening


def test_an_open_memory_asks_the_worker_that_the_options_name(
    serve: Callable[[FakeWorker], str],
) -> None:
    address = serve(FakeWorker("13.4.0"))

    memory = open_claude_mem(ClaudeMemOptions(worker=address))

    assert memory.describe()["name"] == "claude-mem"
    memory.close()
    memory.close()


def test_without_a_worker_the_message_says_where_and_how_to_start_it() -> None:
    with pytest.raises(RunError, match=r"not running at localhost:1 .*bun plugin"):
        open_claude_mem(ClaudeMemOptions(worker="localhost:1"))


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(RunError, match="Unusable worker address"):
        open_claude_mem(ClaudeMemOptions(worker="http://"))
