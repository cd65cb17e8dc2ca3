import asyncio
import importlib.util
import json
import logging
import subprocess
import sys
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from llm_judge import Completion, JudgeSettings, Prompt, Usage, judge_answer
from llm_judge._fake_http import HttpReply
from llm_judge.anthropic import AnthropicModel, ErrorKind, ModelError, ModelInfo
from llm_judge.testing import (
    FakeMessagesAPI,
    FakeModel,
    FakeReply,
    Fault,
    FaultPlan,
)

PROMPT, SETTINGS = Prompt("system", "user"), JudgeSettings()
SCHEMA = Prompt("system", "user", {"type": "object", "additionalProperties": False})
SECRET = "sk-ant-test-0123456789"  # noqa: S105 - opens nothing

Ask = Callable[..., Completion]
Use = Callable[..., Any]
Serve = Callable[..., Any]


def message(**changes: object) -> HttpReply:
    body = {
        "type": "message",
        "model": "m",
        "content": [{"type": "text", "text": "hello"}],
        "stop_reason": "end_turn",
        **changes,
    }
    kept = {name: value for name, value in body.items() if value is not ...}
    return HttpReply(status=200, body=json.dumps(kept).encode())


def failure(call: Callable[[], object]) -> ModelError:
    with pytest.raises(ModelError) as caught:
        call()
    return caught.value


def test_a_call_sends_what_was_asked_and_returns_what_came(ask: Ask) -> None:
    with FakeMessagesAPI(lambda _: FakeReply(text="90", input_tokens=7)) as api:
        completion = ask(api.base_url)

    assert completion.latency_ms is not None
    assert completion == Completion(
        text="90",
        stop_reason="end_turn",
        model="claude-sonnet-4-6",
        usage=Usage(
            input_tokens=7,
            output_tokens=1,
            cache_creation_input_tokens=0,
            cache_read_input_tokens=0,
        ),
        latency_ms=completion.latency_ms,
    )
    assert api.bodies == (
        {
            "model": "claude-sonnet-4-6",
            "max_tokens": 256,
            "temperature": 0.5,
            "system": "system",
            "messages": [{"role": "user", "content": "user"}],
        },
    )


def test_what_is_not_asked_for_is_not_sent(ask: Ask) -> None:
    with FakeMessagesAPI() as api:
        completion = ask(
            api.base_url, Prompt("", "user", {}), JudgeSettings(temperature=None)
        )

    assert api.bodies[0].keys() == {"model", "max_tokens", "messages"}
    assert completion.withheld == ()


def test_a_judge_runs_on_it(use: Use) -> None:
    with FakeMessagesAPI() as api:
        judged = use(
            api.base_url, lambda model: judge_answer(model, "Which?", "a cat", "a cat")
        )

    assert judged.score == 100


@pytest.mark.parametrize(
    ("options", "header", "value", "other"),
    [
        ({"api_key": SECRET}, "x-api-key", SECRET, "authorization"),
        ({"auth_token": "tok"}, "authorization", "Bearer tok", "x-api-key"),
    ],
)
def test_the_version_and_one_credential_are_sent(
    ask: Ask,
    endpoint: Serve,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, str],
    header: str,
    value: str,
    other: str,
) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "anthropic-version: 2026-10-21")
    server = endpoint(message())
    ask(server.base_url, **options)

    (request,) = server.requests
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert request.headers[header] == value
    assert other not in request.headers


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/"])
def test_the_environment_says_where_to_and_as_whom(
    sdk: object, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    async def main() -> Completion:
        async with AnthropicModel() as model:
            return await model(PROMPT, SETTINGS)

    with FakeMessagesAPI(api_key="from-the-environment") as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.base_url + suffix)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "from-the-environment\n")
        monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "the key goes first")
        asyncio.run(main())

    assert list(api.counts.by_path) == ["POST /v1/messages"]


def test_the_default_address_is_that_of_anthropic(sdk: object) -> None:
    model = AnthropicModel(auth_token=SECRET)

    assert model.base_url == "https://api.anthropic.com"
    assert repr(model) == "AnthropicModel(base_url='https://api.anthropic.com')"


