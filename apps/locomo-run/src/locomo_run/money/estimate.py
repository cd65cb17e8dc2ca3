"""What calls to models are going to cost: plans in, figures out, nothing asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from llm_judge import JudgeSettings, Prompt

from locomo_run.ledger.entry import Stage, Usage
from locomo_run.money.prices import Prices
from locomo_run.money.tokens import at_most, estimated

EXPECTED_OUTPUT: Mapping[Stage, int] = {
    Stage.ANSWER: 40,
    Stage.JUDGE: 80,
    Stage.PROBE: 80,
}
"""Tokens of a usual reply: a few words; a score with two sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One prompt, and how often it is going to be sent."""

    prompt: Prompt
    times: int = 1
    times_at_most: int = 1
    """Larger where later replies decide whether more are needed."""
    unknown_input: int = 0
    """Tokens by which the prompt may turn out longer than it is drawn here."""
    drawn: bool = False
    """Whether it stands for one of about the same length that is not known yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The calls of one stage to one model."""

    stage: Stage
    name: str
    settings: JudgeSettings
    planned: tuple[Planned, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What an endpoint counted on some prompts of a job."""

    prompts: int
    tokens: int
    """By the endpoint."""
    estimated: int
    """Of the same prompts, by `tokens.estimated`."""

    @property
    def ratio(self) -> float:
        """Tokens for each estimated one."""
        return self.tokens / self.estimated


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """Calls, tokens and dollars."""

    calls: int
    input: int
    output: int
    dollars: float | None
    """None if the model has no price."""
    batched: float | None
    """Dollars for the same in message batches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The estimate of one job."""

    stage: Stage
    name: str
    model: str
    expected: Amount
    most: Amount
    counted: Counted | None = None
    """None if the input was estimated from its length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What is still to be bought."""

    lines: tuple[Line, ...]
    prices_date: str
    bought: int = 0
    """Calls that the run has stored already and that are not made again."""
    sessions: int = 0
    """Sessions for which the memory asks a model of its own, billed elsewhere."""
    drawn: bool = False
    """Whether contexts are not known yet and taken as full."""

    @property
    def expected(self) -> Amount:
        """Everything, if replies are as long as usual."""
        return total([line.expected for line in self.lines])

    @property
    def most(self) -> Amount:
        """Everything, if every reply is as long as it may be."""
        return total([line.most for line in self.lines])

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The models that have calls to be made and no price."""
        return tuple(
            dict.fromkeys(
                line.model
                for line in self.lines
                if line.most.calls and line.most.dollars is None
            )
        )


def estimate(
    jobs: Sequence[Job],
    prices: Prices,
    counted: Mapping[str, Counted] | None = None,
) -> tuple[Line, ...]:
    """Price the calls of some jobs.

    Args:
        jobs: What is to be sent.
        prices: What tokens cost.
        counted: By job name, what the endpoint counted on a sample; the whole is scaled
            by that.

    >>> from locomo_run.money.prices import load_prices
    >>> job = Job(
    ...     stage=Stage.ANSWER,
    ...     name="answers",
    ...     settings=JudgeSettings(model="claude-opus-4-6", max_tokens=256),
    ...     planned=(Planned(prompt=Prompt("", "x" * 3500), times=10),),
    ... )
    >>> line = estimate([job], load_prices())[0]
    >>> line.expected.input, line.expected.output, line.expected.dollars
    (10000, 400, 0.06)
    """
    return tuple(_line(job, prices, (counted or {}).get(job.name)) for job in jobs)


def total(amounts: Sequence[Amount]) -> Amount:
    """Add amounts; a price that is not known makes the sum unknown."""
    return Amount(
        calls=sum(a.calls for a in amounts),
        input=sum(a.input for a in amounts),
        output=sum(a.output for a in amounts),
        dollars=_sum([a.dollars for a in amounts if a.calls]),
        batched=_sum([a.batched for a in amounts if a.calls]),
    )


def size(prompt: Prompt) -> int:
    """Estimate the input tokens of a prompt."""
    return estimated(prompt.system) + estimated(prompt.user)


def sample(job: Job, most: int) -> tuple[Prompt, ...]:
    """Choose prompts to be counted: evenly spread over the lengths that there are."""
    known = sorted((p.prompt for p in job.planned if p.times), key=size)
    if len(known) <= most:
        return tuple(known)
    step = len(known) / most
    return tuple(known[int((index + 0.5) * step)] for index in range(most))


def _line(job: Job, prices: Prices, counted: Counted | None) -> Line:
    calls = sum(p.times for p in job.planned)
    calls_at_most = sum(p.times_at_most for p in job.planned)
    read = sum(p.times * size(p.prompt) for p in job.planned)
    longest = sum(
        p.times_at_most
        * (at_most(p.prompt.system) + at_most(p.prompt.user) + p.unknown_input)
        for p in job.planned
    )
    usual = min(EXPECTED_OUTPUT[job.stage], job.settings.max_tokens)
    return Line(
        stage=job.stage,
        name=job.name,
        model=job.settings.model,
        expected=_amount(
            job.settings.model,
            calls,
            round(read * counted.ratio) if counted else read,
            calls * usual,
            prices,
        ),
        most=_amount(
            job.settings.model,
            calls_at_most,
            longest,
            calls_at_most * job.settings.max_tokens,
            prices,
        ),
        counted=counted,
    )


def _amount(model: str, calls: int, read: int, written: int, prices: Prices) -> Amount:
    live, batched = (
        prices.cost(model, Usage(input=read, output=written, batch=batch))
        for batch in (False, True)
    )
    return Amount(
        calls=calls, input=read, output=written, dollars=live, batched=batched
    )


def _sum(dollars: Sequence[float | None]) -> float | None:
    known = [value for value in dollars if value is not None]
    return sum(known) if len(known) == len(dollars) else None
