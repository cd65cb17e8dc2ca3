import asyncio
import socket
import sys

import pytest
from llm_judge import Completion, JudgeSettings, Prompt
from llm_judge.anthropic import AnthropicModel, ErrorKind, ModelError
from locomo_run.calls.models import ask, cost_at_most, fault_of, open_model, usage_of
from locomo_run.calls.tries import CallFault
from locomo_run.errors import RunError, UsageError
from locomo_run.ledger.entry import Usage
from locomo_run.money.prices import load_prices

SETTINGS = JudgeSettings(model="claude-opus-4-6", temperature=0.0, max_tokens=100)
PROMPT = Prompt("Be brief.", "Why?")


@pytest.fixture
def plugged(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Install a distribution that brings the endpoint `echo`."""
    site = tmp_path_factory.mktemp("models")
    (site / "echoing.py").write_text(
        "def factory(name):\n"
        "    async def complete(prompt, settings):\n"
        "        raise ValueError(name)\n"
        "    return complete\n",
        encoding="utf-8",
    )
    about = site / "echoing-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: echoing\nVersion: 1\n"
    )
    (about / "entry_points.txt").write_text(
        "[locomo_run.models]\necho = echoing:factory\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(site)


@pytest.mark.usefixtures("plugged")
def test_a_prefix_opens_the_endpoint_that_is_registered_under_it() -> None:
    complete = open_model("echo:some:model", timeout=1)

    with pytest.raises(ValueError, match="some:model"):
        asyncio.run(_first(complete))


async def _first(complete: object) -> None:
    await complete(PROMPT, SETTINGS)  # type: ignore[operator]  # from the entry point


@pytest.mark.usefixtures("plugged")
def test_a_prefix_that_nobody_registers_is_named_with_those_that_are_there() -> None:
    with pytest.raises(UsageError, match=r"no model endpoint 'gateway'.*there is echo"):
        open_model("gateway:gpt-4o-mini", timeout=1)


def test_other_names_are_models_of_the_messages_api(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/v1")

    model = open_model("claude-opus-4-6", timeout=7)

    assert isinstance(model, AnthropicModel)
    assert model.base_url == "http://127.0.0.1:9"


def test_without_a_key_the_message_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)

    with pytest.raises(RunError, match="ANTHROPIC_API_KEY"):
        open_model("claude-opus-4-6", timeout=1)


def test_without_the_package_anthropic_the_message_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setitem(sys.modules, "anthropic", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    with pytest.raises(RunError, match=r"pip install 'locomo-run\[anthropic\]'"):
        open_model("claude-opus-4-6", timeout=1)


def test_an_address_that_is_none_is_a_usage_error_that_does_not_repeat_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://me:secret@127.0.0.1")

    with pytest.raises(UsageError, match="ANTHROPIC_BASE_URL") as raised:
        open_model("claude-opus-4-6", timeout=1)

    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("kind", "overload", "retryable", "fatal", "billed"),
    [
        (ErrorKind.RATE_LIMITED, True, True, False, False),
        (ErrorKind.OVERLOADED, True, True, False, False),
        (ErrorKind.SERVER, False, True, False, False),
        (ErrorKind.CONNECTION, False, True, False, True),
        (ErrorKind.TIMEOUT, False, True, False, True),
        (ErrorKind.BAD_REPLY, False, True, False, True),
        (ErrorKind.AUTHENTICATION, False, False, True, False),
        (ErrorKind.PERMISSION, False, False, True, False),
        (ErrorKind.NOT_FOUND, False, False, True, False),
        (ErrorKind.CREDIT, False, False, True, False),
        (ErrorKind.INVALID_REQUEST, False, False, False, False),
        (ErrorKind.TOO_LARGE, False, False, False, False),
    ],
)
def test_every_kind_of_failure_says_whether_to_wait_repeat_or_stop(
    kind: ErrorKind, overload: bool, retryable: bool, fatal: bool, billed: bool
) -> None:
    fault = fault_of(ModelError(kind, "so\nit is", retry_after=3.0))

    assert fault.reason == "ModelError: so it is"
    assert fault.overload is overload
    assert fault.retryable is retryable
    assert fault.fatal is fatal
    assert fault.billed is billed
    assert fault.retry_after == 3.0


def test_an_error_of_an_unknown_kind_is_not_repeated_and_may_have_cost() -> None:
    fault = fault_of(KeyError("content"))

    assert (fault.retryable, fault.fatal, fault.billed) == (False, False, True)


def test_a_connection_that_never_came_about_costs_nothing() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # taken, but nobody listens
        address = f"http://127.0.0.1:{held.getsockname()[1]}"

        async def call() -> None:
            async with AnthropicModel(api_key="k", base_url=address) as model:
                await ask(model, PROMPT, SETTINGS)

        with pytest.raises(CallFault) as raised:
            asyncio.run(call())

    assert (raised.value.retryable, raised.value.billed) == (True, False)


@pytest.mark.parametrize(("told", "latency"), [(None, 250.0), (40.0, 40.0)])
def test_latency_is_what_the_client_measured_or_else_what_the_call_took(
    told: float | None, latency: float
) -> None:
    async def complete(prompt: Prompt, settings: JudgeSettings, /) -> Completion:
        return Completion(text="yes", latency_ms=told)

    ticks = iter((1.0, 1.25))
    asked = ask(complete, PROMPT, SETTINGS, clock=lambda: next(ticks))

    assert asyncio.run(asked)[1] == latency


def test_a_reply_of_a_batch_is_billed_as_one() -> None:
    assert usage_of(Completion(text=""), batch=True) == Usage(batch=True)


def test_the_ceiling_of_a_call_is_its_bytes_and_its_longest_reply() -> None:
    # (9/2 + 16) and (4/2 + 16) tokens in, 100 out
    expected = ((21 + 18) * 5 + 100 * 25) / 1e6

    assert cost_at_most(PROMPT, SETTINGS, load_prices()) == pytest.approx(expected)


def test_the_ceiling_without_a_price_is_none_to_keep() -> None:
    assert cost_at_most(PROMPT, JudgeSettings(model="x"), load_prices()) == 0.0
