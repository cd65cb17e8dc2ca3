"""Stand-ins for a model and for its endpoint, for tests of code that judges.

`ScriptedModel` replaces the model in process.
`FakeMessagesAPI` is an HTTP server on loopback for clients of the Messages API, with
latency and faults by plan and with counts of what was bought.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from llm_judge._completion import Completion, JudgeSettings
from llm_judge._errors import CompletionError
from llm_judge._fake_api import FakeMessagesAPI
from llm_judge._fake_counts import FakeCounts
from llm_judge._fake_faults import Fault, FaultPlan, Latency
from llm_judge._fake_replies import FakeModel, FakeReply, FakeRequest, default_reply
from llm_judge._prompt import Prompt

__all__ = [
    "Call",
    "FakeCounts",
    "FakeMessagesAPI",
    "FakeModel",
    "FakeReply",
    "FakeRequest",
    "Fault",
    "FaultPlan",
    "Latency",
    "ScriptedModel",
    "default_reply",
]


@dataclass(frozen=True, slots=True)
class Call:
    """One call that a `ScriptedModel` received."""

    prompt: Prompt
    settings: JudgeSettings


class ScriptedModel:
    """A `Complete` that replays replies in order and records what it was asked.

    A string becomes a finished reply of the model that was asked for, a `Completion`
    is returned as it is, an exception is raised.
    A call beyond the last reply fails with a `CompletionError` that says so.

    >>> import asyncio
    >>> from llm_judge import judge_answer
    >>> model = ScriptedModel(['{"score": 90, "explanation": "Same pet."}'])
    >>> asyncio.run(judge_answer(model, "Which pet?", "a cat", "cat")).score
    90.0
    >>> model.calls[0].settings.temperature
    0.5
    """

    def __init__(self, replies: Iterable[str | Completion | Exception]) -> None:
        self._replies = tuple(replies)
        self._calls: list[Call] = []

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls so far, in order."""
        return tuple(self._calls)

    async def __call__(self, prompt: Prompt, settings: JudgeSettings, /) -> Completion:
        """Record the call and give the next reply."""
        position = len(self._calls)
        self._calls.append(Call(prompt, settings))
        if position >= len(self._replies):
            msg = f"the script has no reply for call {position + 1}"
            raise CompletionError(msg)
        reply = self._replies[position]
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Completion):
            return reply
        return Completion(text=reply, stop_reason="end_turn", model=settings.model)
