import asyncio
import logging
from collections.abc import Callable

import pytest
from llm_judge import (
    BINARY,
    Completion,
    CompletionError,
    JudgeAggregation,
    JudgeResult,
    JudgeSettings,
    JudgeStatus,
    Prompt,
    build_judge_prompt,
    judge_answer,
    judge_answer_runs,
)
from llm_judge.testing import Call, ScriptedModel

QUESTION = ("Which pet does Ann have?", "a cat", "a small cat", "single-hop")


def judge(model: ScriptedModel) -> JudgeResult:
    return asyncio.run(judge_answer(model, *QUESTION))


def judge_runs(
    replies: list[str | Completion | Exception], *, concurrency: int = 3
) -> JudgeAggregation:
    return asyncio.run(
        judge_answer_runs(
            ScriptedModel(replies),
            *QUESTION,
            runs=len(replies),
            concurrency=concurrency,
        )
    )


def score(number: float) -> str:
    return f'{{"score": {number}, "explanation": "…"}}'


class GatedModel:
    """Calls wait until a test lets one of them go."""

    def __init__(self) -> None:
        self.waiting: list[asyncio.Event] = []
        self.in_flight = 0
        self.cancelled = 0

    async def __call__(self, prompt: Prompt, settings: JudgeSettings, /) -> Completion:
        gate = asyncio.Event()
        self.waiting.append(gate)
        self.in_flight += 1
        try:
            await gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.in_flight -= 1
        return Completion(text=score(50))


async def until(condition: Callable[[], bool]) -> None:
    """Let the other tasks run until something holds; it never takes many turns."""
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0)
    pytest.fail("this would wait forever")


def test_one_call_asks_sonnet_at_one_half_for_256_tokens() -> None:
    model = ScriptedModel([score(85)])
    result = judge(model)

    assert model.calls == (
        Call(
            build_judge_prompt(*QUESTION),
            JudgeSettings(model="claude-sonnet-4-6", temperature=0.5, max_tokens=256),
        ),
    )
    assert result.score == 85
    assert result.status is JudgeStatus.OK
    assert result.completion is not None
    assert result.completion.model == "claude-sonnet-4-6"


def test_protocol_and_settings_reach_the_call() -> None:
    model = ScriptedModel(['{"label": "WRONG"}'])
    settings = JudgeSettings(model="m", temperature=None, max_tokens=64)
    result = asyncio.run(
        judge_answer(model, *QUESTION, protocol=BINARY, settings=settings)
    )

    assert model.calls == (
        Call(build_judge_prompt(*QUESTION, protocol=BINARY), settings),
    )
    assert (result.score, result.label) == (0, "WRONG")
    assert result.signature == BINARY.signature


def test_a_malformed_reply_is_a_failed_result() -> None:
    result = judge(ScriptedModel(["no idea"]))

    assert result.status is JudgeStatus.UNPARSED
    assert result.to_record()["score"] == -1
    assert result.to_record()["reason"] == "the reply holds no verdict"


def test_a_failed_call_is_a_result_with_the_message_of_the_adapter() -> None:
    error = CompletionError("overloaded, gave up after 6 attempts")
    result = judge(ScriptedModel([error]))

    assert result.status is JudgeStatus.INFRA_ERROR
    assert result.score is None
    assert result.completion is None
    assert result.reason == "the call failed: overloaded, gave up after 6 attempts"
    assert result.error is error


def test_a_foreign_exception_is_named_and_its_message_kept_back() -> None:
    error = ValueError("Authorization: Bearer hunter2")
    result = judge(ScriptedModel([error]))

    assert result.status is JudgeStatus.INFRA_ERROR
    assert result.reason == "the call raised ValueError"
    assert result.error is error


def test_a_call_that_returns_something_else_is_a_failed_call() -> None:
    async def complete(prompt: Prompt, settings: JudgeSettings, /) -> Completion:
        return "<html>"  # type: ignore[return-value]  # what some clients do

    result = asyncio.run(judge_answer(complete, *QUESTION))

    assert result.status is JudgeStatus.INFRA_ERROR
    assert result.reason == "the call returned str, not a Completion"


