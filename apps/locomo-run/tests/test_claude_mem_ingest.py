from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol, TypeVar

import httpx
import pytest
from cmem_client import AsyncClient
from cmem_client.testing import VERSIONS, FakeWorker, Outcome
from locomo_dataset import Conversation, load_mini
from locomo_run.calls.desk import Desk
from locomo_run.claude_mem.account import read_account
from locomo_run.claude_mem.holdings import Holdings
from locomo_run.claude_mem.ingest import ingest
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.claude_mem.ownership import claim, claimed
from locomo_run.claude_mem.posting import ABSENCE, GoneError, QuotaError
from locomo_run.claude_mem.settings import WorkerSettings
from locomo_run.errors import InterruptedRunError, UsageError
from locomo_run.ledger.entry import Entry, Stage
from locomo_run.progress import Event, Noted, SessionIngested

T = TypeVar("T")
NEWEST = VERSIONS[-1]
OLDER = "13.4.0"
ONE_BY_ONE = ClaudeMemOptions(ingest_workers=1)
QUICK = replace(ONE_BY_ONE, session_timeout=20.0, stall=10.0, poll=1.0)


class AtDesk(Protocol):
    def __call__(
        self, work: Callable[[Desk], Awaitable[T]], *, name: str = "run"
    ) -> T: ...


def shortened(conversation: Conversation, sessions: int) -> Conversation:
    return replace(conversation, sessions=conversation.sessions[:sessions])


MINI = load_mini().conversations
TWO = tuple(shortened(each, 3) for each in MINI)
ONE = TWO[:1]


class Site:
    """A fake worker, and ingestion into it at a desk."""

    def __init__(self, at_desk: AtDesk, worker: FakeWorker) -> None:
        self.at_desk = at_desk
        self.worker = worker
        self.slept = 0.0
        self.on_sleep: Callable[[], None] = lambda: None
        self.intercept: Callable[[httpx.Request], httpx.Response | None] = (
            lambda request: None
        )

    def ingest(
        self,
        options: ClaudeMemOptions = ONE_BY_ONE,
        conversations: Sequence[Conversation] = ONE,
        *,
        settings: WorkerSettings | None = None,
        name: str = "run",
        before: Callable[[Desk], None] = lambda desk: None,
    ) -> tuple[Holdings, ...]:
        async def work(desk: Desk) -> tuple[Holdings, ...]:
            before(desk)
            async with self.client() as client:
                held = await ingest(
                    conversations,
                    client,
                    desk,
                    options,
                    settings=settings,
                    clock=lambda: self.worker.now_s,
                    sleep=self.sleep,
                )
            return held or ()

        return self.at_desk(work, name=name)

    def client(self) -> AsyncClient:
        async def sleep(seconds: float) -> None:
            await self.sleep(seconds)

        def handle(request: httpx.Request) -> httpx.Response:
            return self.intercept(request) or self.worker(request)

        return AsyncClient(
            "localhost:37777",
            token="",
            transport=httpx.MockTransport(handle),
            clock=lambda: self.worker.now_s,
            sleep=sleep,
        )

    async def sleep(self, seconds: float) -> None:
        self.worker.now_s += seconds
        self.slept += seconds
        self.on_sleep()
        await asyncio.sleep(0)  # lets the other conversations go on

    def posts(self, path: str) -> list[dict[str, Any]]:
        return [
            json.loads(request.content)
            for request in self.worker.requests
            if request.url.path == path
        ]

    @property
    def opened(self) -> list[dict[str, Any]]:
        return self.posts("/api/sessions/init")

    @property
    def observed(self) -> list[dict[str, Any]]:
        return self.posts("/api/sessions/observations")

    def entries(self, name: str = "run") -> list[Entry]:
        async def read(desk: Desk) -> list[Entry]:
            found = desk.ledger.entries(Stage.INGEST)
            return sorted(found, key=lambda entry: entry.request.item)

        return self.at_desk(read, name=name)

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


# what is posted


