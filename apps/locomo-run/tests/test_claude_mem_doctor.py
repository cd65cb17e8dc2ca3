from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path

import httpx
import pytest
from cmem_client import Client, resolve
from cmem_client.testing import VERSIONS, FakeWorker, Outcome
from locomo_run.claude_mem.canary import CANARY_SECONDS, canary
from locomo_run.claude_mem.checks import Check, Grade, failures
from locomo_run.claude_mem.doctor import check_storing, check_worker
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.claude_mem.settings import WorkerSettings
from locomo_run.claude_mem.surroundings import (
    check_dataset,
    check_folder,
    check_key,
    check_proxy,
    check_surroundings,
)
from locomo_run.cli.doctor import CHECK_SECONDS, REQUEST_SECONDS

OPTIONS = ClaudeMemOptions()
LOCAL = resolve("localhost:37777", token="")
REMOTE = resolve("worker.example:37777", token="")
Intercept = Callable[[httpx.Request], httpx.Response | None]


def told(
    directory: Path, mode: str = "conversation", provider: str = "openrouter"
) -> WorkerSettings:
    return WorkerSettings(directory=directory, mode=mode, provider=provider, model="m")


def grades(checks: Sequence[Check]) -> dict[str, str]:
    return {check.name: str(check.grade) for check in checks}


def checked(
    client: Client, settings: WorkerSettings | None = None, *, write: bool = True
) -> list[Check]:
    seen = check_worker(client, OPTIONS, settings)
    if not seen.answers:
        return [*seen.checks]
    storing = check_storing(client, OPTIONS, settings, write=write)
    return [*seen.checks, *storing]


def examine(
    worker: FakeWorker,
    settings: WorkerSettings | None = None,
    intercept: Intercept = lambda request: None,
) -> dict[str, Check]:
    def handle(request: httpx.Request) -> httpx.Response:
        return intercept(request) or worker(request)

    with Client(
        "localhost:37777", token="", transport=httpx.MockTransport(handle)
    ) as client:
        return {check.name: check for check in checked(client, settings)}


def test_a_worker_with_vectors_and_its_own_mode_passes_everything(
    tmp_path: Path,
) -> None:
    found = examine(FakeWorker(vectors=True), told(tmp_path))

    assert grades([*found.values()]) == {
        "worker": "PASS",
        "process": "PASS",
        "model": "PASS",
        "vector search": "PASS",
        "projects": "PASS",
        "search": "PASS",
        "mode": "PASS",
    }
    assert found["process"].found == "version 13.25.3, pid 1001"
    assert found["worker"].found == (
        "answers at http://localhost:37777 (from argument)"
    )
    assert found["model"].found == "provider openrouter, model m"


def test_a_worker_that_does_not_answer_fails_and_ends_the_examination() -> None:
    worker = FakeWorker()
    worker.stop()

    found = examine(worker)

    assert grades([*found.values()]) == {"worker": "FAIL"}
    assert "bun plugin/scripts/worker-service.cjs start" in found["worker"].found


def slow(
    seconds: float, worker: FakeWorker, *, hangs: frozenset[str] = frozenset()
) -> tuple[dict[str, Check], float]:
    """Examine a worker that takes so long for each answer; gives the time it took."""
    now = [0.0]

    def handle(request: httpx.Request) -> httpx.Response:
        limit = request.extensions["timeout"]["read"]
        takes = 1000.0 if request.url.path in hangs else seconds
        now[0] += min(limit, takes)
        if takes > limit:
            raise httpx.ReadTimeout("no answer", request=request)
        return worker(request)

    with Client(
        "localhost:37777",
        token="",
        transport=httpx.MockTransport(handle),
        clock=lambda: now[0],
        timeout=REQUEST_SECONDS,
        budget=CHECK_SECONDS,
    ) as client:
        checks = {check.name: check for check in checked(client)}
    return checks, now[0]


def test_all_checks_of_a_slow_worker_share_their_time() -> None:
    found, took = slow(1.8, FakeWorker(vectors=True))

    assert took <= CHECK_SECONDS < 5
    assert found["worker"].grade is Grade.PASS
    assert found["search"].grade is Grade.FAIL
    assert found["search"].found.startswith("no answer in time: ")
    assert "keeps the worker busy" in found["search"].advice


def test_routes_that_hang_take_no_more_than_the_time_for_all() -> None:
    hangs = frozenset(
        {"/api/chroma/status", "/api/projects", "/api/memory/save", "/api/search"}
    )

    found, took = slow(0.01, FakeWorker(), hangs=hangs)

    assert took == pytest.approx(CHECK_SECONDS)
    assert [c.grade for c in found.values() if "no answer in time" in c.found] == [
        Grade.FAIL
    ] * 3


