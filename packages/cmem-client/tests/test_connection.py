import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import respx
from cmem_client import Connection, SettingsError, Source, resolve
from cmem_client._connection import answers, normalised

Files = Callable[..., Path]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".claude-mem").mkdir()
    return tmp_path


def settings(home: Path, **values: str) -> None:
    text = json.dumps({f"CLAUDE_MEM_{key}": value for key, value in values.items()})
    (home / ".claude-mem" / "settings.json").write_text(text, encoding="utf-8-sig")


def pid_file(home: Path, port: int) -> None:
    text = json.dumps({"pid": 9, "port": port, "startedAt": "x"})
    (home / ".claude-mem" / "worker.pid").write_text(text, encoding="utf-8")


def never(url: str) -> bool:
    raise AssertionError(f"{url} must not be probed")


def nobody(url: str) -> bool:
    return False


# -- the address, in the order of who names it -----------------------------------------


def test_the_argument_wins_over_everything(home: Path) -> None:
    settings(home, WORKER_PORT="1111")

    found = resolve(
        "localhost:2222",
        environ={"CLAUDE_MEM_WORKER_PORT": "3333"},
        home=home,
        probe=never,
    )

    assert (found.url, found.source) == ("http://localhost:2222", Source.ARGUMENT)


def test_the_environment_wins_over_the_files(home: Path) -> None:
    settings(home, WORKER_PORT="1111", WORKER_HOST="10.0.0.1")
    environ = {"CLAUDE_MEM_WORKER_PORT": "3333", "CLAUDE_MEM_WORKER_HOST": "10.0.0.2"}

    found = resolve(environ=environ, home=home, probe=never)

    assert (found.url, found.source) == ("http://10.0.0.2:3333", Source.ENVIRONMENT)


def test_a_port_in_the_environment_goes_with_the_host_of_the_settings(
    home: Path,
) -> None:
    settings(home, WORKER_HOST="10.0.0.1")

    found = resolve(environ={"CLAUDE_MEM_WORKER_PORT": "3333"}, home=home, probe=never)

    assert found.url == "http://10.0.0.1:3333"


def test_a_host_in_the_environment_goes_with_the_port_of_the_files(home: Path) -> None:
    settings(home, WORKER_PORT="1111")

    found = resolve(
        environ={"CLAUDE_MEM_WORKER_HOST": "10.0.0.2"}, home=home, probe=never
    )

    assert (found.url, found.source) == ("http://10.0.0.2:1111", Source.SETTINGS)


def test_settings_with_a_byte_order_mark_are_read(home: Path) -> None:
    settings(home, WORKER_PORT="1111")
    path = home / ".claude-mem" / "settings.json"
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")

    found = resolve(environ={}, home=home, probe=never)

    assert (found.url, found.source) == ("http://localhost:1111", Source.SETTINGS)


def test_the_pid_file_names_the_port_alone(home: Path) -> None:
    pid_file(home, 4444)

    found = resolve(environ={}, home=home, probe=never)

    assert (found.url, found.source) == ("http://localhost:4444", Source.PID_FILE)


def test_files_that_agree_are_not_probed(home: Path) -> None:
    settings(home, WORKER_PORT="4444")
    pid_file(home, 4444)

    assert resolve(environ={}, home=home, probe=never).source is Source.SETTINGS


@pytest.mark.parametrize(
    ("alive", "source"),
    [
        ({4444, 1111}, Source.PID_FILE),
        ({4444}, Source.PID_FILE),
        ({1111}, Source.SETTINGS),
        (set(), Source.SETTINGS),
    ],
)
def test_where_the_files_differ_the_port_that_answers_wins(
    home: Path, alive: set[int], source: Source
) -> None:
    settings(home, WORKER_PORT="1111")
    pid_file(home, 4444)

    found = resolve(environ={}, home=home, probe=lambda url: int(url[-4:]) in alive)

    assert found.source is source


