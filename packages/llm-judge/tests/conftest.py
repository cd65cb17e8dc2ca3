"""What the tests of the Messages API share."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, TypeVar

import pytest
from llm_judge import JudgeSettings, Prompt
from llm_judge._fake_http import HttpReply, HttpRequest, LoopbackServer
from llm_judge.anthropic import AnthropicModel

T = TypeVar("T")

KEY = "sk-ant-test-0123456789"


class Endpoint:
    """Answers with given replies, the last one for ever, and keeps the requests."""

    def __init__(self, replies: Sequence[HttpReply]) -> None:
        self.requests: list[HttpRequest] = []
        self._replies = list(replies)
        self.server = LoopbackServer(self._answer)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    async def _answer(self, request: HttpRequest) -> HttpReply:
        self.requests.append(request)
        return self._replies[min(len(self.requests), len(self._replies)) - 1]


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the settings of whoever runs the tests out of them."""
    for name in ("API_KEY", "AUTH_TOKEN", "BASE_URL", "CUSTOM_HEADERS"):
        monkeypatch.delenv(f"ANTHROPIC_{name}", raising=False)


@pytest.fixture
def sdk() -> Any:
    return pytest.importorskip(
        "anthropic", reason="needs the SDK: pip install 'llm-judge[anthropic]'"
    )


@pytest.fixture
def endpoint() -> Iterator[Callable[..., Endpoint]]:
    """Start servers that answer with the replies they are given."""
    with ExitStack() as stack:

        def start(*replies: HttpReply) -> Endpoint:
            made = Endpoint(replies)
            made.server.start()
            stack.callback(made.server.stop)
            return made

        yield start


@pytest.fixture
def use(sdk: Any) -> Callable[..., Any]:
    """Run one coroutine with a model that is closed afterwards."""

    def run(
        base_url: str,
        job: Callable[[AnthropicModel], Coroutine[Any, Any, T]],
        **options: Any,
    ) -> T:
        async def main() -> T:
            credential = {} if "auth_token" in options else {"api_key": KEY}
            async with AnthropicModel(
                base_url=base_url, **{**credential, **options}
            ) as model:
                return await job(model)

        return asyncio.run(main())

    return run


@pytest.fixture
def ask(use: Callable[..., Any]) -> Callable[..., Any]:
    """Make one call."""

    def call(
        base_url: str,
        prompt: Prompt | None = None,
        settings: JudgeSettings | None = None,
        **options: Any,
    ) -> Any:
        asked = prompt or Prompt("system", "user")
        how = settings or JudgeSettings()
        return use(base_url, lambda model: model(asked, how), **options)

    return call