def test_a_worker_that_never_answers_fails_after_one_request() -> None:
    found, took = slow(0.01, FakeWorker(), hangs=frozenset({"/api/health"}))

    assert grades([*found.values()]) == {"worker": "FAIL"}
    assert took == REQUEST_SECONDS


def test_a_wrong_token_fails_without_showing_it() -> None:
    right, wrong = "right-s3cret", "wrong-s3cret"
    with FakeWorker(token=right).client(token=wrong) as client:
        (check,) = checked(client)

    assert check.grade is Grade.FAIL
    assert "s3cret" not in check.line()


@pytest.mark.parametrize("version", VERSIONS[1:])
def test_a_worker_without_vectors_warns_of_keywords(version: str) -> None:
    found = examine(FakeWorker(version))

    assert found["vector search"].grade is Grade.WARN
    assert "keyword by keyword" in found["vector search"].found
    assert found["search"].grade is Grade.PASS


def test_the_oldest_worker_is_said_to_find_nothing() -> None:
    found = examine(FakeWorker("10.6.3"))

    assert "too old" in found["vector search"].found
    assert found["search"].grade is Grade.WARN


OLDER = "13.4.0"
"""A worker that does not tell its mode."""


@pytest.mark.parametrize(
    ("worker", "settings"),
    [
        (FakeWorker(mode="code"), "code"),
        (FakeWorker(mode="code"), None),
        (FakeWorker(OLDER), "code"),
    ],
)
def test_the_mode_for_programming_is_warned_of(
    tmp_path: Path, worker: FakeWorker, settings: str | None
) -> None:
    named = told(tmp_path, mode=settings) if settings else None

    check = examine(worker, named)["mode"]

    assert check.grade is Grade.WARN
    assert check.found.startswith("code")
    assert "locomo-run worker-mode" in check.advice


def test_the_workers_own_word_needs_no_settings() -> None:
    check = examine(FakeWorker(mode="conversation"), None)["mode"]

    assert (check.grade, check.found) == (Grade.PASS, "conversation")


def test_settings_that_the_worker_does_not_follow_are_warned_of(tmp_path: Path) -> None:
    check = examine(FakeWorker(mode="code"), told(tmp_path))["mode"]

    assert check.grade is Grade.WARN
    assert check.found == (
        "the worker works in code, but its settings name conversation"
    )
    assert str(tmp_path / "modes" / "conversation.json") in check.advice
    assert "locomo-run worker-mode" in check.advice


def test_settings_are_believed_where_the_worker_does_not_tell(tmp_path: Path) -> None:
    check = examine(FakeWorker(OLDER), told(tmp_path))["mode"]

    assert check.grade is Grade.PASS
    assert check.found == "conversation by its settings; the worker does not tell"


def test_a_context_without_an_answer_leaves_the_settings(tmp_path: Path) -> None:
    def broken(request: httpx.Request) -> httpx.Response | None:
        if request.url.path == "/api/context/inject":
            return httpx.Response(500, json={"error": "locked"})
        return None

    found = examine(FakeWorker(mode="code"), told(tmp_path), broken)

    assert found["mode"].grade is Grade.PASS


def test_a_mode_that_cannot_be_seen_is_not_taken_for_a_good_one() -> None:
    assert examine(FakeWorker(OLDER), None)["mode"].grade is Grade.WARN


def test_a_provider_that_fell_back_is_warned_of(tmp_path: Path) -> None:
    check = examine(FakeWorker(), told(tmp_path, provider="gemini"))["model"]

    assert check.grade is Grade.WARN
    assert "its settings name gemini" in check.found


def test_a_cooldown_fails_with_its_end(tmp_path: Path) -> None:
    armed = datetime.now(UTC).timestamp() * 1000
    (tmp_path / "quota-cooldown.json").write_text(
        json.dumps([{"armedAtMs": armed}]), encoding="utf-8"
    )

    check = examine(FakeWorker(), told(tmp_path))["quota"]

    assert check.grade is Grade.FAIL
    assert check.found.endswith("UTC")


def health(**more: object) -> Intercept:
    def answer(request: httpx.Request) -> httpx.Response | None:
        if request.url.path == "/api/health":
            return httpx.Response(200, json={"status": "ok", **more})
        return None

    return answer


def test_a_worker_that_is_starting_is_asked_to_be_tried_again() -> None:
    check = examine(FakeWorker(), intercept=health(initialized=False))["process"]

    assert check.grade is Grade.WARN
    assert check.found == "version unknown, pid unknown is still starting"


