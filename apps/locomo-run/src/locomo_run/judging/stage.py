"""The judge stage: every run of every question is an entry of its own.

It reads the stored answers and never touches them. Another protocol, another judge or
more runs only add entries.
"""

from __future__ import annotations

from collections.abc import Sequence

from llm_judge import Completion, JudgeResult, Prompt, parse_reply

from locomo_run.batches.buying import buy
from locomo_run.batches.jobs import Job, Lot
from locomo_run.calls.desk import Desk
from locomo_run.calls.lane import each
from locomo_run.calls.models import ask, cost_at_most, usage_of
from locomo_run.judging.judge import Judge, differ, judgeable, score_of
from locomo_run.ledger.entry import Attempt, Entry, Request, Stage, Status
from locomo_run.outcome import Outcome
from locomo_run.progress import Judged, JudgingStarted

Asked = tuple[Request, Prompt]


async def judge_answers(judge: Judge, outcomes: Sequence[Outcome], desk: Desk) -> None:
    """Buy what is missing of a judge's runs over the stored answers.

    Args:
        judge: Who judges.
        outcomes: What to judge; questions without a gold or an answer are left out.
        desk: Where the calls are made.
    """
    judged = [answer for o in outcomes for answer in o.runs if judgeable(answer)]
    desk.observe(
        JudgingStarted(
            protocol=judge.protocol.name, runs=judge.runs, questions=len(judged)
        )
    )

    await buy_verdicts(judge, _runs(judge, judged, range(judge.runs)), desk)
    if judge.extra and desk.stop.reason is None:
        split = [o for o in judged if differ(judge, o, desk.ledger)]
        extra = range(judge.runs, judge.runs + judge.extra)
        await buy_verdicts(judge, _runs(judge, split, extra), desk)


def _runs(judge: Judge, judged: Sequence[Outcome], runs: range) -> list[Asked]:
    asked = []
    for outcome in judged:
        prompt = judge.prompt(outcome)
        asked += [(judge.request(outcome, run, prompt), prompt) for run in runs]
    return asked


async def buy_verdicts(
    judge: Judge, asked: Sequence[Asked], desk: Desk, *, stage: Stage = Stage.JUDGE
) -> None:
    """Buy what is missing of a judge's verdicts, live or in batches.

    Args:
        judge: Who judges.
        asked: The requests, each with what is sent.
        desk: Where the calls are made.
        stage: The stage of all these requests.
    """

    def read(
        completion: Completion, latency_ms: float | None, *, batch: bool = False
    ) -> Attempt:
        result = parse_reply(completion, judge.protocol)
        return attempt_of(result, latency_ms, judge.settings.model, batch=batch)

    def tell(entry: Entry) -> None:
        request = entry.request
        desk.observe(
            Judged(question_id=request.item, run=request.run, score=score_of(entry))
        )

    jobs = [
        Job(
            request=request,
            prompt=prompt,
            cost=cost_at_most(prompt, judge.settings, desk.purse.prices),
        )
        for request, prompt in asked
    ]

    async def work(job: Job) -> None:
        async def call() -> Attempt:
            model = desk.model(judge.settings.model)
            return read(*await ask(model, job.prompt, judge.settings))

        tell(await desk.models.obtain(job.request, call, job.cost))

    if desk.options.batch:
        purpose = (
            judge.signature if stage is Stage.JUDGE else f"{stage}|{judge.signature}"
        )
        lot = Lot(
            stage=stage,
            purpose=purpose,
            settings=judge.settings,
            jobs=jobs,
            read=read,
            done=tell,
        )
        await buy(lot, desk)
    else:
        await each(jobs, work, desk.models.limits.in_flight)
    desk.ledger.commit()


def attempt_of(
    result: JudgeResult, latency: float | None, model: str, *, batch: bool = False
) -> Attempt:
    """Return a judged reply as the ledger keeps it."""
    completion = result.completion
    return Attempt(
        status=Status(result.status.value),
        reason=result.reason or "",
        reply={
            "score": result.score,
            "label": result.label,
            "explanation": result.explanation,
            "text": completion.text if completion else None,
            "stop_reason": completion.stop_reason if completion else None,
            "model": completion.model if completion else None,
            "withheld": list(completion.withheld) if completion else [],
        },
        latency_ms=latency,
        model=model,
        usage=usage_of(completion, batch=batch) if completion else None,
    )
