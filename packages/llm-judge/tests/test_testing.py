import asyncio

import pytest
from llm_judge import Completion, CompletionError, JudgeSettings, Prompt
from llm_judge.testing import Call, ScriptedModel

PROMPT, SETTINGS = Prompt("system", "user"), JudgeSettings(model="m")


def ask(model: ScriptedModel) -> Completion:
    return asyncio.run(model(PROMPT, SETTINGS))


def test_replies_come_in_order_and_calls_are_recorded() -> None:
    cut = Completion(text="half a", stop_reason="max_tokens")
    model = ScriptedModel(["one", cut])

    assert ask(model) == Completion(text="one", stop_reason="end_turn", model="m")
    assert ask(model) is cut
    assert model.calls == (Call(PROMPT, SETTINGS),) * 2


def test_an_exception_in_the_script_is_raised() -> None:
    with pytest.raises(TimeoutError, match="late"):
        ask(ScriptedModel([TimeoutError("late")]))


def test_a_call_beyond_the_script_says_so() -> None:
    with pytest.raises(CompletionError, match="the script has no reply for call 1"):
        ask(ScriptedModel([]))