def test_missing_tools_of_the_worker_are_warned_of() -> None:
    degraded = health(dependencies={"degraded": True})

    check = examine(FakeWorker(), intercept=degraded)["model"]

    assert check.grade is Grade.WARN
    assert check.found.startswith("provider unknown, model not told; ")


def test_a_failed_last_call_of_the_model_is_warned_of() -> None:
    failing = health(
        ai={
            "provider": "claude",
            "lastInteraction": {"timestamp": 1, "success": False, "error": "no key"},
        }
    )

    check = examine(FakeWorker(), intercept=failing)["model"]

    assert check.grade is Grade.WARN
    assert check.found.endswith("its last call failed: no key")


LATER = (datetime.now(UTC) + timedelta(hours=2)).timestamp()


@pytest.mark.parametrize(
    ("limit", "grade"),
    [
        ({"status": "rejected", "resetsAt": LATER}, "FAIL"),
        ({"status": "rejected", "resetsAt": LATER * 1000}, "FAIL"),
        ({"status": "rejected"}, "FAIL"),
        ({"status": "rejected", "overageStatus": "allowed"}, None),
        ({"status": "rejected", "resetsAt": LATER - 10_000}, None),
        ({"status": "allowed_warning", "resetsAt": LATER}, "WARN"),
        ({"status": "allowed", "resetsAt": LATER}, None),
        ({"status": None, "resetsAt": "soon"}, None),
        ("rejected", None),
    ],
)
def test_a_window_of_the_provider_that_is_used_up_fails(
    limit: object, grade: str | None
) -> None:
    limited = health(ai={"provider": "claude"}, rateLimits={"five_hour": limit})

    found = grades([*examine(FakeWorker(), intercept=limited).values()])

    assert found["worker"] == "PASS"
    assert found.get("quota") == grade


def test_windows_of_a_provider_that_is_not_asked_any_more_do_not_count() -> None:
    limits = {"five_hour": {"status": "rejected"}}
    other = health(ai={"provider": "openrouter"}, rateLimits=limits)

    assert "quota" not in examine(FakeWorker(), intercept=other)


@pytest.mark.parametrize(
    ("minutes_ago", "uptime", "fails"),
    [(5, 3600, True), (5, 60, False), (40, 3600, False)],
)
def test_a_cooldown_in_the_log_fails_where_the_files_cannot_be_read(
    tmp_path: Path, minutes_ago: int, uptime: int, *, fails: bool
) -> None:
    at = datetime.now() - timedelta(minutes=minutes_ago)  # noqa: DTZ005  # as it logs
    line = f"[{at:%Y-%m-%d %H:%M:%S}.000] [WARN ] Generator paused for quota; waiting"

    def answer(request: httpx.Request) -> httpx.Response | None:
        if request.url.path == "/api/logs":
            return httpx.Response(200, json={"logs": line})
        return health(uptime=uptime)(request)

    found = examine(FakeWorker(), intercept=answer)

    assert ("quota" in found) is fails
    if fails:
        assert found["quota"].grade is Grade.FAIL
        assert found["quota"].found.endswith("UTC")
    assert "quota" not in examine(FakeWorker(), told(tmp_path), answer)


def test_somebodys_own_memory_is_warned_of() -> None:
    worker = FakeWorker()
    with worker.client() as client:
        client.save_memory("a decision", "my-shop")

    check = examine(worker)["projects"]

    assert check.grade is Grade.WARN
    assert "'my-shop'" in check.found


def test_nothing_is_written_where_that_is_not_allowed(tmp_path: Path) -> None:
    worker = FakeWorker(vectors=True)
    with worker.client() as client:
        checks = {c.name: c for c in checked(client, told(tmp_path), write=False)}

    assert checks["search"].grade is Grade.WARN
    assert "not tried" in checks["search"].found
    assert "--yes" in checks["search"].advice
    assert checks["mode"].found.startswith("conversation by its settings")
    assert {request.method for request in worker.requests} == {"GET"}


