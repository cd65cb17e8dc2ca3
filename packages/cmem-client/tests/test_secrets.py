"""The token reaches the worker and nothing else; the proxy gets nothing of loopback."""

import copy
import logging
import pickle
import socket
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import respx
from cmem_client import CmemError, SettingsError, Source, Unauthorized, resolve
from cmem_client.testing import FakeWorker

TOKEN = "planted-Token+7/x~=="  # noqa: S105 - planted, to be looked for
Connect = Callable[..., Any]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".claude-mem").mkdir()
    (tmp_path / ".claude-mem" / ".env").write_text(
        f"ANTHROPIC_API_KEY=sk-ant-other\nAUTH_TOKEN={TOKEN}\n", encoding="utf-8"
    )
    return tmp_path


@pytest.mark.parametrize(
    ("argument", "environ", "secret", "source"),
    [
        ("mine", {"CLAUDE_MEM_AUTH_TOKEN": "env"}, "mine", Source.ARGUMENT),
        (None, {"CLAUDE_MEM_AUTH_TOKEN": "env"}, "env", Source.ENVIRONMENT),
        (None, {"AUTH_TOKEN": "of another program"}, TOKEN, Source.ENV_FILE),
        (None, {}, TOKEN, Source.ENV_FILE),
    ],
)
def test_a_token_comes_from_argument_environment_or_file_in_this_order(
    home: Path,
    argument: str | None,
    environ: dict[str, str],
    secret: str,
    source: Source,
) -> None:
    found = resolve("localhost:1", token=argument, environ=environ, home=home)

    assert found.token is not None
    assert found.token.get_secret_value() == secret
    assert found.token_source is source


def test_an_empty_argument_means_no_token(home: Path) -> None:
    found = resolve("localhost:1", token="", environ={}, home=home)

    assert (found.token, found.token_source) == (None, None)


def test_without_any_token_none_is_sent(tmp_path: Path) -> None:
    assert resolve("localhost:1", environ={}, home=tmp_path).token is None


@pytest.mark.parametrize("address", ["http://10.0.0.1:1", None])
def test_the_token_of_the_file_is_not_sent_to_a_remote_address_named_elsewhere(
    home: Path, address: str | None
) -> None:
    environ = {"CLAUDE_MEM_WORKER_HOST": "10.0.0.1", "CLAUDE_MEM_WORKER_PORT": "1"}

    assert resolve(address, environ=environ, home=home).token is None


def test_the_token_of_the_file_goes_to_the_remote_worker_of_the_settings(
    home: Path,
) -> None:
    (home / ".claude-mem" / "settings.json").write_text(
        '{"CLAUDE_MEM_WORKER_HOST": "10.0.0.1", "CLAUDE_MEM_WORKER_PORT": "1"}',
        encoding="utf-8",
    )

    found = resolve(environ={}, home=home)

    assert (found.url, found.token_source) == ("http://10.0.0.1:1", Source.ENV_FILE)


def test_the_token_is_sent_as_a_bearer_token(connect: Connect) -> None:
    worker = FakeWorker(token=TOKEN)

    assert connect(worker, token=TOKEN).health().status == "ok"

    (request,) = worker.requests
    assert request.headers["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize("given", ["", "wrong"])
def test_a_missing_or_wrong_token_is_unauthorized(connect: Connect, given: str) -> None:
    with pytest.raises(Unauthorized, match=r"^Invalid auth token"):
        connect(FakeWorker(token=TOKEN), token=given).health()


@pytest.mark.parametrize("character", ["\n", " ", "é", "\x00"])
def test_a_token_that_no_header_can_carry_is_refused_without_being_shown(
    character: str,
) -> None:
    with pytest.raises(SettingsError, match="from argument") as caught:
        resolve("localhost:1", token=TOKEN + character, environ={})

    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        f"http://user:{TOKEN}@localhost:1",
        f"{TOKEN}@localhost:1",
        f"http://localhost:1/?token={TOKEN}",
        f"http://localhost:port/?token={TOKEN}",
    ],
)
def test_credentials_in_an_address_are_refused_without_being_shown(
    address: str,
) -> None:
    with pytest.raises(SettingsError) as caught:
        resolve(address, environ={})

    assert TOKEN not in "".join(traceback.format_exception(caught.value))


def test_no_representation_shows_the_token(connect: Connect) -> None:
    caller = connect(token=TOKEN)
    connection = caller.client.connection

    for shown in (caller.client, connection, connection.token, vars(caller.client)):
        assert TOKEN not in f"{shown!r} {shown}"
    assert "token from argument" in str(connection)
    assert copy.deepcopy(connection) == pickle.loads(pickle.dumps(connection))  # noqa: S301 - its own bytes


@pytest.mark.parametrize("status", [200, 302, 400, 401, 404, 500])
@pytest.mark.parametrize("kind", ["text", "html", "late", "json", "list", "wrong type"])
def test_a_worker_that_echoes_the_token_does_not_get_it_into_a_message(
    connect: Connect, status: int, kind: str
) -> None:
    echo: dict[str, Any] = {
        "text": {"text": f"you sent {TOKEN}"},
        "html": {"html": f"<pre>you sent {TOKEN.replace('+', '&#43;')}</pre>"},
        "late": {"html": "<b>" * 500 + "you sent " + TOKEN * 300},
        "json": {"json": {"error": "no", "message": f"you sent {TOKEN}"}},
        "list": {"json": [f"you sent {TOKEN}"]},
        "wrong type": {"json": {"projects": f"you sent {TOKEN}"}},
    }
    with respx.mock(base_url="http://localhost:37777") as router:
        router.route().respond(status, **echo[kind])

        with pytest.raises(CmemError) as caught:
            connect(token=TOKEN).projects()

    shown = "".join(traceback.format_exception(caught.value)) + repr(vars(caught.value))
    assert TOKEN[:9] not in shown
    assert ("[token]" in shown) is ("you sent" in shown)


def test_no_log_shows_the_token(
    connect: Connect,
    listen: Callable[..., str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    received = []

    def handle(client: socket.socket) -> None:
        received.append(client)
        client.sendall(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
            b'content-length: 15\r\nconnection: close\r\n\r\n{"status":"ok"}'
        )

    caplog.set_level(logging.DEBUG)

    connect(listen(handle), token=TOKEN).health()

    assert received
    assert "api/health" in caplog.text
    assert TOKEN not in caplog.text


# -- proxies ---------------------------------------------------------------------------


def mounts(caller: Any) -> list[httpx.BaseTransport]:
    found = caller.client._http._mounts.values()
    return [transport for transport in found if transport]


def test_loopback_ignores_the_proxy_of_the_environment(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("ALL_PROXY", "http://proxy.example:3128")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)

    assert mounts(connect("127.0.0.1:1", transport=None)) == []
    assert mounts(connect("http://10.0.0.1:1", transport=None)) != []