@pytest.mark.parametrize("version", VERSIONS)
def test_every_session_of_every_conversation_gets_its_rows(
    site: Callable[..., Site], version: str
) -> None:
    here = site(version)

    held = here.ingest(ClaudeMemOptions(), TWO)

    assert [each.missing for each in held] == [(), ()]
    assert [each.project for each in held] == [
        "locomo-eval-mini-1",
        "locomo-eval-mini-2",
    ]
    entries = here.entries()
    assert [entry.request.item for entry in entries] == [
        f"mini-{conversation}/s{session}"
        for conversation in (1, 2)
        for session in (1, 2, 3)
    ]
    for entry in entries:
        assert entry.ok
        assert entry.attempt.reply["worker"] == {"version": version, "pid": 1001}
        assert entry.attempt.latency_ms


def test_a_session_is_posted_to_the_letter(site: Callable[..., Site]) -> None:
    here = site()
    conversation = ONE[0]
    session = conversation.sessions[1]

    here.ingest()

    assert here.opened[1] == {
        "contentSessionId": "locomo-mini-1-s2",
        "project": "locomo-eval-mini-1",
        "prompt": f"Conversation between {conversation.speaker_a} and "
        f"{conversation.speaker_b} on {session.date_text}",
    }
    posted = here.observed[1]
    assert posted["tool_name"] == "Read"
    assert posted["tool_input"] == {
        "file_path": "conversation-transcript/session-2.txt"
    }
    lines = posted["tool_response"].split("\n")
    assert lines[:3] == [
        f"[Session 2 — {session.date_text}]",
        f"[Conversation between {conversation.speaker_a} and {conversation.speaker_b}]",
        "",
    ]
    assert len(lines) == 3 + len(session.turns)


def test_sessions_of_a_conversation_go_in_order_and_one_at_a_time(
    site: Callable[..., Site],
) -> None:
    here = site(looks=3)

    here.ingest(ClaudeMemOptions(ingest_workers=2), TWO)

    for number in (1, 2):
        own = [each["contentSessionId"] for each in here.opened]
        assert [name for name in own if f"mini-{number}-" in name] == [
            f"locomo-mini-{number}-s{n}" for n in (1, 2, 3)
        ]
    first_two = {each["project"] for each in here.opened[:2]}
    assert first_two == {"locomo-eval-mini-1", "locomo-eval-mini-2"}


def test_one_ingest_worker_finishes_a_conversation_before_the_next(
    site: Callable[..., Site],
) -> None:
    here = site()

    here.ingest(ONE_BY_ONE, TWO)

    projects = [each["project"] for each in here.opened]
    assert projects == sorted(projects)


def test_captions_are_left_out_when_told_so(site: Callable[..., Site]) -> None:
    with_images = [
        replace(each, sessions=tuple(s for s in each.sessions if has_image(s)))
        for each in MINI
    ]
    with_captions, without = site(), site()

    with_captions.ingest(conversations=with_images[:1], name="with")
    without.ingest(
        replace(ONE_BY_ONE, captions=False), conversations=with_images[:1], name="no"
    )

    assert " [shares an image: " in with_captions.observed[0]["tool_response"]
    assert "[shares an image" not in str(without.observed)


def has_image(session: Any) -> bool:
    return any(turn.caption for turn in session.turns)


# repeating


def test_a_repeated_ingestion_posts_nothing(site: Callable[..., Site]) -> None:
    here = site()
    here.ingest()
    before = len(here.observed)

    held = here.ingest()

    assert held[0].missing == ()
    assert len(here.observed) == before
    assert [entry.attempts for entry in here.entries()] == [1, 1, 1]


def test_only_the_session_without_rows_is_posted_again(
    site: Callable[..., Site],
) -> None:
    here = site(outcomes=[Outcome.STORED, Outcome.DROPPED, Outcome.STORED])
    options = replace(QUICK, session_posts=1)

    assert here.ingest(options)[0].missing == (2,)
    before = len(here.observed)
    assert here.ingest(options)[0].missing == ()

    again = here.observed[before:]
    assert [each["contentSessionId"] for each in again] == ["locomo-mini-1-s2"]
    names = [
        each["tool_use_id"]
        for each in here.observed
        if each["contentSessionId"] == "locomo-mini-1-s2"
    ]
    assert len(set(names)) == 2  # the first name is used up


