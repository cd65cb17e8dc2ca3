import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result
from llm_judge import Prompt
from llm_judge.testing import FakeMessagesAPI

Call = Callable[..., Result]
Endpoint = Callable[..., FakeMessagesAPI]

PAID = ("--answerer", "claude-opus-4-6", "--judge", "claude-sonnet-4-6")


def shown(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.stderr
    return {each["call"]: each for each in json.loads(result.stdout)}


def test_what_is_shown_is_what_is_sent(call: Call, endpoint: Endpoint) -> None:
    """Both before a run, from its options, and after it, from what it stored."""
    api = endpoint()
    options = (*PAID, "--question", "mini-1:3", "--judge-runs", "1")
    before = shown(call("prompt", "show", "mini-1:3", *PAID, "--json"))
    assert api.counts.received == 0

    call("run", *options, "--out", "here")
    after = shown(call("prompt", "show", "mini-1:3", "here", "--json"))

    answer, verdict = api.bodies
    assert api.counts.received == 2
    for sent, found in ((answer, after["answer"]), (verdict, after["judge graded"])):
        assert sent == {
            "model": found["settings"]["model"],
            "max_tokens": found["settings"]["max_tokens"],
            "temperature": found["settings"]["temperature"],
            "system": found["system"],
            "messages": [{"role": "user", "content": found["user"]}],
        }
        assert found["remark"] is None
        assert found["reply_schema"] is None
    assert before["answer"] == after["answer"]
    assert before["judge graded"]["system"] == after["judge graded"]["system"]


def test_the_hash_is_the_one_in_the_ledger(call: Call) -> None:
    found = shown(call("prompt", "show", "mini-1:3", *PAID, "--json"))["answer"]

    assert found["sha256"] == Prompt(found["system"], found["user"]).sha256


def test_an_answer_that_is_not_there_yet_has_a_stand_in_that_says_so(
    call: Call,
) -> None:
    judge = shown(call("prompt", "show", "mini-1:3", *PAID, "--json"))["judge graded"]

    assert "(the answer, once there is one)" in judge["user"]
    assert "stands for an answer that is not there yet" in judge["remark"]


def test_hints_are_shown_only_where_they_are_sent(call: Call) -> None:
    plain = call("prompt", "show", "mini-1:3", *PAID).stdout
    hinted = call("prompt", "show", "mini-1:3", *PAID, "--category-hints").stdout

    assert "One item holds the answer." not in plain
    assert "One item holds the answer." in hinted


def test_where_nothing_is_sent_it_says_why(call: Call) -> None:
    call("run", "--limit", "4", "--out", "here")
    for result in (
        call("prompt", "show", "mini-1:3"),
        call("prompt", "show", "mini-1:3", "here"),
    ):
        assert (
            "(nothing is sent: the extractive answerer works in this process)"
            in result.stdout
        )
        assert "(nothing is sent: no judge is named)" in result.stdout


def test_an_adversarial_question_has_nothing_to_be_judged_by(call: Call) -> None:
    from locomo_dataset import Category, load_mini

    trap = next(
        q for q in load_mini().all_questions() if q.category is Category.ADVERSARIAL
    )

    assert "no reference answer" in call("prompt", "show", trap.id, *PAID).stdout


def test_a_run_s_judges_are_shown_and_those_that_are_named_besides(
    call: Call, endpoint: Endpoint
) -> None:
    endpoint()
    call("run", "--limit", "4", "--judge", "claude-sonnet-4-6", "--out", "here")

    found = shown(
        call(
            *("prompt", "show", "mini-1:3", "here", "--json"),
            *("--judge", "claude-haiku-4-5", "--judge-protocol", "strict"),
        )
    )

    assert found["judge graded"]["settings"]["model"] == "claude-sonnet-4-6"
    assert found["judge strict"]["settings"]["model"] == "claude-haiku-4-5"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("mini-1:300",), "no question 'mini-1:300'"),
        (("mini-1:9", "here"), "here holds no search for mini-1:9 yet"),
        (("mini-1:3", "nowhere"), "nowhere is not a run directory"),
        (("mini-1:3", "--memory", "claude-mem"), "name the run after the question"),
    ],
)
def test_what_cannot_be_shown_says_what_to_do(
    arguments: tuple[str, ...], said: str, call: Call
) -> None:
    call("run", "--limit", "4", "--out", "here")

    result = call("prompt", "show", *arguments)

    assert result.exit_code in (1, 2)
    assert said in result.stderr


def test_a_data_set_that_has_moved_can_be_named(call: Call) -> None:
    call("run", "--limit", "4", "--out", "here")

    result = call("prompt", "show", "mini-1:3", "here", "--dataset", "nowhere.json")

    assert result.exit_code == 2
    assert "nowhere.json" in result.stderr


def test_the_terminal_is_not_steered_and_json_is_exact(
    call: Call, endpoint: Endpoint
) -> None:
    endpoint(lambda request: "red \x1b[31m fox")
    call("run", *PAID, "--question", "mini-1:3", "--judge", "none", "--out", "here")
    judge = ("--judge", "claude-sonnet-4-6")

    text = call("prompt", "show", "mini-1:3", "here", *judge).stdout

    assert "\x1b" not in text
    assert "red \ufffd[31m fox" in text
