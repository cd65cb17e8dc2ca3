import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from llm_judge import JudgeSettings
from llm_judge.testing import FakeMessagesAPI, FakeRequest
from locomo_dataset import Category, load_mini
from locomo_run.judging.refusals import (
    DECLINED,
    TRAPPED,
    note_judge,
    question_to,
    refusal_judge,
    refusals,
)
from locomo_run.ledger.entry import Attempt, Status
from locomo_run.ledger.store import Ledger
from locomo_run.outcome import Outcome, State

Call = Callable[..., Result]
Start = Callable[..., FakeMessagesAPI]

JUDGE = refusal_judge(JudgeSettings(model="judge-a"))
TRAPS = [q for q in load_mini().all_questions() if q.category is Category.ADVERSARIAL]
REFUSING = ("--judge", "claude-haiku-4-5", "--judge-runs", "1", "--judge-refusals")


def answer(number: int, said: str | None) -> Outcome:
    state = State.FAILED if said is None else State.ANSWERED
    return Outcome(question=TRAPS[number], state=state, prediction=said)


def test_the_judge_sees_the_question_the_trap_and_the_answer() -> None:
    found = question_to(JUDGE, answer(0, "No idea."))
    assert found is not None
    prompt = found[1]
    trap = TRAPS[0].adversarial_answer
    assert f"<trap>\n{trap}\n</trap>" in prompt.user
    assert "<predicted_answer>\nNo idea.\n</predicted_answer>" in prompt.user
    assert TRAPS[0].text in prompt.user


def test_only_answers_to_adversarial_questions_are_judged() -> None:
    answerable = load_mini().questions()[0]
    said = Outcome(question=answerable, state=State.ANSWERED, prediction="x")
    assert question_to(JUDGE, said) is None
    assert question_to(JUDGE, answer(0, None)) is None


def test_labels_are_counted_and_what_has_none_is_apart(tmp_path: Path) -> None:
    outcomes = [
        answer(0, "a"),
        answer(1, "b"),
        answer(2, "c"),
        answer(3, None),
        Outcome(question=load_mini().questions()[0], state=State.MISSING),
    ]
    with Ledger.write(tmp_path) as ledger:
        assert refusals(outcomes, ledger) == ()
        note_judge(ledger, JUDGE)
        for outcome, label in zip(
            outcomes, ("DECLINED", "TRAPPED", None), strict=False
        ):
            found = question_to(JUDGE, outcome)
            assert found is not None
            status = Status.OK if label else Status.UNPARSED
            ledger.append(found[0], Attempt(status=status, reply={"label": label}))
        (read,) = refusals(outcomes, ledger)
    assert read.count() == Counter({"DECLINED": 1, "TRAPPED": 1, None: 1})
    assert (read.share(DECLINED), read.share(TRAPPED)) == (0.5, 0.5)
    assert read.labels(TRAPS[2].id) == (None,)
    assert read.labels(TRAPS[3].id) == ()


def test_without_a_label_there_is_no_share(tmp_path: Path) -> None:
    with Ledger.write(tmp_path) as ledger:
        note_judge(ledger, JUDGE)
        (read,) = refusals([answer(0, "a")], ledger)
    assert read.share(DECLINED) is None


def reply(request: FakeRequest) -> str:
    """Grade every answer with 70; call an answer declined if it says unanswerable."""
    if "<trap>" not in request.user:
        return '{"score": 70, "explanation": ""}'
    said = request.user.partition("<predicted_answer>")[2]
    label = "DECLINED" if "unanswerable" in said else "TRAPPED"
    return json.dumps({"explanation": "", "label": label})


def adversarial(call: Call, run: str) -> Any:
    return json.loads(call("report", run, "--json").stdout)["adversarial"]


@pytest.mark.parametrize("batch", [(), ("--batch", "--batch-poll", "0.01")])
def test_a_run_judges_refusals_once_each_and_sets_them_beside_the_phrase_rule(
    call: Call, endpoint: Start, batch: tuple[str, ...]
) -> None:
    api = endpoint(reply=reply)
    done = call("run", "--out", "here", "--quiet", "--yes", *REFUSING, *batch)
    assert done.exit_code == 0, done.output
    assert "8 judge refusal calls" in done.stderr
    assert api.counts.bought == 47 + 8
    found = adversarial(call, "here")
    (judged,) = found["judged"]
    assert judged["mean"] == found["mean"]  # this answerer only says unanswerable
    assert judged["count"] == judged["declined"] + judged["trapped"] == 8
    assert "by the judge claude-haiku-4-5" in done.stdout
    report = call("report", "here").stdout
    assert f"The judge found {judged['declined']} declined" in report

    call("judge", "here", "--quiet", "--yes", *REFUSING)
    assert api.counts.bought == 47 + 8


def test_refusals_can_be_judged_later(call: Call, endpoint: Start) -> None:
    api = endpoint(reply=reply)
    call("run", "--out", "here", "--quiet", "--category", "5")
    assert adversarial(call, "here")["judged"] == []
    done = call("judge", "here", "--quiet", "--yes", *REFUSING)
    assert done.exit_code == 0, done.output
    assert api.counts.bought == 8
    results = json.loads(call("report", "here", "--json").stdout)
    labels = [list(q["refusal"].values()) for q in results["questions"]]
    assert len(labels) == 8
    assert {label for ((label,),) in labels} <= {"DECLINED", "TRAPPED"}


def test_a_run_without_adversarial_questions_has_no_refusals(
    call: Call, endpoint: Start
) -> None:
    endpoint(reply=reply)
    call(
        "run", "--out", "here", "--quiet", "--category", "4", "--limit", "1", *REFUSING
    )
    assert adversarial(call, "here")["judged"] == []


def test_the_cost_of_refusals_that_are_not_answered_yet_is_foreseen(
    call: Call, endpoint: Start
) -> None:
    endpoint(reply=lambda r: "unanswerable" if "label" not in r.system else reply(r))
    model = ("--answerer", "claude-haiku-4-5")
    options = ("run", "--out", "here", "--quiet", "--yes", "--category", "5")
    said = call(*options, "--limit", "2", *model, *REFUSING)
    assert "2 answer calls, 2 judge refusal calls" in said.stderr.replace(
        "0 judge graded calls, ", ""
    )


def test_refusals_need_a_judge(call: Call, folder: Path) -> None:
    refused = call("run", "--out", "here", "--judge-refusals")
    assert refused.exit_code == 2
    assert "--judge-refusals needs a judge" in refused.output
    assert not list(folder.iterdir())