def test_rows_stored_before_the_program_was_killed_are_its_own(
    site: Callable[..., Site],
) -> None:
    here = site()
    here.ingest(name="killed")
    posted = len(here.observed)

    held = here.ingest(
        before=lambda desk: claim(desk.ledger, ["locomo-eval-mini-1"]),
    )

    assert held[0].missing == ()
    assert len(here.observed) == posted
    assert all(entry.ok and entry.attempts == 1 for entry in here.entries())


def test_a_project_is_claimed_before_the_first_post(site: Callable[..., Site]) -> None:
    here = site()
    seen: list[list[str]] = []
    kept: list[Desk] = []

    def watch(request: httpx.Request) -> None:
        if request.url.path == "/api/sessions/init":
            seen.append(claimed(kept[0].ledger))

    here.intercept = watch
    here.ingest(before=kept.append)

    assert seen[0] == ["locomo-eval-mini-1"]


def test_a_worker_that_lost_its_store_is_filled_anew(site: Callable[..., Site]) -> None:
    here = site()
    here.ingest()
    here.worker = FakeWorker()

    assert here.ingest()[0].missing == ()
    assert len(here.observed) == 3


# what goes wrong in a session


@pytest.mark.parametrize("version", [OLDER, NEWEST])
@pytest.mark.parametrize("outcome", [Outcome.DROPPED, Outcome.FAILED])
def test_a_session_that_came_to_nothing_is_posted_again_within_bounds(
    site: Callable[..., Site], version: str, outcome: Outcome
) -> None:
    here = site(version, outcomes=[outcome, outcome])

    held = here.ingest(QUICK)

    assert held[0].missing == ()
    first, *others = here.entries()
    assert (first.ok, first.attempts) == (True, 3)
    assert [entry.attempts for entry in others] == [1, 1]
    assert len(here.opened) == 3  # a session is opened once


def test_a_session_that_stays_empty_is_given_up_and_the_next_ones_follow(
    site: Callable[..., Site],
) -> None:
    here = site(outcomes=[Outcome.DROPPED] * 3)

    held = here.ingest(QUICK)

    assert held[0].missing == (1,)
    lost, *others = here.entries()
    assert not lost.ok
    assert lost.attempts == 3
    assert lost.attempt.reason.startswith("dropped: ")
    assert all(entry.ok for entry in others)


def test_a_parked_session_is_woken_and_not_doubled(site: Callable[..., Site]) -> None:
    here = site(outcomes=[Outcome.PARKED])

    def wake(request: httpx.Request) -> None:
        """Wake as real workers do: by a session opened with a new prompt."""
        if request.url.path == "/api/sessions/init" and b"(again" in request.content:
            for item in here.worker._queue.items:
                item.parked = False

    here.intercept = wake
    held = here.ingest(QUICK)

    assert held[0].missing == ()
    assert held[0].observations == 3
    prompts = [each["prompt"] for each in here.opened]
    assert prompts[1] == f"{prompts[0]} (again, 2)"
    assert len(here.observed) == 3


def test_a_session_that_cannot_be_woken_is_posted_under_a_new_name(
    site: Callable[..., Site],
) -> None:
    here = site(outcomes=[Outcome.PARKED])

    held = here.ingest(QUICK)

    assert held[0].missing == ()
    assert here.entries()[0].attempts == 3
    assert here.entries()[0].ok


def test_a_busy_worker_is_waited_for_and_gets_no_second_copy(
    site: Callable[..., Site],
) -> None:
    here = site(looks=25)

    held = here.ingest(replace(QUICK, stall=1000.0), conversations=ONE)

    assert held[0].missing == ()
    assert len(here.observed) == 3
    assert here.entries()[0].attempts == 2


