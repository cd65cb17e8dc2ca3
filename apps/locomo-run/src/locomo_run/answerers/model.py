"""Answers by a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llm_judge import Complete, Completion, JudgeSettings
from locomo_dataset import Question

from locomo_run.answerers import Prepared
from locomo_run.answerers.prompt import VERSION, answer_prompt
from locomo_run.calls.models import Ask, ask, cost_at_most, usage_of
from locomo_run.config import AnswerOptions
from locomo_run.ledger.entry import Attempt, Status
from locomo_run.memory import Hit, Setting
from locomo_run.money.prices import Prices


class ModelAnswerer:
    """Has a model read the hits."""

    def __init__(
        self, complete: Complete, options: AnswerOptions, prices: Prices
    ) -> None:
        self._complete = complete
        self._options = options
        self._prices = prices
        self._settings = settings_of(options)

    def prepare(self, question: Question, hits: Sequence[Hit]) -> Prepared:
        """Make ready to send the prompt."""
        prompt = answer_prompt(question, hits, hints=self._options.hints)

        async def call() -> Attempt:
            completion, latency = await ask(self._complete, prompt, self._settings)
            return self._read(completion, latency)

        return Prepared(
            call=call,
            content={"prompt": prompt.sha256, "context_chars": len(prompt.user)},
            cost=cost_at_most(prompt, self._settings, self._prices),
            ask=Ask(prompt=prompt, settings=self._settings, read=self._read),
        )

    def _read(
        self, completion: Completion, latency_ms: float | None, *, batch: bool = False
    ) -> Attempt:
        status, reason = _status(completion)
        return Attempt(
            status=status,
            reason=reason,
            reply={
                "text": completion.text.strip(),
                "stop_reason": completion.stop_reason,
                "model": completion.model,
                "withheld": list(completion.withheld),
            },
            latency_ms=latency_ms,
            model=self._settings.model,
            usage=usage_of(completion, batch=batch),
        )

    def describe(self) -> Mapping[str, Setting]:
        """Return the model, how it samples, and the version of the prompt."""
        return describe_model(self._options)


def settings_of(options: AnswerOptions) -> JudgeSettings:
    """Return what is sent along with a prompt."""
    return JudgeSettings(
        model=options.answerer,
        temperature=options.temperature,
        max_tokens=options.max_tokens,
    )


def describe_model(options: AnswerOptions) -> Mapping[str, Setting]:
    """Return the model, how it samples, and the version of the prompt."""
    return {
        "name": options.answerer,
        "temperature": options.temperature,
        "max_tokens": options.max_tokens,
        "prompt": VERSION,
        "category_hints": options.hints,
    }


def _status(completion: Completion) -> tuple[Status, str]:
    match completion.stop_reason:
        case "refusal":
            return Status.REFUSED, "the model refused to answer"
        case "max_tokens" | "model_context_window_exceeded" as reason:
            return Status.TRUNCATED, f"the answer was cut off ({reason})"
    if not completion.text.strip():
        return Status.UNPARSED, "the answer is empty"
    return Status.OK, ""