def test_projects_that_cannot_be_read_are_not_known() -> None:
    def broken(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/projects":
            return httpx.Response(500, json={"error": "locked"})
        return FakeWorker()(request)

    with Client(
        "localhost:37777", token="", transport=httpx.MockTransport(broken)
    ) as client:
        assert check_worker(client, OPTIONS, None).foreign is None


def searching(answer: Callable[[str], httpx.Response]) -> Intercept:
    def intercept(request: httpx.Request) -> httpx.Response | None:
        if request.url.path != "/api/search":
            return None
        return answer(request.url.params["project"])

    return intercept


def test_a_search_that_ignores_the_project_fails() -> None:
    row = {"id": 1, "project": "somebody-elses"}
    everywhere = searching(
        lambda project: httpx.Response(200, json={"observations": [row]})
    )

    check = examine(FakeWorker(), intercept=everywhere)["search"]

    assert check.grade is Grade.FAIL
    assert "somebody-elses" in check.found


def test_hits_in_an_empty_project_fail() -> None:
    invented = searching(
        lambda project: httpx.Response(
            200, json={"observations": [{"id": 1, "project": project}]}
        )
    )

    check = examine(FakeWorker(), intercept=invented)["search"]

    assert check.grade is Grade.FAIL
    assert "although nothing was stored" in check.found


def test_a_stored_row_that_is_not_found_yet_is_warned_of() -> None:
    found = examine(FakeWorker(vectors=True, index_lag=5))

    assert found["search"].grade is Grade.WARN


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/api/health", "worker"),
        ("/api/chroma/status", "vector search"),
        ("/api/projects", "projects"),
        ("/api/search", "search"),
    ],
)
def test_a_check_keeps_its_name_when_it_fails(path: str, name: str) -> None:
    def broken(request: httpx.Request) -> httpx.Response | None:
        if request.url.path == path:
            return httpx.Response(500, json={"error": "locked"})
        return None

    found = examine(FakeWorker(), intercept=broken)

    assert failures(found.values()) == (name,)


def test_an_error_in_one_check_leaves_the_others() -> None:
    def broken(request: httpx.Request) -> httpx.Response | None:
        if request.url.path == "/api/projects":
            return httpx.Response(500, json={"error": "locked"})
        return None

    found = examine(FakeWorker(), intercept=broken)

    assert found["projects"].grade is Grade.FAIL
    assert "locked" in found["projects"].found
    assert found["search"].grade is Grade.PASS


# the canary


@pytest.mark.parametrize("version", VERSIONS)
def test_the_canary_comes_back_as_rows(version: str) -> None:
    with FakeWorker(version).client() as client:
        check = canary(client, OPTIONS, name="ab12")

    assert check.grade is Grade.PASS
    assert check.found.startswith("1 row after ")


def test_a_second_canary_is_not_taken_for_the_first() -> None:
    worker = FakeWorker(outcomes=[Outcome.STORED, Outcome.DROPPED])
    with worker.client() as client:
        assert canary(client, OPTIONS, name="ab12").grade is Grade.PASS
        assert canary(client, OPTIONS, name="cd34").grade is Grade.FAIL


@pytest.mark.parametrize(
    ("outcome", "cause"),
    [
        (Outcome.DROPPED, "dropped"),
        (Outcome.PARKED, "parked"),
        (Outcome.COOLDOWN, "cooldown"),
        (Outcome.FAILED, "dropped"),
    ],
)
def test_a_dead_queue_behind_a_green_health_check_fails_within_its_deadline(
    outcome: Outcome, cause: str
) -> None:
    worker = FakeWorker(outcomes=[outcome])
    with worker.client() as client:
        assert client.health().status == "ok"
        check = canary(client, OPTIONS, name="ab12")

    assert check.grade is Grade.FAIL
    assert check.found.startswith(f"{cause}: no row came within ")
    assert worker.now_s < 70


def slow_canary(worker: FakeWorker, takes: dict[str, float]) -> Check:
    """Send a canary as the command does, to a worker of which some routes are slow."""

    def handle(request: httpx.Request) -> httpx.Response:
        worker.now_s += takes.get(request.url.path, 0.0)
        return worker(request)

    with Client(
        "localhost:37777",
        token="",
        transport=httpx.MockTransport(handle),
        timeout=CANARY_SECONDS,
        budget=CANARY_SECONDS,
        clock=lambda: worker.now_s,
        sleep=lambda seconds: setattr(worker, "now_s", worker.now_s + seconds),
    ) as client:
        return canary(client, OPTIONS, name="ab12")


def test_a_canary_may_wait_for_the_opening_of_its_session() -> None:
    check = slow_canary(FakeWorker(), {"/api/sessions/init": 20.0})

    assert check.grade is Grade.PASS
    assert check.found.startswith("1 row after 20.")


@pytest.mark.parametrize("outcome", [Outcome.PARKED, Outcome.STORED])
def test_a_canary_ends_with_its_deadline_whatever_is_slow(outcome: Outcome) -> None:
    worker = FakeWorker(outcomes=[outcome], looks=1000)

    check = slow_canary(worker, {"/api/sessions/init": 30.0})

    assert check.grade is Grade.FAIL
    assert worker.now_s < CANARY_SECONDS + 2