def test_a_slow_worker_that_does_not_say_why_gets_no_second_copy(
    site: Callable[..., Site],
) -> None:
    here = site(OLDER, looks=25)

    held = here.ingest(QUICK, (shortened(MINI[0], 1),))

    assert held[0].missing == ()
    assert len(here.observed) == 1
    assert here.entries()[0].attempts == 3


def test_a_session_left_working_is_first_waited_for_when_repeated(
    site: Callable[..., Site],
) -> None:
    here = site(looks=25)
    patient = replace(QUICK, stall=1000.0, session_posts=1)
    single = (shortened(MINI[0], 1),)

    assert here.ingest(patient, single)[0].missing == (1,)
    assert here.entries()[0].attempt.reason.startswith("working: ")
    assert here.ingest(patient, single)[0].missing == ()

    assert len(here.observed) == 1


def test_a_used_up_quota_stops_the_run_and_says_so(site: Callable[..., Site]) -> None:
    here = site(outcomes=[Outcome.STORED, Outcome.COOLDOWN])

    with pytest.raises(QuotaError, match=r"no calls until 30 minutes after"):
        here.ingest(QUICK)

    assert len(here.observed) == 2
    assert [entry.ok for entry in here.entries()] == [True, False]


def names_of(here: Site, session: str) -> list[str]:
    return [
        each["tool_use_id"]
        for each in here.observed
        if each["contentSessionId"] == session
    ]


def test_a_command_repeated_in_a_cooldown_posts_under_the_name_in_the_queue(
    site: Callable[..., Site],
) -> None:
    here = site(outcomes=[Outcome.COOLDOWN])
    for _ in range(3):
        with pytest.raises(QuotaError):
            here.ingest(QUICK)

    here.worker.cooldown = False
    held = here.ingest(QUICK)

    assert held[0].missing == ()
    names = names_of(here, "locomo-mini-1-s1")
    assert len(names) == 4
    assert len(set(names)) == 1
    assert held[0].observations == 3


def test_a_queue_that_was_lost_in_a_cooldown_is_posted_under_a_new_name(
    site: Callable[..., Site],
) -> None:
    here = site(outcomes=[Outcome.COOLDOWN])
    with pytest.raises(QuotaError):
        here.ingest(QUICK)

    here.worker.restart()
    here.worker.cooldown = False
    held = here.ingest(replace(QUICK, session_posts=1))

    assert held[0].missing == ()
    assert len(set(names_of(here, "locomo-mini-1-s1"))) == 2


def test_the_name_in_the_queue_outlasts_a_call_that_posts_nothing(
    site: Callable[..., Site], tmp_path: Path
) -> None:
    here = site(outcomes=[Outcome.COOLDOWN])
    settings = WorkerSettings(
        directory=tmp_path, mode="code", provider="openrouter", model="m"
    )
    with pytest.raises(QuotaError):
        here.ingest(QUICK, settings=settings)
    file = tmp_path / "quota-cooldown.json"
    armed = datetime.now(UTC).timestamp() * 1000
    file.write_text(json.dumps([{"armedAtMs": armed}]), encoding="utf-8")
    with pytest.raises(QuotaError):
        here.ingest(QUICK, settings=settings)
    file.unlink()
    here.worker.cooldown = False

    here.ingest(QUICK, settings=settings)

    names = names_of(here, "locomo-mini-1-s1")
    assert len(names) == 2
    assert len(set(names)) == 1


