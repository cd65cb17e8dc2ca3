"""How long an endpoint that fails is asked again before the command gives up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from llm_judge.anthropic import ModelError

from locomo_run.calls.lane import one_line
from locomo_run.calls.pace import LONGEST_PAUSE, pause_after
from locomo_run.errors import RunError


class Patience:
    """Waits after failures that may pass, for some minutes in a row.

    Args:
        minutes: How long nothing but failures is borne.
        clock: Seconds.
        pause: Waits so many seconds.
    """

    def __init__(
        self,
        minutes: float,
        clock: Callable[[], float],
        pause: Callable[[float], Awaitable[None]],
    ) -> None:
        self._minutes = minutes
        self._clock = clock
        self._pause = pause
        self._failures = 0
        self._since = 0.0

    def renew(self) -> None:
        """Begin anew, since a call went well."""
        self._failures = 0

    async def bear(self, error: ModelError) -> None:
        """Wait until it is time to ask again.

        Raises:
            RunError: it will not pass, or has lasted too long.
        """
        if not self._failures:
            self._since = self._clock()
        self._failures += 1
        lasted = self._clock() - self._since
        if not error.retryable or lasted > self._minutes * 60:
            raise RunError(
                f"message batches: {one_line(str(error))}; batches that are posted go "
                "on at the endpoint, and the same command collects them"
            ) from error
        after = error.retry_after
        await self._pause(
            pause_after(self._failures) if after is None else min(after, LONGEST_PAUSE)
        )
