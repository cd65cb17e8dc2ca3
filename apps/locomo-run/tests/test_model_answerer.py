import asyncio
from collections.abc import Callable, Iterable

import pytest
from llm_judge import Completion, JudgeSettings, Prompt
from llm_judge import Usage as Told
from locomo_dataset import Conversation
from locomo_run.answerers.model import ModelAnswerer, describe_model, settings_of
from locomo_run.answerers.prompt import answer_prompt
from locomo_run.calls.models import cost_at_most
from locomo_run.calls.tries import CallFault
from locomo_run.config import AnswerOptions
from locomo_run.ledger.entry import Attempt, Status, Usage
from locomo_run.memory import Hit
from locomo_run.money.prices import load_prices

OPTIONS = AnswerOptions(answerer="claude-opus-4-6")
HITS = (Hit(id="D1:1", text="Ana: Lisbon!"),)
REPLY = Completion(
    text=" Lisbon \n",
    stop_reason="end_turn",
    model="claude-opus-4-6-20260115",
    usage=Told(
        input_tokens=70,
        output_tokens=2,
        cache_creation_input_tokens=5,
        cache_read_input_tokens=9,
    ),
    latency_ms=12.5,
    withheld=("temperature",),
)


class Model:
    """Answers with what it is given, and notes what it was asked."""

    def __init__(self, reply: Completion | Exception = REPLY) -> None:
        self.reply = reply
        self.asked: list[tuple[Prompt, JudgeSettings]] = []

    async def __call__(self, prompt: Prompt, settings: JudgeSettings, /) -> Completion:
        self.asked.append((prompt, settings))
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


@pytest.fixture
def answered(tiny: Conversation) -> Callable[..., Attempt]:
    """What the ledger would hold of one answer."""

    def answer(model: Model, options: AnswerOptions = OPTIONS) -> Attempt:
        answerer = ModelAnswerer(model, options, load_prices())
        return asyncio.run(_called(answerer.prepare(tiny.qa[0], HITS).call()))

    return answer


async def _called(call: object) -> Attempt:
    return await call  # type: ignore[no-any-return,misc]  # whatever awaits


def test_a_model_is_asked_the_prompt_at_temperature_0_with_256_tokens_at_most(
    answered: Callable[..., Attempt], tiny: Conversation
) -> None:
    model = Model()
    answered(model)

    assert model.asked == [
        (
            answer_prompt(tiny.qa[0], HITS),
            JudgeSettings(model="claude-opus-4-6", temperature=0.0, max_tokens=256),
        )
    ]


def test_everything_that_the_reply_tells_is_kept(
    answered: Callable[..., Attempt],
) -> None:
    assert answered(Model()) == Attempt(
        status=Status.OK,
        reply={
            "text": "Lisbon",
            "stop_reason": "end_turn",
            "model": "claude-opus-4-6-20260115",
            "withheld": ["temperature"],
        },
        latency_ms=12.5,
        model="claude-opus-4-6",
        usage=Usage(input=70, output=2, cache_write=5, cache_read=9),
    )


@pytest.mark.parametrize(
    ("text", "stop_reason", "status"),
    [
        ("unanswerable", "end_turn", Status.OK),
        ("Lisbon", None, Status.OK),
        ("Lisbon", "stop_sequence", Status.OK),
        ("Lisb", "max_tokens", Status.TRUNCATED),
        ("Lisb", "model_context_window_exceeded", Status.TRUNCATED),
        ("", "refusal", Status.REFUSED),
        ("I cannot", "refusal", Status.REFUSED),
        ("", "end_turn", Status.UNPARSED),
        (" \n", "end_turn", Status.UNPARSED),
    ],
)
def test_only_a_whole_reply_with_text_is_an_answer(
    text: str, stop_reason: str | None, status: Status, answered: Callable[..., Attempt]
) -> None:
    reply = Completion(text=text, stop_reason=stop_reason, usage=Told(output_tokens=1))

    attempt = answered(Model(reply))

    assert attempt.status is status
    assert bool(attempt.reason) is (status is not Status.OK)
    assert attempt.usage == Usage(output=1)


def test_a_reply_without_usage_was_bought_all_the_same(
    answered: Callable[..., Attempt],
) -> None:
    assert answered(Model(Completion(text="Lisbon"))).usage == Usage()


def test_a_call_without_a_reply_is_a_fault(answered: Callable[..., Attempt]) -> None:
    with pytest.raises(CallFault, match="ValueError: odd"):
        answered(Model(ValueError("odd")))


def test_the_key_of_an_answer_holds_the_prompt(tiny: Conversation) -> None:
    answerer = ModelAnswerer(Model(), OPTIONS, load_prices())
    prompt = answer_prompt(tiny.qa[0], HITS)

    prepared = answerer.prepare(tiny.qa[0], HITS)

    assert prepared.content == {
        "prompt": prompt.sha256,
        "context_chars": len(prompt.user),
    }
    assert prepared.cost == cost_at_most(prompt, settings_of(OPTIONS), load_prices())


@pytest.mark.parametrize(
    "other",
    [
        AnswerOptions(answerer="claude-haiku-4-5"),
        AnswerOptions(answerer="claude-opus-4-6", temperature=None),
        AnswerOptions(answerer="claude-opus-4-6", max_tokens=100),
        AnswerOptions(answerer="claude-opus-4-6", hints=True),
    ],
)
def test_whatever_changes_an_answer_is_in_the_fingerprint(other: AnswerOptions) -> None:
    described = ModelAnswerer(Model(), OPTIONS, load_prices()).describe()

    assert described == describe_model(OPTIONS)
    assert _differing(described.items(), describe_model(other).items()) == 1


def test_how_often_a_question_is_answered_is_not_in_the_fingerprint() -> None:
    often = AnswerOptions(answerer="claude-opus-4-6", runs=3)

    assert describe_model(often) == describe_model(OPTIONS)


def _differing(one: Iterable[object], other: Iterable[object]) -> int:
    return len({*one} - {*other})