def test_a_canary_without_an_answer_is_not_told_to_start_the_worker() -> None:
    check = slow_canary(FakeWorker(), {"/api/sessions/observations": 70.0})

    assert check.found.startswith("no answer in time: ")
    assert "start the worker" not in check.advice


def test_a_worker_that_only_waits_is_not_said_to_have_failed() -> None:
    check = slow_canary(FakeWorker(OLDER, looks=1000), {})

    assert check.found.startswith("stalled: no row came within 50 s; ")
    assert "the worker's log does not say why" in check.found


@pytest.mark.parametrize("outcome", Outcome)
def test_a_canary_says_nothing_in_the_language_of_the_api(outcome: Outcome) -> None:
    if outcome is not Outcome.STORED:
        worker = FakeWorker(outcomes=[outcome])
        with worker.client() as client:
            line = canary(client, OPTIONS, name="ab12").line()

        assert "attempt" not in line
        assert "post again" not in line


def test_a_canary_that_the_worker_skips_fails_with_its_reason() -> None:
    worker = FakeWorker("13.4.0")

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/sessions/observations":
            return httpx.Response(
                200, json={"status": "skipped", "reason": "tool_excluded"}
            )
        return worker(request)

    with Client(
        "localhost:37777", token="", transport=httpx.MockTransport(handle)
    ) as client:
        check = canary(client, OPTIONS, name="ab12")

    assert check.found == "the worker skipped it: tool_excluded"


def test_a_canary_to_a_worker_that_is_gone_fails() -> None:
    worker = FakeWorker()
    worker.stop()
    with worker.client() as client:
        assert canary(client, OPTIONS, name="ab12").grade is Grade.FAIL


# everything but the worker


@pytest.mark.parametrize("source", ["no/such/file.json", "locomo10"])
def test_a_data_set_that_is_not_there_fails(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    assert check_dataset(source).grade is Grade.FAIL


def test_the_synthetic_data_set_is_warned_of() -> None:
    assert check_dataset("mini").grade is Grade.WARN


def test_another_file_than_the_published_one_is_warned_of(tmp_path: Path) -> None:
    mini = files("locomo_dataset") / "data" / "mini.json"
    path = tmp_path / "mine.json"
    path.write_bytes(mini.read_bytes())

    check = check_dataset(str(path))

    assert check.grade is Grade.WARN
    assert check.found.endswith("not the published file")


@pytest.mark.locomo
def test_the_published_data_set_passes(dataset_path: Path) -> None:
    check = check_dataset(str(dataset_path))

    assert check.grade is Grade.PASS
    assert check.found.startswith("locomo10.json, sha256 79fa87e90f04")


def test_a_folder_that_does_not_exist_yet_can_be_written_under_one_that_does(
    tmp_path: Path,
) -> None:
    assert check_folder(tmp_path / "runs" / "mine").grade is Grade.PASS
    assert [*tmp_path.iterdir()] == []


def test_a_folder_under_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("", encoding="utf-8")

    assert check_folder(tmp_path / "runs" / "mine").grade is Grade.FAIL


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"])
def test_a_key_is_seen_and_not_shown(name: str) -> None:
    check = check_key({name: "s3cret"})

    assert check.grade is Grade.PASS
    assert name in check.found
    assert "s3cret" not in repr(check)
    assert check_key({name: ""}).grade is Grade.WARN


def test_a_proxy_matters_only_on_the_way_to_another_machine() -> None:
    proxied = {"https_proxy": "http://user:s3cret@proxy"}

    assert check_proxy(REMOTE, {}).grade is Grade.PASS
    assert check_proxy(LOCAL, proxied).grade is Grade.PASS
    remote = check_proxy(REMOTE, proxied)
    assert remote.grade is Grade.WARN
    assert "s3cret" not in repr(remote)


def test_the_surroundings_are_four_checks(tmp_path: Path) -> None:
    checks = [*check_surroundings("mini", tmp_path, LOCAL, {})]

    assert [check.name for check in checks] == [
        "data set",
        "run directory",
        "model key",
        "proxy",
    ]
    assert failures(checks) == ()


def test_a_line_carries_its_advice_below_it() -> None:
    check = Check(name="a", grade=Grade.FAIL, found="b", advice="c")

    assert check.line() == "FAIL  a: b\n      c"
    assert check.spec() == {"name": "a", "grade": "FAIL", "found": "b", "advice": "c"}
    assert failures([check]) == ("a",)
