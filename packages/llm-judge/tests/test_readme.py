import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from llm_judge import Completion, JudgeSettings, Prompt
from llm_judge.testing import FakeMessagesAPI

README = Path(__file__).parent.parent / "README.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

BLOCKS: list[tuple[str, str]] = FENCE.findall(README.read_text(encoding="utf-8"))


def code(index: int) -> str:
    return [text for kind, text in BLOCKS if kind == "python"][index]


def output(index: int) -> str:
    return [text for kind, text in BLOCKS if kind == "text"][index]


@pytest.mark.parametrize(("example", "printed"), [(0, 0), (2, 1), (3, 2)])
def test_an_example_prints_what_the_readme_shows(
    example: int,
    printed: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (protocol,) = [text for kind, text in BLOCKS if kind == "toml"]
    (tmp_path / "helpful.toml").write_text(protocol, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    exec(compile(code(example), str(README), "exec"), {})  # noqa: S102 - our own text

    assert capsys.readouterr().out == output(printed)


def test_the_adapter_of_the_readme_passes_everything_on() -> None:
    received: dict[str, object] = {}

    async def ask_my_model(**request: object) -> dict[str, str]:
        received.update(request)
        return {"text": "85", "stop_reason": "end_turn"}

    namespace: dict[str, object] = {"ask_my_model": ask_my_model}
    exec(compile(code(1), str(README), "exec"), namespace)  # noqa: S102 - our own text
    complete = namespace["complete"]
    assert callable(complete)
    completion = asyncio.run(complete(Prompt("s", "u", {}), JudgeSettings(model="m")))

    assert completion == Completion(text="85", stop_reason="end_turn")
    assert received == {
        "model": "m",
        "temperature": 0.5,
        "max_tokens": 256,
        "system": "s",
        "user": "u",
        "json_schema": {},
    }


def test_the_examples_with_the_anthropic_api_do_what_they_say(
    sdk: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    namespace: dict[str, Any] = {}
    with FakeMessagesAPI() as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.base_url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "any")
        for index in (4, 5, 6):
            exec(compile(code(index), str(README), "exec"), namespace)  # noqa: S102 - our own text
        prompts = {"a": Prompt("s", "u"), "b": Prompt("s", "v")}
        results = asyncio.run(namespace["ask_all"](prompts, JudgeSettings()))

    assert capsys.readouterr().out == "50.0 3\n" + output(3) + "msgbatch_0001\n"
    assert api.counts.bought == 3 + len(prompts)
    assert {name: result.outcome.value for name, result in results.items()} == {
        "a": "succeeded",
        "b": "succeeded",
    }