def test_an_empty_key_is_no_key_and_the_token_is_used(
    sdk: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token")

    async def main() -> None:
        async with AnthropicModel(base_url=api.base_url) as model:
            await model(PROMPT, SETTINGS)

    with FakeMessagesAPI(api_key="token") as api:
        asyncio.run(main())

    assert api.counts.bought == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "set ANTHROPIC_API_KEY"),
        ({"api_key": " "}, "set ANTHROPIC_API_KEY"),
        ({"api_key": "sk-ant-“quoted”"}, "holds characters that no key has"),
        ({"api_key": "two words"}, "holds characters that no key has"),
    ],
)
def test_a_key_that_cannot_be_is_found_before_any_request(
    sdk: object, options: dict[str, str], message: str
) -> None:
    error = failure(lambda: AnthropicModel(**options))  # type: ignore[arg-type]  # a table

    assert message in str(error)
    assert error.kind is ErrorKind.AUTHENTICATION
    assert error.fatal
    assert "quoted" not in str(error)


def test_two_credentials_are_a_mistake(sdk: object) -> None:
    with pytest.raises(ValueError, match="not both"):
        AnthropicModel(api_key=SECRET, auth_token=SECRET)


@pytest.mark.parametrize(
    "address",
    [
        "localhost:8080",
        "ftp://host",
        "http://",
        "http://[half",
        "http://host:99999",
        "https://user:secret@host",
        "https://host?key=secret",
    ],
)
def test_an_address_that_is_none_is_refused_and_not_repeated(
    sdk: object, address: str
) -> None:
    with pytest.raises(ValueError, match="must look like https://host") as caught:
        AnthropicModel(api_key=SECRET, base_url=address)

    assert "secret" not in str(caught.value)


def test_without_the_sdk_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)

    with pytest.raises(ImportError, match=r"pip install 'llm-judge\[anthropic\]'"):
        AnthropicModel(api_key=SECRET)


def test_a_model_is_made_without_importing_the_sdk(sdk: object) -> None:
    program = (
        "import sys; from llm_judge.anthropic import AnthropicModel;"
        "AnthropicModel(api_key='k'); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        encoding="utf-8",
    )

    assert not {"anthropic", "httpx2"} & set(done.stdout.split())


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_proxy_is_not_asked_for_an_address_of_this_machine(
    ask: Ask, endpoint: Serve, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    proxy = endpoint(message())
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy.base_url)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with FakeMessagesAPI() as api:
        ask(api.base_url.replace("127.0.0.1", host))
        # nobody listens there, which only shows if no proxy is asked
        error = failure(lambda: ask(api.base_url.replace("127.0.0.1", "[::1]")))

    assert error.kind is ErrorKind.CONNECTION
    assert api.counts.bought == 1
    assert not proxy.requests