def test_ten_runs_give_the_mean_and_the_sample_standard_deviation() -> None:
    scores = [70, 72, 68, 71, 73, 69, 70, 72, 71, 70]
    model = ScriptedModel(map(score, scores))
    aggregation = asyncio.run(judge_answer_runs(model, *QUESTION))

    assert len(model.calls) == 10
    assert aggregation.mean_score == pytest.approx(70.6)
    assert aggregation.std_dev == pytest.approx(1.5055, abs=1e-4)
    assert aggregation.individual_scores == tuple(scores)
    assert aggregation.run_count == 10


def test_failed_runs_warn_in_the_value_and_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, logger="llm_judge"):
        aggregation = judge_runs([*map(score, [70] * 8), "?", CompletionError("gone")])

    assert aggregation.run_count == 8
    assert aggregation.failed_count == 2
    (warning,) = aggregation.warnings
    assert warning.startswith("2 of 10 judge runs failed (1 unparsed, 1 infra_error);")
    assert [record.getMessage() for record in caplog.records] == [warning]


def test_runs_without_failure_log_nothing(caplog: pytest.LogCaptureFixture) -> None:
    judge_runs([score(70)])

    assert caplog.records == []


def test_an_outage_gives_no_mean_and_says_why() -> None:
    aggregation = judge_runs([CompletionError("out of credit")] * 10)

    assert aggregation.mean_score is None
    assert aggregation.warnings[1] == (
        "systematic failure likely: only 0 of 10 judge runs gave a score; "
        "most common reason: the call failed: out of credit"
    )


def test_a_slot_is_filled_again_as_soon_as_it_is_free() -> None:
    async def scenario() -> tuple[int, int, JudgeAggregation]:
        model = GatedModel()
        running = asyncio.ensure_future(
            judge_answer_runs(model, *QUESTION, runs=5, concurrency=2)
        )
        await until(lambda: len(model.waiting) == 2)
        first_wave = len(model.waiting)
        # One of the two ends; in batches the third would wait for the other as well.
        model.waiting[0].set()
        await until(lambda: len(model.waiting) == 3)
        in_flight = model.in_flight
        for position in range(1, 5):
            await until(lambda: len(model.waiting) > position)  # noqa: B023 - awaited
            model.waiting[position].set()
        return first_wave, in_flight, await running

    first_wave, in_flight, aggregation = asyncio.run(scenario())

    assert first_wave == 2
    assert in_flight == 2
    assert aggregation.individual_scores == (50,) * 5


def test_results_are_in_run_order_whatever_ends_first() -> None:
    async def scenario() -> JudgeAggregation:
        gate = asyncio.Event()
        asked: list[Prompt] = []

        async def complete(prompt: Prompt, settings: JudgeSettings, /) -> Completion:
            asked.append(prompt)
            if len(asked) == 1:
                await gate.wait()
                return Completion(text=score(10))
            gate.set()
            return Completion(text=score(20))

        return await judge_answer_runs(complete, *QUESTION, runs=2)

    assert asyncio.run(scenario()).individual_scores == (10, 20)


def test_cancelling_cancels_the_calls_in_flight() -> None:
    async def scenario() -> GatedModel:
        model = GatedModel()
        running = asyncio.ensure_future(judge_answer_runs(model, *QUESTION))
        await until(lambda: model.in_flight == 3)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return model

    model = asyncio.run(scenario())

    assert model.cancelled == 3
    assert model.in_flight == 0
    assert len(model.waiting) == 3


@pytest.mark.parametrize(
    ("name", "runs", "concurrency"), [("runs", 0, 3), ("concurrency", 10, 0)]
)
def test_no_runs_or_no_slots_are_refused(
    name: str, runs: int, concurrency: int
) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be at least 1, not 0"):
        asyncio.run(
            judge_answer_runs(
                ScriptedModel([]), *QUESTION, runs=runs, concurrency=concurrency
            )
        )


def test_a_gold_that_is_no_string_is_named_before_anything_is_paid() -> None:
    model = ScriptedModel([])

    with pytest.raises(TypeError, match="gold must be a string, not int"):
        asyncio.run(
            judge_answer_runs(
                model,
                "Since when?",
                2022,  # type: ignore[arg-type]  # on purpose
                "2022",
            )
        )
    assert model.calls == ()
