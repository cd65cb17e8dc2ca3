import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result
from llm_judge.testing import FakeMessagesAPI
from locomo_run.config import load_recipe, recipe_names, recipe_notes
from locomo_run.errors import UsageError

Call = Callable[..., Result]


def shown(call: Call, *options: str) -> dict[str, Any]:
    found = json.loads(call("config", "show", *options, "--json").stdout)
    return {
        name: value["value"] for name, value in found.items() if isinstance(value, dict)
    }


def test_the_recipes_are_these() -> None:
    assert recipe_names() == ("claude-mem", "mem0-paper", "offline")


@pytest.mark.parametrize("name", ["claude-mem", "mem0-paper", "offline"])
def test_every_recipe_sets_only_what_the_default_one_knows_too(
    name: str, call: Call
) -> None:
    settings = load_recipe(name)

    assert settings.keys() <= shown(call).keys()
    assert settings.keys() >= load_recipe("offline").keys()
    assert call("config", "show", "--recipe", name).exit_code == 0


def test_an_unknown_recipe_is_named_with_those_that_are_there() -> None:
    for load in (load_recipe, recipe_notes):
        with pytest.raises(UsageError, match="no recipe 'x'; there is claude-mem, "):
            load("x")


def test_the_recipe_claude_mem_is_that_of_its_evaluation_plan(call: Call) -> None:
    expected = {
        "dataset": "locomo10",
        "memory": "claude-mem",
        "answerer": "claude-opus-4-6",
        "answer_temperature": 0.0,
        "answer_max_tokens": 256,
        "judge": "claude-sonnet-4-6",
        "judge_protocol": ["graded"],
        "judge_temperature": 0.5,
        "judge_max_tokens": 256,
        "judge_runs": 10,
        "in_flight": 3,
        "adversarial": False,
        "search_limit": 10,
        "context_chars": 12000,
        "poll": 3.0,
        "session_timeout": 180.0,
    }

    found = shown(call, "--recipe", "claude-mem")
    assert {name: found[name] for name in expected} == expected


def test_the_recipe_mem0_paper_judges_as_the_paper_does(call: Call) -> None:
    expected = {
        "judge": "",
        "judge_protocol": ["binary"],
        "judge_temperature": 0.0,
        "judge_runs": 10,
        "adversarial": False,
        "headline": "mem0",
    }

    found = shown(call, "--recipe", "mem0-paper")
    assert {name: found[name] for name in expected} == expected


def test_what_is_paid_for_leaves_adversarial_questions_out_unless_asked(
    call: Call,
) -> None:
    assert shown(call)["adversarial"] is True
    for name in ("claude-mem", "mem0-paper"):
        assert shown(call, "--recipe", name)["adversarial"] is False
        assert shown(call, "--recipe", name, "--adversarial")["adversarial"] is True


def test_config_show_prints_what_a_recipe_says_of_its_comparability(call: Call) -> None:
    text = call("config", "show", "--recipe", "mem0-paper").stdout

    assert text.startswith("# Scored as the table in Mem0's paper")
    assert "#   interval: the error over questions" in text
    assert '\nrecipe = "mem0-paper"\n' in text


@pytest.mark.parametrize("command", ["run", "estimate"])
def test_the_paper_s_recipe_wants_its_judge_named(command: str, call: Call) -> None:
    result = call(command, "--recipe", "mem0-paper", "--dataset", "mini")

    assert result.exit_code == 2
    assert "name it with --judge MODEL" in result.stderr


def test_the_paper_s_recipe_judges_a_run_once_a_judge_is_named(
    call: Call, endpoint: Callable[..., FakeMessagesAPI]
) -> None:
    api = endpoint()
    call("run", "--limit", "2", "--out", "here")

    refused = call("judge", "here", "--recipe", "mem0-paper")
    result = call(
        "judge", "here", "--recipe", "mem0-paper", "--judge", "claude-haiku-4-5"
    )

    assert (refused.exit_code, result.exit_code) == (2, 0)
    assert api.counts.bought == 20
    assert {body["temperature"] for body in api.bodies} == {0.0}
    assert all('"label"' in body["system"] for body in api.bodies)


def test_a_recipe_s_judge_can_be_left_out_for_f1_alone(
    call: Call, endpoint: Callable[..., FakeMessagesAPI]
) -> None:
    api = endpoint()
    result = call(
        *("run", "--recipe", "claude-mem", "--dataset", "mini", "--memory", "embedded"),
        *("--judge", "none", "--limit", "2"),
    )

    assert result.exit_code == 0
    assert {body["model"] for body in api.bodies} == {"claude-opus-4-6"}
    assert api.counts.bought == 2
