"""Try a failed model call again, for callers without a retry loop of their own."""

import asyncio
import random
from collections.abc import Awaitable, Callable

from llm_judge._completion import Complete, Completion, JudgeSettings
from llm_judge._model_error import ModelError
from llm_judge._prompt import Prompt

__all__ = ["Retrying"]


class Retrying:
    """A `Complete` that repeats the calls of another one while repeating can help.

    Only a `ModelError` that says `retryable` is tried again.
    The pause doubles from `base_delay` up to `max_delay` seconds, each one shortened by
    up to half at random; where the endpoint asks for a longer pause it gets it.
    The defaults keep trying for one to two minutes, since an overload lasts minutes.

    Args:
        complete: The model.
        attempts: Calls in all, the first one included.
        base_delay: Seconds before the second call.
        max_delay: The longest pause that this class chooses.
        max_retry_after: An endpoint that asks for a longer pause than this ends the
            attempts.
        seed: Makes the pauses repeatable.
        sleep: Waits for some seconds.

    Raises:
        ValueError: `attempts` is below 1.

    >>> from llm_judge.anthropic import ErrorKind
    >>> from llm_judge.testing import ScriptedModel
    >>> busy = ModelError(ErrorKind.OVERLOADED, "overloaded")
    >>> model = Retrying(ScriptedModel([busy, busy, "fine"]), base_delay=0)
    >>> asyncio.run(model(Prompt("system", "user"), JudgeSettings())).text
    'fine'
    """

    def __init__(
        self,
        complete: Complete,
        *,
        attempts: int = 8,
        base_delay: float = 1.0,
        max_delay: float = 60.0,
        max_retry_after: float = 300.0,
        seed: int | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if attempts < 1:
            msg = f"attempts must be at least 1, not {attempts}"
            raise ValueError(msg)
        self._complete = complete
        self._attempts = attempts
        self._base_delay = base_delay
        self._max_delay = max_delay
        self._max_retry_after = max_retry_after
        self._random = random.Random(seed)  # noqa: S311 - spreads load, guards nothing
        self._sleep = sleep

    async def __call__(self, prompt: Prompt, settings: JudgeSettings, /) -> Completion:
        """Call the model until it replies or repeating is of no use.

        Raises:
            ModelError: The last attempt failed, or repeating cannot help.
        """
        for attempt in range(1, self._attempts):
            try:
                return await self._complete(prompt, settings)
            except ModelError as error:
                asked = error.retry_after or 0.0
                if not error.retryable or asked > self._max_retry_after:
                    raise
            await self._sleep(max(asked, self._pause(attempt)))
        return await self._complete(prompt, settings)

    def _pause(self, attempt: int) -> float:
        whole = min(self._max_delay, self._base_delay * 2.0 ** (attempt - 1))
        return whole * (1 - self._random.random() / 2)