def test_the_end_of_a_cooldown_is_read_in_the_workers_log(
    site: Callable[..., Site],
) -> None:
    here = site(outcomes=[Outcome.COOLDOWN])
    end = datetime.now(UTC) + timedelta(minutes=20)

    def logs(request: httpx.Request) -> httpx.Response | None:
        if request.url.path != "/api/logs":
            return None
        stamp = f"{datetime.now():%Y-%m-%d %H:%M:%S}.000"  # noqa: DTZ005  # as it logs
        left = (end - datetime.now(UTC)) // timedelta(milliseconds=1)
        line = f"[{stamp}] [WARN ] [SESSION] [session-4] Skipping generator start "
        line += "while the provider quota cooldown is active {source=observation, "
        line += f"window=rate_limit, probeInFlight=false, retryInMs={left}}}"
        return httpx.Response(200, json={"logs": f"first\n{line}\nlast"})

    here.intercept = logs
    with pytest.raises(QuotaError, match=r"no calls until \d\d:\d\d UTC") as caught:
        here.ingest(QUICK)

    near = {f"{end - timedelta(seconds=s):%H:%M} UTC" for s in (0, 2)}
    assert any(each in str(caught.value) for each in near)


def test_nothing_is_posted_while_the_workers_files_tell_of_a_cooldown(
    site: Callable[..., Site], tmp_path: Path
) -> None:
    here = site()
    armed = datetime.now(UTC).timestamp() * 1000
    (tmp_path / "quota-cooldown.json").write_text(
        json.dumps([{"provider": "openrouter", "armedAtMs": armed}]), encoding="utf-8"
    )
    settings = WorkerSettings(
        directory=tmp_path, mode="code", provider="openrouter", model="m"
    )

    with pytest.raises(QuotaError, match=r"no calls until \d\d:\d\d UTC"):
        here.ingest(QUICK, settings=settings)

    assert here.opened == []


def test_a_session_that_the_worker_refuses_is_stored_and_the_next_follows(
    site: Callable[..., Site],
) -> None:
    here = site()

    def refuse(request: httpx.Request) -> httpx.Response | None:
        if request.url.path.endswith("/init") and b"mini-1-s1" in request.content:
            return httpx.Response(200, json={"skipped": True, "reason": "private"})
        if request.url.path.endswith("/observations") and (
            b"mini-1-s2" in request.content
        ):
            return httpx.Response(
                200, json={"status": "skipped", "reason": "tool_excluded"}
            )
        return None

    here.intercept = refuse
    held = here.ingest()

    assert held[0].missing == (1, 2)
    first, second, third = here.entries()
    assert first.attempt.reason == "the worker skipped the session: private"
    assert second.attempt.reason == "the worker skipped the observation: tool_excluded"
    assert third.ok


def test_a_post_without_an_answer_may_have_arrived(site: Callable[..., Site]) -> None:
    here = site()
    cut: list[str] = []

    def cut_once(request: httpx.Request) -> None:
        if request.url.path == "/api/sessions/observations" and not cut:
            here.worker(request)
            cut.append("cut")
            raise httpx.ReadTimeout("no answer", request=request)

    here.intercept = cut_once
    held = here.ingest()

    assert held[0].missing == ()
    assert here.entries()[0].attempts == 1


def test_an_error_of_the_worker_is_stored_and_tried_again(
    site: Callable[..., Site],
) -> None:
    here = site()
    failed: list[str] = []

    def fail_once(request: httpx.Request) -> httpx.Response | None:
        if request.url.path == "/api/sessions/init" and not failed:
            failed.append("failed")
            return httpx.Response(500, json={"error": "disk is full"})
        return None

    here.intercept = fail_once

    assert here.ingest()[0].missing == ()
    assert here.entries()[0].attempts == 2


@pytest.mark.parametrize("version", [OLDER, NEWEST])
def test_a_worker_that_comes_back_is_gone_on_with(
    site: Callable[..., Site], version: str
) -> None:
    here = site(version, looks=5)

    def die(request: httpx.Request) -> None:
        if request.url.path.endswith("/observations") and (
            b"mini-1-s2" in request.content
        ):
            here.intercept = lambda request: None
            here.worker(request)
            here.worker.stop()

    here.intercept = die

    def restart_once() -> None:
        if not here.worker._running:
            here.worker.restart()

    here.on_sleep = restart_once
    held = here.ingest(QUICK)

    assert held[0].missing == ()
    assert held[0].observations == 3
    assert here.entries()[1].attempts >= 2


