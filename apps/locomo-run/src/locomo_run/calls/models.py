"""Models by name, and how their replies and failures become attempts.

Whatever speaks the Messages API is reached by the name of the model itself. Other
endpoints plug in by an entry point of the group `locomo_run.models`: its name is a
prefix (`gateway:some-model`), its value a callable that takes the rest of the name and
returns a `llm_judge.Complete`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Protocol

from llm_judge import Complete, Completion, JudgeSettings, Prompt

from locomo_run.calls.lane import one_line
from locomo_run.calls.tries import CallFault
from locomo_run.errors import UsageError
from locomo_run.ledger.entry import Attempt, Usage
from locomo_run.money.prices import Prices
from locomo_run.money.tokens import at_most

GROUP = "locomo_run.models"

Clock = Callable[[], float]

_PERHAPS_BILLED = ("timeout", "connection", "bad_reply", "unknown")
"""Kinds of failure after which the endpoint may have written a reply all the same."""


class Read(Protocol):
    """Makes an attempt of a model's reply."""

    def __call__(
        self, completion: Completion, latency_ms: float | None, *, batch: bool = False
    ) -> Attempt:
        """Read a reply.

        Args:
            completion: The reply.
            latency_ms: How long it took; None where that says nothing.
            batch: Whether it was bought in a batch.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What a model is asked, and how its reply is read."""

    prompt: Prompt
    settings: JudgeSettings
    read: Read


def open_model(name: str, *, timeout: float) -> Complete:
    """Return what answers prompts under the name of a model.

    Args:
        name: Of the model, with the prefix of its endpoint if it has one.
        timeout: Seconds that a call over the Messages API may take.

    Raises:
        UsageError: the prefix is not registered, or the endpoint cannot be set up.
    """
    prefix, separator, rest = name.partition(":")
    if separator:
        for entry in entry_points(group=GROUP, name=prefix):
            factory: Callable[[str], Complete] = entry.load()
            return factory(rest)
        known = ", ".join(sorted(e.name for e in entry_points(group=GROUP))) or "none"
        raise UsageError(
            f"no model endpoint {prefix!r} is registered (there is {known}); a model "
            "of the Messages API is named without a prefix"
        )
    from locomo_run.calls.messages_api import messages_model

    return messages_model(timeout)


async def ask(
    complete: Complete,
    prompt: Prompt,
    settings: JudgeSettings,
    *,
    clock: Clock = time.perf_counter,
) -> tuple[Completion, float]:
    """Ask a model once; return the reply and its latency in ms.

    The latency is what the endpoint's client measured, if it did: from the start of
    the request to the end of the reply, without what came before.

    Raises:
        CallFault: there was no reply.
    """
    started = clock()
    try:
        completion = await complete(prompt, settings)
    except Exception as error:
        raise fault_of(error) from error
    elapsed = (clock() - started) * 1000
    measured = completion.latency_ms
    return completion, elapsed if measured is None else measured


def fault_of(error: Exception) -> CallFault:
    """Read from an error whether and when the same call may go well."""
    return CallFault(
        one_line(f"{type(error).__name__}: {error}"),
        retryable=bool(getattr(error, "retryable", False)),
        overload=getattr(error, "kind", None) in ("rate_limited", "overloaded"),
        fatal=bool(getattr(error, "fatal", False)),
        retry_after=getattr(error, "retry_after", None),
        billed=getattr(error, "kind", "unknown") in _PERHAPS_BILLED
        and not _never_sent(error),
    )


def _never_sent(error: BaseException | None) -> bool:
    """Tell whether no connection came about, by what the HTTP client calls that."""
    while error is not None:
        if type(error).__name__ in ("ConnectError", "ConnectTimeout"):
            return True
        error = error.__cause__ or error.__context__
    return False


def usage_of(completion: Completion, *, batch: bool = False) -> Usage:
    """Return what a reply cost."""
    used = completion.usage
    if used is None:
        return Usage(batch=batch)
    return Usage(
        batch=batch,
        input=used.input_tokens,
        output=used.output_tokens,
        cache_write=used.cache_creation_input_tokens,
        cache_read=used.cache_read_input_tokens,
    )


def cost_at_most(prompt: Prompt, settings: JudgeSettings, prices: Prices) -> float:
    """Return what one call may cost at the most, in dollars; 0 for an unknown price."""
    tokens = Usage(
        input=at_most(prompt.system) + at_most(prompt.user), output=settings.max_tokens
    )
    return prices.cost(settings.model, tokens) or 0.0
