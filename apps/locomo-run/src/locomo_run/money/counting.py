"""Have an endpoint count the tokens of a sample of prompts, which is free."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from llm_judge import JudgeSettings, Prompt

from locomo_run.calls.lane import each
from locomo_run.money.estimate import Counted, Job, sample, size

if TYPE_CHECKING:
    from llm_judge.anthropic import AnthropicModel

SAMPLE = 20
"""Prompts of each job that are counted."""

IN_FLIGHT = 4

SECONDS = 20.0
"""For all of it; an endpoint that takes longer is done without."""


def count_samples(jobs: Sequence[Job]) -> tuple[dict[str, Counted], str]:
    """Count a sample of each job's prompts.

    Returns:
        What was counted by job name, and why it is not everything, if so.
    """
    reached = [job for job in jobs if ":" not in job.settings.model]
    if not any(sample(job, 1) for job in reached):
        return {}, ""
    from llm_judge.anthropic import AnthropicModel, ModelError

    try:
        model = AnthropicModel(timeout=SECONDS)
    except ModelError:
        return {}, ""  # no key, which the estimate says by itself
    except (ValueError, ImportError) as error:
        return {}, f"tokens are not counted: {error}"
    found: dict[str, Counted] = {}
    try:
        asyncio.run(_count(reached, model, found))
    except (ModelError, TimeoutError) as error:
        return found, f"tokens are not counted: {str(error) or 'no reply in time'}"
    return found, ""


async def _count(
    jobs: Sequence[Job], model: AnthropicModel, found: dict[str, Counted]
) -> None:
    async with asyncio.timeout(SECONDS), model:
        for job in jobs:
            if prompts := sample(job, SAMPLE):
                found[job.name] = await _counted(prompts, job.settings, model)


async def _counted(
    prompts: Sequence[Prompt], settings: JudgeSettings, model: AnthropicModel
) -> Counted:
    counts: list[int] = []

    async def count(prompt: Prompt) -> None:
        counts.append(await model.count_tokens(prompt, settings))

    await each(prompts, count, IN_FLIGHT)
    return Counted(
        prompts=len(prompts),
        tokens=sum(counts),
        estimated=sum(size(prompt) for prompt in prompts),
    )
