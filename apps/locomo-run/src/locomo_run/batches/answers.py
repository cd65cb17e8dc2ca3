"""The answer stage in message batches: everything is searched for before it begins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from locomo_dataset import Question

from locomo_run.batches.buying import buy
from locomo_run.batches.jobs import Job, Lot
from locomo_run.calls.desk import Desk
from locomo_run.calls.models import Ask
from locomo_run.ledger.entry import Entry, Request, Stage
from locomo_run.replies import context_size


@dataclass(frozen=True, slots=True, kw_only=True)
class Postponed:
    """A question whose hits are to be read by a model, in a batch."""

    question: Question
    found: Entry
    """Its search."""
    request: Request
    """Of the first answer run."""
    ask: Ask
    cost: float
    """The most that one answer may cost live, in dollars."""


async def answer_in_batches(
    postponed: Sequence[Postponed],
    runs: int,
    desk: Desk,
    answered: Callable[[Postponed, Entry], None],
) -> None:
    """Buy the answers to questions.

    Args:
        postponed: The questions; at least one.
        runs: How often each is answered.
        desk: Where the calls are made.
        answered: Called with the first run's entry of each question.
    """
    by_question = {each.question.id: each for each in postponed}

    def done(entry: Entry) -> None:
        if entry.request.run == 0:
            answered(by_question[entry.request.item], entry)

    ask = postponed[0].ask
    lot = Lot(
        stage=Stage.ANSWER,
        purpose=Stage.ANSWER,
        settings=ask.settings,
        jobs=[
            Job(
                request=replace(each.request, run=run),
                prompt=each.ask.prompt,
                cost=each.cost,
            )
            for each in postponed
            for run in range(runs)
        ],
        read=ask.read,
        done=done,
        about=lambda request: context_size(request, desk.ledger),
    )
    await buy(lot, desk)