def test_without_any_word_the_port_that_answers_wins(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getuid", lambda: 1042, raising=False)

    found = resolve(environ={}, home=home, probe=lambda url: url.endswith(":37742"))

    assert (found.url, found.source) == ("http://localhost:37742", Source.PROBE)


def test_the_old_port_is_asked_first(home: Path) -> None:
    found = resolve(environ={}, home=home, probe=lambda _: True)

    assert (found.url, found.source) == ("http://localhost:37777", Source.PROBE)


def test_without_any_answer_the_default_says_what_was_tried(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getuid", lambda: 1042, raising=False)

    found = resolve(environ={}, home=home, probe=nobody)

    assert (found.url, found.source) == ("http://localhost:37777", Source.DEFAULT)
    assert found.notes == ("no worker answers at localhost:37777 or localhost:37742",)


def test_a_system_without_user_ids_has_one_default_port(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("os.getuid", raising=False)

    found = resolve(environ={}, home=home, probe=nobody)

    assert found.notes == ("no worker answers at localhost:37777",)


def test_a_broken_settings_file_is_ignored_and_said_so(home: Path) -> None:
    (home / ".claude-mem" / "settings.json").write_text("{", encoding="utf-8")
    pid_file(home, 4444)

    found = resolve(environ={}, home=home, probe=never)

    assert found.url == "http://localhost:4444"
    assert found.notes == ("settings.json ignored: no valid JSON",)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:1111"),  # noqa: S104 - what a worker may be told
        ("::", "http://[::1]:1111"),
        ("::1", "http://[::1]:1111"),
        ("", "http://localhost:1111"),
    ],
)
def test_an_address_to_listen_at_becomes_one_to_call(
    home: Path, host: str, url: str
) -> None:
    settings(home, WORKER_PORT="1111", WORKER_HOST=host)

    assert resolve(environ={}, home=home, probe=never).url == url


def test_the_environment_and_home_of_the_process_are_the_default(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.delenv("CLAUDE_MEM_AUTH_TOKEN", raising=False)
    monkeypatch.setenv("CLAUDE_MEM_WORKER_PORT", "3333")
    monkeypatch.setenv("CLAUDE_MEM_WORKER_HOST", "127.0.0.1")

    assert str(resolve()) == "http://127.0.0.1:3333 (from environment)"


@pytest.mark.parametrize("port", ["abc", "0", "65536", "-1", "1.5", "٣٣"])
def test_a_port_that_is_none_is_named(home: Path, port: str) -> None:
    with pytest.raises(SettingsError, match=r"CLAUDE_MEM_WORKER_PORT is .*65535"):
        resolve(environ={"CLAUDE_MEM_WORKER_PORT": port}, home=home, probe=never)


# -- spelling --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("localhost:37777", "http://localhost:37777"),
        ("http://localhost:37777/", "http://localhost:37777"),
        ("https://memory.example", "https://memory.example"),
        ("https://memory.example/worker/", "https://memory.example/worker"),
        ("[::1]:37777", "http://[::1]:37777"),
    ],
)
def test_an_address_is_spelt_as_a_base_url(address: str, url: str) -> None:
    assert normalised(address) == url


@pytest.mark.parametrize(
    "address",
    [
        "",
        "localhost",
        "localhost:",
        "localhost:port",
        "localhost:0",
        "localhost:99999",
        "ftp://localhost:21",
        "http://",
        "http://localhost:1/?a=b",
        "http://localhost:1/#a",
        "local host:1",
        "local\nhost:1",
        "http://[::1",
    ],
)
def test_an_unusable_address_is_refused_with_what_was_expected(address: str) -> None:
    with pytest.raises(SettingsError, match="Unusable worker address"):
        resolve(address, environ={})


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://localhost:1", True),
        ("http://worker.localhost:1", True),
        ("http://127.0.0.1:1", True),
        ("http://127.8.8.8:1", True),
        ("http://[::1]:1", True),
        ("http://10.0.0.1:1", False),
        ("http://memory.example", False),
        ("http://127.0.0.1.example:1", False),
    ],
)
def test_loopback_is_this_machine_only(url: str, loopback: bool) -> None:
    assert Connection(url=url, source=Source.ARGUMENT).is_loopback is loopback


# -- the probe -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"json": {"status": "ok", "version": "1"}}, True),
        ({"json": {"status": "initializing"}, "status_code": 503}, True),
        ({"json": {"message": "another service"}}, False),
        ({"json": ["status"]}, False),
        ({"html": "<h1>status</h1>"}, False),
    ],
)
def test_only_a_health_check_is_taken_for_a_worker(
    answer: dict[str, Any], expected: bool
) -> None:
    with respx.mock(base_url="http://localhost:37777") as router:
        router.get("/api/health").respond(**answer)

        assert answers("http://localhost:37777") is expected


def test_a_port_without_a_listener_is_no_worker(
    listen: Callable[..., str],
) -> None:
    address = listen(lambda _: None)

    assert answers(f"http://{address}") is False
