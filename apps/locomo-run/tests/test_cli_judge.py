"""The judge stage, from the command line to the endpoint and back."""

import json
import re
from collections import Counter
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from llm_judge.testing import FakeMessagesAPI, FakeReply, FakeRequest, Fault, FaultPlan
from locomo_dataset import Category, load_mini
from locomo_run.ledger.entry import Stage, Status
from locomo_run.ledger.store import Ledger
from locomo_run.reporting.results_file import read_results_file

Call = Callable[..., Result]
Endpoint = Callable[..., FakeMessagesAPI]

JUDGE = ("--judge", "claude-sonnet-4-6")
ASKED = ("mini-1:0", "mini-1:1", "mini-1:2")
(TRAP, *_) = (
    q.id for q in load_mini().all_questions() if q.category is Category.ADVERSARIAL
)


def results(directory: Path) -> dict[str, Any]:
    read_results_file(directory / "results.json")  # it keeps to its schema
    text = (directory / "results.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def j(directory: Path, protocol: str = "graded") -> dict[str, Any]:
    """The overall J under a protocol, as the results hold it."""
    return _of(results(directory)["judge"], protocol)["overall_judge"]  # type: ignore[no-any-return]


def verdicts(directory: Path, protocol: str = "graded") -> dict[str, Any]:
    """The verdicts on each question under a protocol."""
    return {
        question["id"]: _of(question["judge"], protocol)
        for question in results(directory)["questions"]
        if question["judge"]
    }


def _of(by_signature: dict[str, Any], protocol: str) -> Any:
    (found,) = (v for k, v in by_signature.items() if f"protocol:{protocol}|" in k)
    return found


def entries(directory: Path, stage: Stage) -> dict[str, Any]:
    with Ledger.read(directory) as ledger:
        return {entry.request.key: entry for entry in ledger.entries(stage)}


def scoring(score: Callable[[FakeRequest], int]) -> Callable[[FakeRequest], str]:
    """Judge by a rule; `repeat` tells which of the runs over one answer it is."""
    return lambda request: json.dumps({"score": score(request), "explanation": "so"})


@pytest.fixture
def answered(call: Call, folder: Path) -> Path:
    """A run with four answers, three of them to answerable questions."""
    asked = [option for name in (*ASKED, TRAP) for option in ("--question", name)]
    call("run", *asked, "--out", "here")
    return folder / "here"


# what is bought


def test_every_run_of_every_answerable_question_is_an_entry_of_its_own(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    api = endpoint()
    result = call("judge", "here", *JUDGE)

    assert result.exit_code == 0
    assert api.counts.bought == 30
    bought = entries(answered, Stage.JUDGE).values()
    assert Counter(entry.request.item for entry in bought) == {
        "mini-1:0": 10,
        "mini-1:1": 10,
        "mini-1:2": 10,
    }
    assert {entry.request.run for entry in bought} == set(range(10))


def test_three_runs_and_then_ten_buy_seven_more(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    api = endpoint(scoring(lambda request: 70 + request.repeat))
    call("judge", "here", *JUDGE, "--judge-runs", "3")
    first = entries(answered, Stage.JUDGE)
    assert api.counts.bought == 9
    assert {v["run_count"] for v in verdicts(answered).values()} == {3}

    call("judge", "here", *JUDGE, "--judge-runs", "10")

    assert api.counts.bought == 30
    grown = entries(answered, Stage.JUDGE)
    assert {key: grown[key] for key in first} == first
    for found in verdicts(answered).values():
        assert sorted(found["individual_scores"]) == [70 + n for n in range(10)]
        assert found["mean_score"] == 74.5
        assert found["std_dev"] == pytest.approx(3.0276503540974917)


def test_fewer_runs_than_there_are_buy_nothing_and_lose_nothing(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    api = endpoint()
    call("judge", "here", *JUDGE, "--judge-runs", "5")
    call("judge", "here", *JUDGE, "--judge-runs", "2")

    assert api.counts.bought == 15
    assert {v["run_count"] for v in verdicts(answered).values()} == {5}


def test_judging_again_costs_nothing_and_needs_no_key(
    call: Call, answered: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint()
    call("judge", "here", *JUDGE)
    before = results(answered)
    monkeypatch.delenv("ANTHROPIC_API_KEY")

    again = call("judge", "here", *JUDGE)

    assert again.exit_code == 0
    assert results(answered) == before


def test_answers_are_never_touched(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    before = entries(answered, Stage.ANSWER)
    endpoint()
    call("judge", "here", *JUDGE, "--judge-protocol", "binary")

    assert entries(answered, Stage.ANSWER) == before


def test_the_call_carries_the_judge_s_own_settings(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    api = endpoint()
    call("judge", "here", *JUDGE, "--judge-runs", "1")

    body = api.bodies[0]
    assert (body["model"], body["temperature"], body["max_tokens"]) == (
        "claude-sonnet-4-6",
        0.5,
        256,
    )


# several judges


def test_protocols_stand_side_by_side_and_leave_each_other_alone(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    endpoint()
    call("judge", "here", *JUDGE)
    graded = j(answered)
    kept = entries(answered, Stage.JUDGE)

    result = call("judge", "here", *JUDGE, "--judge-protocol", "binary")

    assert j(answered) == graded
    assert kept.items() <= entries(answered, Stage.JUDGE).items()
    assert 0 <= j(answered, "binary")["mean_j"] <= 1
    for protocol in ("graded", "binary"):
        assert protocol in result.stdout
    assert len(results(answered)["metadata"]["judge"]) == 2


def test_both_can_be_bought_at_once(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    api = endpoint()
    protocols = ("--judge-protocol", "graded", "--judge-protocol", "binary")
    call("judge", "here", *JUDGE, *protocols, "--judge-runs", "2")

    assert api.counts.bought == 12


def test_another_model_is_another_judge(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    endpoint()
    call("judge", "here", *JUDGE, "--judge-runs", "2")
    call("judge", "here", "--judge", "claude-haiku-4-5", "--judge-runs", "2")

    models = [each["model"] for each in results(answered)["metadata"]["judge"]]
    assert models == ["claude-sonnet-4-6", "claude-haiku-4-5"]


def test_a_protocol_of_ones_own_is_judged_by(
    call: Call, answered: Path, endpoint: Endpoint, folder: Path
) -> None:
    text = (files("llm_judge") / "protocols" / "binary.toml").read_text("utf-8")
    own = text.replace('name = "binary"', 'name = "mine"', 1)
    (folder / "mine.toml").write_text(own, encoding="utf-8")
    endpoint()

    call("judge", "here", *JUDGE, "--judge-protocol", "mine.toml", "--judge-runs", "1")

    assert j(answered, "mine")["count"] == 3


# runs beyond


def test_extra_runs_are_bought_where_the_first_ones_differ_and_do_not_change_j(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    unsure = results(answered)["questions"][1]["question"]

    def score(request: FakeRequest) -> int:
        return 50 + 10 * (request.repeat % 3) if unsure in request.user else 80

    api = endpoint(scoring(score))
    call("judge", "here", *JUDGE, "--judge-runs", "3")
    before, told = j(answered), verdicts(answered)
    assert api.counts.bought == 9

    call("judge", "here", *JUDGE, "--judge-runs", "3", "--judge-extra", "4")

    assert api.counts.bought == 9 + 4
    assert j(answered) == before
    assert verdicts(answered) == told
    assert before["mean_j"] == pytest.approx((80 + 60 + 80) / 3)


def test_more_runs_can_be_bought_only_where_those_of_all_answers_differ(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    unsure = results(answered)["questions"][1]["question"]

    def score(request: FakeRequest) -> int:
        return 50 + 10 * (request.repeat % 3) if unsure in request.user else 80

    api = endpoint(scoring(score))
    call("judge", "here", *JUDGE, "--judge-runs", "3")
    before, told = j(answered), verdicts(answered)

    call("judge", "here", *JUDGE, "--judge-runs", "10", "--only-disagreeing")

    assert api.counts.bought == 9 + 7
    assert j(answered) == before
    assert verdicts(answered) == told

    call("judge", "here", *JUDGE, "--judge-runs", "10", "--only-disagreeing")
    assert api.counts.bought == 9 + 7


def test_where_nobody_has_judged_nothing_can_differ(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    api = endpoint(scoring(lambda _: 80))

    result = call("judge", "here", *JUDGE, "--only-disagreeing")

    assert result.exit_code == 2
    assert "judge once without --only-disagreeing" in result.stderr
    assert api.counts.bought == 0


def test_extra_runs_are_asked_for_in_one_way(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    endpoint(scoring(lambda _: 80))

    result = call("judge", "here", *JUDGE, "--only-disagreeing", "--judge-extra", "2")

    assert result.exit_code == 2
    assert "--judge-extra" in result.stderr


# how far it is


def test_the_status_tells_what_each_judge_said_and_what_it_cost(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    endpoint(scoring(lambda _: 80))
    call("judge", "here", *JUDGE, "--judge-runs", "2")

    found = json.loads(call("status", "here", "--json").stdout)
    text = call("status", "here").stdout

    assert found["judges"] == [
        {
            "protocol": "graded",
            "ok": 6,
            "failed": 0,
            "missing": 0,
            "j": 80.0,
            "j_count": 3,
        }
    ]
    assert (found["complete"], found["model_calls"]) == (True, 6)
    assert found["spent_usd"] > 0
    assert (
        "judge: protocol graded, ok 6, failed 0, missing 0, j 80.000, j_count 3" in text
    )


def test_a_run_is_not_complete_while_verdicts_are_missing(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    endpoint(faults=FaultPlan(script=[Fault.UNAUTHORIZED]))
    result = call("judge", "here", *JUDGE, "--judge-runs", "2", "--in-flight", "1")

    found = json.loads(call("status", "here", "--json").stdout)

    assert result.exit_code == 1
    (told,) = found["judges"]
    assert (told["ok"], told["failed"], told["missing"]) == (0, 1, 5)
    assert found["complete"] is False


# failures


def test_runs_that_fail_are_out_of_the_mean_and_visible(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    """Two of ten runs over one question give no score, however often asked."""
    first = results(answered)["questions"][0]["question"]
    spoilt: Counter[str] = Counter()

    def reply(request: FakeRequest) -> str | FakeReply:
        if first in request.user and spoilt[request.user] < 2:
            spoilt[request.user] += 1
            return FakeReply(stop_reason="refusal")
        return json.dumps({"score": 60, "explanation": "so"})

    endpoint(reply)
    result = call("judge", "here", *JUDGE)

    found = verdicts(answered)["mini-1:0"]
    assert found["run_count"] == 8
    assert found["individual_scores"].count(None) == 2
    assert found["mean_score"] == 60
    assert "2 refused" in result.stdout + (answered / "report.md").read_text("utf-8")
    overall = _of(results(answered)["judge"], "graded")
    assert overall["runs_by_status"] == {"ok": 28, "refused": 2}


def test_a_question_without_a_score_has_no_j_and_the_run_is_not_valid(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    first = results(answered)["questions"][0]["question"]

    def reply(request: FakeRequest) -> str | FakeReply:
        if first in request.user:
            return "no verdict at all"
        return json.dumps({"score": 60, "explanation": "so"})

    api = endpoint(reply)
    result = call("judge", "here", *JUDGE, "--judge-runs", "2")

    assert result.exit_code == 3
    assert "1 of 3 questions have no J under graded" in result.stderr
    assert j(answered)["mean_j"] == 60
    assert j(answered)["count"] == 2
    assert j(answered)["missing"] == 1
    assert api.counts.bought == 2 * 3 + 4  # every bad reply was asked for three times


def test_bad_replies_are_bought_again_only_when_that_is_asked_for(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    replies = ["no verdict"]
    api = endpoint(lambda request: replies[-1])
    call("judge", "here", *JUDGE, "--judge-runs", "1")
    assert api.counts.bought == 9
    replies.append(json.dumps({"score": 60, "explanation": "so"}))

    call("judge", "here", *JUDGE, "--judge-runs", "1")
    assert api.counts.bought == 9

    result = call("judge", "here", *JUDGE, "--judge-runs", "1", "--retry-failed")
    assert api.counts.bought == 12
    assert result.exit_code == 0
    assert j(answered)["count"] == 3


def test_calls_that_were_lost_are_bought_by_the_next_call_of_the_command(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    api = endpoint(faults=FaultPlan(script=[Fault.INVALID]))
    first = call("judge", "here", *JUDGE, "--judge-runs", "1")
    statuses = Counter(
        e.attempt.status for e in entries(answered, Stage.JUDGE).values()
    )
    assert (first.exit_code, statuses[Status.INFRA_ERROR]) == (3, 1)

    second = call("judge", "here", *JUDGE, "--judge-runs", "1")

    assert second.exit_code == 0
    assert api.counts.bought == 3


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault.UNAUTHORIZED, "key"),
        (Fault.NO_CREDIT, "credit"),
        (Fault.UNKNOWN_MODEL, "model"),
        (Fault.FORBIDDEN, "may not use this model"),
    ],
)
def test_what_no_repetition_mends_stops_at_once_and_keeps_what_is_stored(
    fault: Fault, said: str, call: Call, answered: Path, endpoint: Endpoint
) -> None:
    plan = FaultPlan(script=[None, None, fault])
    api = endpoint(faults=plan)
    result = call("judge", "here", *JUDGE, "--in-flight", "1")

    assert result.exit_code == 1
    (message,) = re.findall("^Error: (.*)$", result.stderr, re.MULTILINE)
    assert said in message
    assert "key-of-the-tests" not in result.output
    assert api.counts.received == 3
    good = [e for e in entries(answered, Stage.JUDGE).values() if e.ok]
    assert len(good) == 2

    assert call("judge", "here", *JUDGE).exit_code == 0
    assert api.counts.bought == 30


def test_without_a_key_it_stops_at_once(
    call: Call, answered: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)

    result = call("judge", "here", *JUDGE)

    assert result.exit_code == 1
    assert "ANTHROPIC_API_KEY" in result.stderr
    assert entries(answered, Stage.JUDGE) == {}


# how it is called


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "no judge: name a model with --judge"),
        (("--judge", "none"), "no judge: name a model with --judge"),
        ((*JUDGE, "--judge-protocol", "nosuch"), "no judge protocol 'nosuch'"),
        ((*JUDGE, "--judge-protocol", "nosuch.toml"), "nosuch.toml"),
        ((*JUDGE, "--judge-runs", "0"), "--judge-runs"),
        (("--judge", "gateway:gpt"), "no model endpoint 'gateway'"),
    ],
)
def test_what_cannot_be_done_is_a_usage_error(
    options: tuple[str, ...], said: str, call: Call, answered: Path, endpoint: Endpoint
) -> None:
    api = endpoint()
    result = call("judge", "here", *options)

    assert result.exit_code == 2
    assert said in result.stderr
    assert api.counts.received == 0


def test_a_folder_that_is_no_run_is_said_to_be_none(call: Call) -> None:
    result = call("judge", "nowhere", *JUDGE)

    assert result.exit_code == 1
    assert "nowhere is not a run directory" in result.stderr


def test_json_on_standard_output_is_what_the_results_hold(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    endpoint()
    printed = json.loads(call("judge", "here", *JUDGE, "--json").stdout)

    assert printed.pop("run") == "here"
    assert printed["judge"] == results(answered)["judge"]
    assert printed["spend"]["total"]["calls"] == 30


def test_progress_is_quiet_when_asked(
    call: Call, answered: Path, endpoint: Endpoint
) -> None:
    endpoint()

    assert "[JUDGE" not in call("judge", "here", *JUDGE, "--quiet").stderr


def test_a_judge_in_a_run_judges_what_it_has_just_answered(
    call: Call, folder: Path, endpoint: Endpoint
) -> None:
    api = endpoint()
    call("run", "--limit", "4", *JUDGE, "--judge-runs", "2", "--out", "here")

    assert api.counts.bought == 8
    assert j(folder / "here")["count"] == 4