@pytest.mark.parametrize("version", [OLDER, NEWEST])
def test_what_a_restarted_worker_forgot_is_posted_again(
    site: Callable[..., Site], version: str
) -> None:
    here = site(version, looks=5)

    def restart_once() -> None:
        here.on_sleep = lambda: None
        here.worker.restart()

    here.on_sleep = restart_once
    held = here.ingest(QUICK)

    assert held[0].missing == ()
    assert held[0].observations == 3
    sessions = [each["contentSessionId"] for each in here.opened]
    assert sessions.count("locomo-mini-1-s1") == 2  # it may have forgotten that too
    assert [each["pid"] for each in here.account()["workers"]] == [1001, 1002]


def test_a_worker_that_stays_away_stops_the_run(site: Callable[..., Site]) -> None:
    here = site()
    here.intercept = lambda request: (
        here.worker.stop() if request.url.path == "/api/sessions/init" else None
    )

    with pytest.raises(GoneError, match="Worker not running at localhost:37777"):
        here.ingest(QUICK)

    assert here.slept >= ABSENCE
    assert len(here.entries()) == 1


def test_a_stopped_run_posts_no_further_session(site: Callable[..., Site]) -> None:
    here = site()
    kept: list[Desk] = []

    def stop(request: httpx.Request) -> None:
        if request.url.path == "/api/sessions/observations":
            kept[0].stop.set(InterruptedRunError("stopped by the test"))

    here.intercept = stop
    with pytest.raises(InterruptedRunError):
        here.ingest(before=kept.append)

    assert len(here.observed) == 1
    assert [entry.ok for entry in here.entries()] == [True]


# whose rows they are


def test_rows_of_another_run_stop_it(site: Callable[..., Site]) -> None:
    here = site()
    here.ingest(name="yesterday")

    with pytest.raises(UsageError, match="holds 3 rows which this run did not write"):
        here.ingest(name="today")


def test_rows_of_another_run_can_be_taken_over_and_that_is_told(
    site: Callable[..., Site],
) -> None:
    here = site()
    here.ingest(name="yesterday")
    posted = len(here.observed)

    held = here.ingest(replace(ONE_BY_ONE, reuse_memories=True))

    assert held[0].missing == ()
    assert len(here.observed) == posted
    assert here.account()["reused"] is True
    assert any("MEMORIES REUSED" in each for each in here.account()["remarks"])


def test_reusing_is_not_told_where_nothing_was_reused(
    site: Callable[..., Site],
) -> None:
    here = site()

    here.ingest(replace(ONE_BY_ONE, reuse_memories=True))

    assert "reused" not in here.account()


def test_a_row_that_appears_in_the_runs_project_stops_it(
    site: Callable[..., Site],
) -> None:
    here = site()
    here.ingest()
    with here.worker.client() as client:
        client.save_memory("somebody else's", "locomo-eval-mini-1")

    with pytest.raises(UsageError, match="1 row of other sessions"):
        here.ingest()


def test_the_store_of_another_worker_stops_it(site: Callable[..., Site]) -> None:
    here, other = site(), site()
    other.worker._store._ticks = 60_000  # filled a minute later, with the same ids
    here.ingest()
    other.ingest(name="other")
    here.worker = other.worker

    with pytest.raises(UsageError, match="other rows for sessions 1, 2, 3"):
        here.ingest()


def test_a_worker_in_use_for_something_else_is_not_filled_unasked(
    site: Callable[..., Site],
) -> None:
    here = site()
    with here.worker.client() as client:
        for number in range(7):
            client.save_memory("a decision", f"shop-{number}")

    with pytest.raises(UsageError, match=r"7 other projects \('shop-6', .*, \.\.\.\)"):
        here.ingest()
    assert here.opened == []

    assert here.ingest(replace(ONE_BY_ONE, foreign_projects=True))[0].missing == ()
    assert here.ingest()[0].missing == ()  # nothing is posted, so nothing is asked