def test_a_proxy_is_asked_for_other_addresses(
    ask: Ask, endpoint: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = endpoint(message())
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, proxy.base_url)
    for name in ("NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    ask("http://model.invalid")

    assert [request.path for request in proxy.requests] == ["/v1/messages"]


def test_a_proxy_that_cannot_be_used_is_an_error_without_its_password(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "odd://user:hidden@host")
    error = failure(lambda: ask("http://model.invalid"))

    assert error.kind is ErrorKind.CONNECTION
    assert not error.retryable
    assert "check HTTP_PROXY" in str(error)
    assert "hidden" not in "".join(traceback.format_exception(error))


def test_a_refused_temperature_is_left_out_remembered_and_recorded(use: Use) -> None:
    async def twice(model: AnthropicModel) -> list[Completion]:
        return [await model(PROMPT, settings) for _ in range(2)]

    settings = JudgeSettings(model="new")
    with FakeMessagesAPI(models=[FakeModel(id="new", takes_temperature=False)]) as api:
        completions = use(api.base_url, twice)

    assert [completion.withheld for completion in completions] == [("temperature",)] * 2
    assert ["temperature" in body for body in api.bodies] == [True, False, False]
    assert api.counts.bought == 2


def test_calls_at_once_all_survive_a_refused_temperature(use: Use) -> None:
    async def many(model: AnthropicModel) -> list[Completion]:
        settings = JudgeSettings(model="new")
        return await asyncio.gather(*(model(PROMPT, settings) for _ in range(8)))

    with FakeMessagesAPI(models=[FakeModel(id="new", takes_temperature=False)]) as api:
        completions = use(api.base_url, many)

    assert {completion.withheld for completion in completions} == {("temperature",)}
    assert api.counts.bought == 8


def test_a_temperature_that_no_model_takes_is_an_error(ask: Ask) -> None:
    with FakeMessagesAPI() as api:
        error = failure(
            lambda: ask(api.base_url, settings=JudgeSettings(temperature=1.5))
        )

    assert error.kind is ErrorKind.INVALID_REQUEST
    assert "between 0 and 1" in str(error)
    assert api.counts.received == 1


def test_the_reply_schema_is_sent_on_demand(ask: Ask) -> None:
    with FakeMessagesAPI() as api:
        ask(api.base_url, SCHEMA)
        ask(api.base_url, SCHEMA, schema_output=True)
        ask(api.base_url, PROMPT, schema_output=True)

    sent = {"format": {"type": "json_schema", "schema": SCHEMA.reply_schema}}
    assert [body.get("output_config") for body in api.bodies] == [None, sent, None]


def test_a_refused_schema_and_temperature_are_both_left_out(ask: Ask) -> None:
    old = FakeModel(id="old", takes_temperature=False, takes_schema=False)
    with FakeMessagesAPI(models=[old]) as api:
        completion = ask(
            api.base_url, SCHEMA, JudgeSettings(model="old"), schema_output=True
        )

    assert completion.withheld == ("temperature", "reply_schema")
    assert api.counts.by_status == {400: 2, 200: 1}


@pytest.mark.parametrize(
    ("fault", "kind", "retryable", "fatal"),
    [
        (Fault.RATE_LIMITED, ErrorKind.RATE_LIMITED, True, False),
        (Fault.RATE_LIMITED_BARE, ErrorKind.RATE_LIMITED, True, False),
        (Fault.OVERLOADED, ErrorKind.OVERLOADED, True, False),
        (Fault.SERVER_ERROR, ErrorKind.SERVER, True, False),
        (Fault.DROPPED, ErrorKind.CONNECTION, True, False),
        (Fault.CUT_SHORT, ErrorKind.CONNECTION, True, False),
        (Fault.HTML, ErrorKind.BAD_REPLY, True, False),
        (Fault.WRONG_JSON, ErrorKind.BAD_REPLY, True, False),
        (Fault.UNAUTHORIZED, ErrorKind.AUTHENTICATION, False, True),
        (Fault.NO_CREDIT, ErrorKind.CREDIT, False, True),
        (Fault.FORBIDDEN, ErrorKind.PERMISSION, False, True),
        (Fault.UNKNOWN_MODEL, ErrorKind.NOT_FOUND, False, True),
        (Fault.INVALID, ErrorKind.INVALID_REQUEST, False, False),
        (Fault.TOO_LARGE, ErrorKind.TOO_LARGE, False, False),
    ],
)
def test_a_fault_is_an_error_of_its_kind_after_one_attempt(
    ask: Ask, fault: Fault, kind: ErrorKind, retryable: bool, fatal: bool
) -> None:
    with FakeMessagesAPI(faults=FaultPlan(script=[fault])) as api:
        error = failure(lambda: ask(api.base_url))

    assert (error.kind, error.retryable, error.fatal) == (kind, retryable, fatal)
    assert api.counts.received == 1
    if fault is Fault.RATE_LIMITED:
        assert (error.status, error.retry_after) == (429, 0.01)
        assert error.request_id == "req_fake"


def test_a_hang_ends_at_the_time_limit(ask: Ask) -> None:
    with FakeMessagesAPI(faults=FaultPlan(script=[Fault.HANG])) as api:
        error = failure(lambda: ask(api.base_url, timeout=0.05))

    assert error.kind is ErrorKind.TIMEOUT
    assert error.retryable


def test_no_server_is_a_connection_error(ask: Ask) -> None:
    with FakeMessagesAPI() as api:
        pass
    error = failure(lambda: ask(api.base_url))

    assert error.kind is ErrorKind.CONNECTION
    assert str(error).startswith(f"no connection: {api.base_url}: ")


@pytest.mark.parametrize(
    "stop_reason",
    [
        "max_tokens",
        "stop_sequence",
        "tool_use",
        "pause_turn",
        "refusal",
        "model_context_window_exceeded",
        "a_new_one",
    ],
)
def test_a_stop_reason_is_passed_on(ask: Ask, stop_reason: str) -> None:
    reply = FakeReply(text="half", stop_reason=stop_reason)
    with FakeMessagesAPI(lambda _: reply) as api:
        assert ask(api.base_url).stop_reason == stop_reason


def test_only_text_blocks_are_the_text(ask: Ask, endpoint: Serve) -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm", "text": "not this"},
        {"type": "text", "text": "one "},
        {"type": "text", "text": "two"},
    ]
    assert ask(endpoint(message(content=blocks)).base_url).text == "one two"


