import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from llm_judge.testing import FakeMessagesAPI
from locomo_dataset import Category, load_mini
from locomo_run.ledger.entry import Stage
from locomo_run.ledger.store import Ledger

Call = Callable[..., Result]
Endpoint = Callable[..., FakeMessagesAPI]

PAID = ("--answerer", "claude-opus-4-6", "--judge", "claude-sonnet-4-6")
SMALL = ("--limit", "4", "--judge-runs", "3")
(TRAP, *_) = (
    q.id for q in load_mini().all_questions() if q.category is Category.ADVERSARIAL
)


@pytest.fixture(autouse=True)
def keyless(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def stages(result: Result) -> dict[str, Any]:
    found = json.loads(result.stdout)
    return {stage["name"]: stage for stage in found["stages"]}


def calls(result: Result) -> dict[str, int]:
    return {name: stage["expected"]["calls"] for name, stage in stages(result).items()}


# the command


def test_the_default_run_costs_nothing(call: Call) -> None:
    result = call("estimate")

    assert result.exit_code == 0
    assert "No model is asked." in result.stdout


def test_answers_and_verdicts_are_counted_without_the_adversarial(call: Call) -> None:
    result = call("estimate", *PAID, "--no-adversarial", "--json")

    assert calls(result) == {"answer": 47, "judge graded": 470}
    assert result.stderr == ""


def test_adversarial_answers_are_paid_for_but_not_judged(call: Call) -> None:
    assert calls(call("estimate", *PAID, "--adversarial", "--json")) == {
        "answer": 55,
        "judge graded": 470,
    }


def test_answers_that_are_repeated_are_judged_as_often(call: Call) -> None:
    options = (*PAID, *SMALL, "--no-adversarial", "--answer-runs", "2", "--json")

    assert calls(call("estimate", *options)) == {"answer": 8, "judge graded": 24}


def test_extra_runs_are_in_the_upper_bound_alone(call: Call) -> None:
    options = (*PAID, *SMALL, "--no-adversarial", "--judge-extra", "5", "--json")
    judge = stages(call("estimate", *options))["judge graded"]

    assert judge["expected"]["calls"] == 12
    assert judge["at_most"]["calls"] == 32


def test_every_protocol_is_a_line_of_its_own(call: Call) -> None:
    options = ("--judge-protocol", "graded", "--judge-protocol", "binary")

    assert set(calls(call("estimate", *PAID, *options, "--json"))) == {
        "answer",
        "judge graded",
        "judge binary",
    }


def test_verdicts_on_refusals_are_one_for_each_adversarial_answer(
    call: Call, endpoint: Endpoint
) -> None:
    endpoint()
    options = (
        *(*PAID, "--judge-refusals", "--judge-runs", "1", "--out", "here", "--json"),
        *("--question", "mini-1:0", "--question", TRAP),
    )
    before = calls(call("estimate", *options))
    call("run", *options)
    after = calls(call("estimate", *options))

    assert sorted(before.values()) == [1, 1, 2]
    assert set(after.values()) == {0}
    assert after.keys() == before.keys()


def test_a_longer_context_costs_more(call: Call) -> None:
    def tokens(*options: str) -> int:
        found = stages(call("estimate", *PAID, *SMALL, *options, "--json"))
        return int(found["answer"]["expected"]["input_tokens"])

    none, few, every = (
        tokens("--memory", "none"),
        tokens(),
        tokens("--memory", "full-context"),
    )

    assert none < few < every


def test_prices_of_ones_own_are_used_and_named(call: Call, folder: Path) -> None:
    (folder / "mine.toml").write_text(
        'date = "2031-02-03"\nbatch = 0.5\n[models.claude-opus-4-6]\n'
        "input = 0\noutput = 1e6\ncache_write = 0\ncache_read = 0\n",
        encoding="utf-8",
    )
    result = call("estimate", *PAID, *SMALL, "--prices", "mine.toml", "--json")

    assert json.loads(result.stdout)["prices_date"] == "2031-02-03"
    assert stages(result)["answer"]["expected"]["dollars"] == 4 * 40


def test_an_unknown_price_is_shown_as_unknown(call: Call) -> None:
    result = call("estimate", "--answerer", "some-model", *SMALL)

    assert result.exit_code == 0
    assert "No price is known for some-model." in result.stdout
    assert "n/a" in result.stdout


def test_what_the_worker_compresses_is_billed_elsewhere(call: Call) -> None:
    result = call(
        "estimate", *PAID, "--memory", "claude-mem", "--worker", "127.0.0.1:9", "--json"
    )
    found = json.loads(result.stdout)

    assert found["billed_elsewhere"] == {"sessions": 10}
    assert found["contexts_taken_as_full"] is True


def test_an_import_needs_no_model_of_the_worker(call: Call) -> None:
    result = call(
        "estimate",
        *PAID,
        *("--memory", "claude-mem", "--worker", "127.0.0.1:9", "--via", "import"),
        "--json",
    )

    assert json.loads(result.stdout)["billed_elsewhere"] == {"sessions": 0}


def test_an_unknown_memory_is_an_error(call: Call) -> None:
    assert call("estimate", "--memory", "nosuch").exit_code == 2


# counting


def test_with_a_key_the_endpoint_counts_a_sample(
    call: Call, endpoint: Endpoint
) -> None:
    api = endpoint()
    result = call("estimate", *PAID, "--no-adversarial", "--json")

    found = stages(result)
    assert found["answer"]["counted_prompts"] == 20
    assert found["judge graded"]["counted_prompts"] == 20
    # the fake counts four characters a token, the estimate three and a half
    assert found["answer"]["counted_ratio"] == pytest.approx(3.5 / 4, abs=0.02)
    assert api.counts.by_path == {"POST /v1/messages/count_tokens": 40}
    assert api.counts.bought == 0


def test_the_table_says_that_tokens_were_counted(
    call: Call, endpoint: Endpoint
) -> None:
    endpoint()

    assert (
        "counted by the endpoint on a sample (answer from 4 prompts"
        in call("estimate", *PAID, *SMALL).stdout
    )


def test_an_endpoint_that_does_not_count_is_done_without(
    call: Call, endpoint: Endpoint
) -> None:
    endpoint(only_messages=True)
    result = call("estimate", *PAID, *SMALL)

    assert result.exit_code == 0
    assert "tokens are not counted: " in result.stderr
    assert "Tokens in: estimated at 3.5 characters each." in result.stdout


def test_nothing_is_counted_where_nothing_is_asked(
    call: Call, endpoint: Endpoint
) -> None:
    api = endpoint()
    call("estimate")
    call("estimate", "--answerer", "gateway:model", *SMALL)

    assert api.counts.received == 0


# what is bought already


def test_what_a_run_has_stored_is_left_out(call: Call, endpoint: Endpoint) -> None:
    endpoint()
    options = (*PAID, "--no-adversarial", "--out", "here", "--json")
    call("run", *options, *SMALL)

    same = call("estimate", *options, *SMALL)
    grown = call("estimate", *options, "--limit", "6", "--judge-runs", "10")

    assert calls(same) == {"answer": 0, "judge graded": 0}
    assert calls(grown) == {"answer": 2, "judge graded": 60 - 12}
    assert json.loads(grown.stdout)["bought_already"] == 4 + 12
    assert json.loads(grown.stdout)["run"] == "here"
    assert call("estimate", *options[:-1], *SMALL).stderr == "run: here\n"


def test_the_run_is_found_without_naming_its_folder(
    call: Call, endpoint: Endpoint
) -> None:
    endpoint()
    call("run", *PAID, *SMALL, "--no-adversarial")

    found = call("estimate", *PAID, *SMALL, "--no-adversarial", "--json")

    assert calls(found) == {"answer": 0, "judge graded": 0}


def test_a_run_of_other_settings_is_refused_as_run_refuses_it(
    call: Call, endpoint: Endpoint
) -> None:
    endpoint()
    call("run", *PAID, *SMALL, "--out", "here")

    result = call("estimate", *PAID, "--search-limit", "3", "--out", "here")

    assert result.exit_code == 2
    assert "search.limit" in result.stderr


def test_verdicts_that_differ_are_followed_by_the_extra_runs(
    call: Call, endpoint: Endpoint
) -> None:
    def reply(request: Any) -> str:
        if "<predicted_answer>" not in request.user:
            return "an answer"
        return json.dumps({"score": 50 + request.repeat, "explanation": "so"})

    endpoint(reply)
    options = (*PAID, *SMALL, "--no-adversarial", "--out", "here", "--json")
    call("run", *options)

    judge = stages(call("estimate", *options, "--judge-extra", "2"))["judge graded"]

    assert judge["expected"]["calls"] == judge["at_most"]["calls"] == 4 * 2


# before a run


def test_run_says_what_it_is_about_to_cost(call: Call, endpoint: Endpoint) -> None:
    endpoint()
    options = (*PAID, *SMALL, "--no-adversarial", "--out", "here")

    first, again = call("run", *options), call("run", *options)

    assert first.stderr.startswith("cost: about $0.0")
    assert "for 4 answer calls, 12 judge graded calls\nrun: here\n" in first.stderr
    assert again.stderr.startswith(
        "cost: nothing left to buy (16 calls are stored)\nrun: here\n"
    )


def test_judge_says_what_it_is_about_to_cost(call: Call, endpoint: Endpoint) -> None:
    endpoint()
    call("run", "--limit", "4", "--out", "here")

    result = call("judge", "here", "--judge", "claude-sonnet-4-6", "--judge-runs", "2")

    assert result.stderr.startswith("cost: about $0.0")
    assert "for 8 judge graded calls" in result.stderr


def test_judge_counts_only_the_answers_that_are_there(
    call: Call, endpoint: Endpoint, folder: Path
) -> None:
    endpoint()
    stopped = call(
        *("run", "--answerer", "claude-opus-4-6", "--no-adversarial", "--out", "here"),
        *("--max-cost", "0.03"),
    )
    with Ledger.read(folder / "here") as ledger:
        answered = len(list(ledger.entries(Stage.ANSWER)))

    result = call("judge", "here", "--judge", "claude-sonnet-4-6", "--judge-runs", "1")

    assert (stopped.exit_code, 0 < answered < 47) == (4, True)
    assert f"for {answered} judge graded calls" in result.stderr


def test_what_is_stored_is_seen_also_while_the_worker_is_down(
    call: Call, endpoint: Endpoint
) -> None:
    endpoint()
    call("run", *PAID, *SMALL, "--out", "here")

    result = call(
        *("estimate", *PAID, *SMALL, "--out", "here", "--json"),
        *("--memory", "claude-mem", "--worker", "127.0.0.1:9"),
    )

    assert calls(result) == {"answer": 0, "judge graded": 0}


def test_a_free_run_says_nothing_about_money(call: Call) -> None:
    assert "cost" not in call("run", "--limit", "2").stderr


@pytest.mark.parametrize(("said", "bought"), [("y\n", 4), ("n\n", 0), ("", 0)])
def test_at_a_terminal_the_run_asks_first(
    said: str,
    bought: int,
    call: Call,
    endpoint: Endpoint,
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
) -> None:
    api = endpoint()
    monkeypatch.setattr("locomo_run.cli.cost.somebody_can_answer", lambda: True)

    result = call(
        "run", *PAID, "--judge", "none", "--limit", "4", "--out", "here", typed=said
    )

    assert "Go on? [y/N]: " in result.stderr
    assert api.counts.bought == bought
    assert (folder / "here").exists() is bool(bought)
    assert result.exit_code == (0 if bought else 1)


@pytest.mark.parametrize("how", ["option", "environment", "bought already"])
def test_nobody_is_asked_who_has_said_yes_or_has_nothing_to_pay(
    how: str, call: Call, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint()
    options = (*PAID, *SMALL, "--out", "here")
    if how == "bought already":
        call("run", *options)
    monkeypatch.setattr("locomo_run.cli.cost.somebody_can_answer", lambda: True)

    result = call(
        "run",
        *options,
        *(["--yes"] if how == "option" else []),
        **({"LOCOMO_RUN_YES": "1"} if how == "environment" else {}),
    )

    assert result.exit_code == 0
    assert "Go on?" not in result.stderr


def test_a_cap_without_a_price_is_a_usage_error_that_names_the_model(
    call: Call, endpoint: Endpoint, folder: Path
) -> None:
    api = endpoint()
    result = call(
        "run", "--answerer", "some-model", *SMALL, "--max-cost", "1", "--out", "here"
    )

    assert result.exit_code == 2
    assert "some-model" in result.stderr
    assert "--prices" in result.stderr
    assert api.counts.received == 0
    assert not (folder / "here").exists()