def test_one_other_project_is_said_in_the_singular(site: Callable[..., Site]) -> None:
    here = site()
    with here.worker.client() as client:
        client.save_memory("a decision", "my-shop")

    with pytest.raises(UsageError, match=r"holds 1 other project \('my-shop'\): "):
        here.ingest()


def test_every_process_of_the_worker_is_told(site: Callable[..., Site]) -> None:
    here = site()
    here.ingest()
    here.worker.restart()
    here.ingest()

    assert here.account()["workers"] == [
        {"version": NEWEST, "pid": 1001},
        {"version": NEWEST, "pid": 1002},
    ]
    assert any("worker changed" in each for each in here.account()["remarks"])


# word for word

IMPORT = replace(ONE_BY_ONE, via="import")


@pytest.mark.parametrize("version", VERSIONS)
def test_an_import_stores_every_turn_without_a_model(
    site: Callable[..., Site], version: str
) -> None:
    here = site(version)

    held = here.ingest(IMPORT, TWO)

    assert here.opened == []
    for conversation, each in zip(TWO, held, strict=True):
        assert each.missing == ()
        assert each.observations == sum(len(s.turns) for s in conversation.sessions)
    first = TWO[0].sessions[0]
    row = next(
        row for row in held[0].rows[1] if row.title == f"D1:1 {first.turns[0].speaker}"
    )
    turn = first.turns[0]
    assert row.narrative == f"[{first.date_text}] {turn.speaker}: {turn.text}"
    assert all(entry.ok for entry in here.entries())


def test_the_time_of_an_import_is_told_once_and_of_no_session(
    at_desk: AtDesk, site: Callable[..., Site]
) -> None:
    here = site(latency_s=0.4)
    said: list[Event] = []

    async def work(desk: Desk) -> None:
        async with here.client() as client:
            await ingest(ONE, client, replace(desk, observe=said.append), IMPORT)

    at_desk(work)

    assert [event.text for event in said if isinstance(event, Noted)] == [
        "Conversation 1/1 [mini-1] — 3 sessions imported in 0.8s"  # two requests
    ]
    assert [e.seconds for e in said if isinstance(e, SessionIngested)] == [None] * 3
    assert [entry.attempt.latency_ms for entry in here.entries()] == [None] * 3


def test_sessions_that_an_import_finds_there_are_noted(
    site: Callable[..., Site],
) -> None:
    here = site()
    here.ingest(IMPORT, name="another")

    here.ingest(replace(IMPORT, reuse_memories=True))

    assert [entry.ok for entry in here.entries()] == [True] * 3


def test_a_repeated_import_adds_nothing(site: Callable[..., Site]) -> None:
    here = site()
    once = here.ingest(IMPORT)

    twice = here.ingest(IMPORT)

    assert twice == once


def test_an_import_that_broke_off_is_completed_without_duplicates(
    site: Callable[..., Site],
) -> None:
    here = site()
    whole = here.ingest(IMPORT)[0].observations
    lost = here.worker._store.rows.pop()

    def fresh_date_is_the_old_one(desk: Desk) -> None:
        assert desk.ledger.fact("claude_mem_import_date") is not None

    held = here.ingest(IMPORT, before=fresh_date_is_the_old_one)

    assert held[0].observations == whole
    assert held[0].missing == ()
    titles = [row.title for row in held[0].rows[3]]
    assert titles.count(str(lost["title"])) == 1


def test_an_import_of_which_rows_are_lost_is_told(site: Callable[..., Site]) -> None:
    here = site()

    def lose(request: httpx.Request) -> httpx.Response | None:
        if request.url.path == "/api/import" and b'"observations"' in request.content:
            response = here.worker(request)
            here.worker._store.rows.pop(0)
            return response
        return None

    here.intercept = lose
    held = here.ingest(IMPORT)

    turns = len(ONE[0].sessions[0].turns)
    assert held[0].missing == (1,)
    assert here.entries()[0].attempt.reason == (
        f"{turns - 1} of {turns} turns were stored"
    )