def test_tokens_that_the_endpoint_does_not_report_are_missing(
    ask: Ask, endpoint: Serve
) -> None:
    completion = ask(endpoint(message(model=..., usage={"input_tokens": 3})).base_url)

    assert completion.usage == Usage(input_tokens=3)
    assert completion.model is None
    assert ask(endpoint(message()).base_url).usage is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"type": "completion"}, "type: "),
        ({"content": None}, "content: "),
        ({"content": "text"}, "content: "),
        ({"content": ["text"]}, "content.0.other: "),
        ({"content": [{"type": "text", "text": 5}]}, "content.0.text.text: "),
        ({"content": [{"type": "text"}]}, "content.0.text.text: "),
        ({"stop_reason": None}, "stop_reason: "),
        ({"stop_reason": ...}, "stop_reason: Field required"),
        ({"stop_reason": ""}, "stop_reason: "),
        ({"usage": {"input_tokens": "many"}}, "usage.input_tokens: "),
    ],
)
def test_a_message_of_another_shape_is_an_error(
    ask: Ask, endpoint: Serve, changes: dict[str, object], said: str
) -> None:
    error = failure(lambda: ask(endpoint(message(**changes)).base_url))

    assert error.kind is ErrorKind.BAD_REPLY
    assert said in str(error)


def test_a_list_under_success_is_an_error(ask: Ask, endpoint: Serve) -> None:
    error = failure(lambda: ask(endpoint(HttpReply(status=200, body=b"[]")).base_url))

    assert error.kind is ErrorKind.BAD_REPLY
    assert "expected a JSON object, got '[]'" in str(error)


def test_an_error_under_success_is_that_error(ask: Ask, endpoint: Serve) -> None:
    body = b'{"type": "error", "error": {"type": "overloaded_error", "message": "x"}}'
    error = failure(lambda: ask(endpoint(HttpReply(status=200, body=body)).base_url))

    assert error.kind is ErrorKind.OVERLOADED


def test_a_redirect_is_not_followed_with_the_key(ask: Ask, endpoint: Serve) -> None:
    elsewhere = endpoint(message())
    moved = HttpReply(status=307, body=b"", headers={"location": elsewhere.base_url})
    error = failure(lambda: ask(endpoint(moved).base_url))

    assert (error.kind, error.status) == (ErrorKind.BAD_REPLY, 307)
    assert not elsewhere.requests


