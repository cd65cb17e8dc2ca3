"""Verdicts through an endpoint that fails, beside those through one that does not."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from llm_judge import GRADED, Completion, JudgeSettings, parse_reply
from llm_judge.testing import FakeMessagesAPI, Fault, FaultPlan
from locomo_dataset import Category, Question
from locomo_run.calls.desk import open_desk
from locomo_run.config import CallOptions
from locomo_run.judging.judge import (
    Judge,
    differ,
    entries_of,
    judgeable,
    merged,
    score_of,
)
from locomo_run.judging.stage import attempt_of, judge_answers
from locomo_run.ledger.entry import Attempt, Request, Stage, Status, Usage
from locomo_run.ledger.store import Ledger
from locomo_run.money.prices import load_prices
from locomo_run.money.spend import spend, total
from locomo_run.outcome import Outcome, State
from locomo_run.progress import Event, Judged, JudgingStarted

Endpoint = Callable[..., FakeMessagesAPI]

JUDGE = Judge(protocol=GRADED, settings=JudgeSettings(), runs=1)

FAILING = {
    Fault.RATE_LIMITED: 0.04,
    Fault.RATE_LIMITED_BARE: 0.02,
    Fault.OVERLOADED: 0.03,
    Fault.SERVER_ERROR: 0.04,
    Fault.DROPPED: 0.04,
    Fault.CUT_SHORT: 0.03,
    Fault.HANG: 0.01,
    Fault.TRUNCATED: 0.03,
    Fault.HTML: 0.03,
    Fault.WRONG_JSON: 0.03,
}
"""Every failure from which a run recovers: three of ten attempts."""


def answer(number: int, said: str | None = "the room was shut") -> Outcome:
    return Outcome(
        question=Question(
            id=f"tiny:{number}",
            sample_id="tiny",
            index=number,
            text=f"What was wrong with room {number}?",
            category=Category.SINGLE_HOP,
            gold=f"room {number} was closed" if number % 2 else "it was shut",
        ),
        state=State.MISSING if said is None else State.ANSWERED,
        prediction=said,
    )


def buy(
    directory: Path, judge: Judge, answers: list[Outcome], calls: CallOptions
) -> list[Event]:
    events: list[Event] = []

    async def main() -> None:
        with Ledger.write(directory) as ledger:
            async with open_desk(ledger, calls, events.append) as desk:
                await judge_answers(judge, answers, desk)

    asyncio.run(main())
    return events


def scores(directory: Path) -> dict[tuple[str, int], float | None]:
    with Ledger.read(directory) as ledger:
        return {
            (entry.request.item, entry.request.run): score_of(entry)
            for entry in ledger.entries(Stage.JUDGE)
        }


def test_with_three_of_ten_attempts_failing_every_score_is_the_same(
    tmp_path: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("locomo_run.calls.pace.FIRST_PAUSE", 0.01)
    answers = [answer(number) for number in range(150)]
    calls = CallOptions(in_flight=16, call_timeout=0.5)
    endpoint()
    buy(tmp_path / "well", JUDGE, answers, replace(calls, call_timeout=60.0))

    api = endpoint(faults=FaultPlan(rates=FAILING, per_body=2, seed=4))
    buy(tmp_path / "failing", JUDGE, answers, calls)

    assert len(api.counts.by_fault) == len(FAILING)
    assert sum(api.counts.by_fault.values()) > 0.2 * api.counts.received
    assert scores(tmp_path / "failing") == scores(tmp_path / "well")
    with Ledger.read(tmp_path / "failing") as ledger:
        spent = total(spend(ledger.bills(), load_prices()))
        assert spent.wasted == api.counts.by_fault[Fault.TRUNCATED]
        assert spent.wasted_dollars
        assert ledger.lost() > 0


def test_each_verdict_is_told_once_bought_or_stored(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint()
    judge, answers = replace(JUDGE, runs=2), [answer(0), answer(1)]
    first = buy(tmp_path, judge, answers, CallOptions())
    again = buy(tmp_path, judge, answers, CallOptions())

    for events in (first, again):
        told = [event for event in events if isinstance(event, Judged)]
        assert events[0] == JudgingStarted(protocol="graded", runs=2, questions=2)
        assert {(e.question_id, e.run) for e in told} == {
            (name, run) for name in ("tiny:0", "tiny:1") for run in (0, 1)
        }
        assert all(event.score is not None for event in told)


def test_only_answers_with_a_gold_are_judged(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    trap = replace(answer(2).question, category=Category.ADVERSARIAL)
    bare = replace(answer(3).question, gold=None)
    left_out = [
        answer(1, None),
        replace(answer(2), question=trap),
        replace(answer(3), question=bare),
    ]
    assert [judgeable(outcome) for outcome in left_out] == [False] * 3
    assert judgeable(answer(0, ""))

    endpoint()
    buy(tmp_path, JUDGE, [answer(0, ""), *left_out], CallOptions())

    assert list(scores(tmp_path)) == [("tiny:0", 0)]


def test_every_answer_run_of_a_question_is_judged_by_itself(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    """Also where two runs gave the same answer: each verdict counts once."""
    api = endpoint()
    question = replace(answer(0), repeats=(replace(answer(0), run=1),))

    buy(tmp_path, replace(JUDGE, runs=3), [question], CallOptions(in_flight=8))

    assert api.counts.bought == 6
    with Ledger.read(tmp_path) as ledger:
        assert len(list(ledger.entries(Stage.JUDGE))) == 6


# the values behind it


def test_a_judge_is_read_back_as_it_was_stored() -> None:
    judge = replace(JUDGE, runs=7, extra=2)

    assert Judge.from_spec(judge.spec()) == judge


def test_a_judge_s_signature_leaves_out_only_how_often_it_is_asked() -> None:
    often = replace(JUDGE, runs=9, extra=3)
    warmer = replace(JUDGE, settings=JudgeSettings(temperature=1.0))

    assert often.signature == JUDGE.signature != warmer.signature


def test_judges_are_merged_to_the_most_runs_asked_of_each() -> None:
    other = replace(JUDGE, settings=JudgeSettings(model="claude-haiku-4-5"))
    few, many = replace(JUDGE, runs=3, extra=5), replace(JUDGE, runs=10)

    assert merged([few], [other, many]) == (replace(JUDGE, runs=10, extra=5), other)
    assert merged([many], [few]) == (replace(JUDGE, runs=10, extra=5),)


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({}, True),
        ({"run": 1}, False),
        ({"prediction": "another"}, False),
    ],
)
def test_the_key_of_a_verdict_holds_answer_and_prompt(
    change: dict[str, object], same: bool
) -> None:
    def request(outcome: Outcome) -> Request:
        return JUDGE.request(outcome, 0, JUDGE.prompt(outcome))

    changed = replace(answer(0), **change)  # type: ignore[arg-type]  # some fields

    assert (request(changed).key == request(answer(0)).key) is same


def test_runs_differ_only_by_scores_that_are_there(tmp_path: Path) -> None:
    judge, outcome = replace(JUDGE, runs=3), answer(0)
    prompt = judge.prompt(outcome)

    def attempt(score: int | None) -> Attempt:
        if score is None:
            return Attempt(status=Status.REFUSED)
        return Attempt(status=Status.OK, reply={"score": score})

    with Ledger.write(tmp_path) as ledger:
        assert not differ(judge, outcome, ledger)
        for run, score in enumerate((60, None)):
            ledger.append(judge.request(outcome, run, prompt), attempt(score))
        assert not differ(judge, outcome, ledger)
        ledger.append(judge.request(outcome, 2, prompt), attempt(61))
        assert differ(judge, outcome, ledger)
        assert [score_of(e) for e in entries_of(judge, outcome, ledger, range(4))] == [
            60,
            None,
            61,
            None,
        ]


def test_a_verdict_is_kept_with_everything_that_came_with_it() -> None:
    completion = Completion(
        text='{"score": 80, "explanation": "fine"}',
        stop_reason="end_turn",
        model="claude-sonnet-4-6-20260101",
        withheld=("temperature",),
    )

    attempt = attempt_of(parse_reply(completion, GRADED), 12.5, "claude-sonnet-4-6")

    assert attempt == Attempt(
        status=Status.OK,
        reply={
            "score": 80,
            "label": None,
            "explanation": "fine",
            "text": completion.text,
            "stop_reason": "end_turn",
            "model": "claude-sonnet-4-6-20260101",
            "withheld": ["temperature"],
        },
        latency_ms=12.5,
        model="claude-sonnet-4-6",
        usage=Usage(),
    )