def test_a_key_in_a_reply_is_in_no_message_trace_or_log(
    ask: Ask, endpoint: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said = {"error": {"type": "authentication_error", "message": f"bad {SECRET}"}}
    reply = HttpReply(status=401, body=json.dumps(said).encode())
    error = failure(lambda: ask(endpoint(reply).base_url, api_key=SECRET))

    shown = "".join(traceback.format_exception(error)) + repr(error) + caplog.text
    assert "bad [secret]" in shown
    assert SECRET not in shown


def test_a_key_in_a_web_page_is_not_half_shown(ask: Ask, endpoint: Serve) -> None:
    page = ("x" * 195 + SECRET).encode()
    error = failure(lambda: ask(endpoint(HttpReply(status=200, body=page)).base_url))

    assert "x[secret]" in str(error)
    assert "sk-" not in str(error)


def test_a_lone_surrogate_is_an_error_of_the_request(ask: Ask) -> None:
    with FakeMessagesAPI() as api:
        error = failure(lambda: ask(api.base_url, Prompt("", "\ud800")))

    assert error.kind is ErrorKind.INVALID_REQUEST
    assert "lone surrogate" in str(error)


def test_what_is_no_failure_of_the_call_is_passed_through(
    use: Use, monkeypatch: pytest.MonkeyPatch, sdk: Any
) -> None:
    async def broken(*_: object, **__: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(sdk.AsyncAnthropic, "post", broken)
    with FakeMessagesAPI() as api, pytest.raises(ZeroDivisionError):
        use(api.base_url, lambda model: model(PROMPT, SETTINGS))


def test_tokens_are_counted_without_a_call(use: Use) -> None:
    with FakeMessagesAPI() as api:
        tokens = use(
            api.base_url, lambda m: m.count_tokens(Prompt("", "x" * 40), SETTINGS)
        )

    assert tokens == 11
    assert api.counts.bought == 0


def test_a_model_is_looked_up(use: Use) -> None:
    model = FakeModel(
        id="a/b", lifecycle="deprecated", retires_at="2027-01-22T00:00:00Z"
    )
    with FakeMessagesAPI(models=[model]) as api:
        info = use(api.base_url, lambda m: m.model_info("a/b"))

    assert info == ModelInfo(
        id="a/b",
        display_name="a/b",
        lifecycle="deprecated",
        retires_at=datetime(2027, 1, 22, tzinfo=UTC),
        max_input_tokens=1_000_000,
        max_tokens=128_000,
        schema_output=True,
    )


def test_a_sparse_description_leaves_the_rest_unknown(
    use: Use, endpoint: Serve
) -> None:
    server = endpoint(HttpReply(status=200, body=b'{"id": "m", "object": "model"}'))

    assert use(server.base_url, lambda m: m.model_info("m")) == ModelInfo(id="m")


def test_an_unknown_model_and_an_absent_look_up_differ(
    use: Use, endpoint: Serve
) -> None:
    def look_up(base_url: str) -> object:
        return use(base_url, lambda model: model.model_info("no-such"))

    with FakeMessagesAPI() as api:
        assert failure(lambda: look_up(api.base_url)).kind is ErrorKind.NOT_FOUND
    with FakeMessagesAPI(only_messages=True) as api:
        assert look_up(api.base_url) is None
    page = HttpReply(
        status=405, body=b"no /v1/models/no-such", content_type="text/html"
    )
    assert look_up(endpoint(page).base_url) is None
    broken = HttpReply(status=500, body=b"")
    assert failure(lambda: look_up(endpoint(broken).base_url)).retryable


def test_one_model_serves_one_event_loop_after_another(sdk: object) -> None:
    with FakeMessagesAPI() as api:
        pass  # nobody listens there any more, so no connection stays open
    model = AnthropicModel(api_key=SECRET, base_url=api.base_url)

    errors = [
        failure(lambda: asyncio.run(_fail(model))),
        failure(lambda: asyncio.run(_fail(model))),
    ]
    asyncio.run(model.aclose())
    asyncio.run(model.aclose())

    assert {error.kind for error in errors} == {ErrorKind.CONNECTION}


async def _fail(model: AnthropicModel) -> Completion:
    return await model(PROMPT, SETTINGS)
