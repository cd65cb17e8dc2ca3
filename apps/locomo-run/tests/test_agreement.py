import json
import math
from collections.abc import Callable, Sequence

import pytest
from click.testing import Result
from eval_report import Record
from llm_judge import GRADED
from llm_judge.testing import FakeMessagesAPI, FakeRequest
from locomo_dataset import Category
from locomo_run.judging.agreement import (
    agreement,
    agreement_spec,
    agreement_tables,
    noise_variance,
)
from locomo_run.reporting.results import Results

Call = Callable[..., Result]
Made = Callable[..., Results]
Verdicts = Sequence[float | None]

SINGLE = Category.SINGLE_HOP


def rows(
    *verdicts: tuple[str, Verdicts],
) -> list[tuple[str, Category, str, str, Verdicts]]:
    return [(name, SINGLE, "gold", "said", scores) for name, scores in verdicts]


# means 1, 0.5, 0 and 1; variances within 0, 0.5 and 0, so 1/6 in the mean
FOUR = rows(("a", (1, 1)), ("a", (1, 0)), ("b", (0, 0)), ("b", (1, None)))

NOISE = (1 / 2 + 1 / 2 + 1 / 2 + 1) / 6 / 16


def test_the_noise_of_the_mean_counts_the_good_runs_of_each_question(
    judged_run: Made,
) -> None:
    found = agreement(judged_run(FOUR).judged[0])
    assert found.noise_variance == pytest.approx(NOISE)


def test_more_runs_take_away_the_judges_part_of_the_error_only(
    judged_run: Made,
) -> None:
    found = agreement(judged_run(FOUR).judged[0])
    iid = 0.6875 / 3 / 4  # the variance of the means, over four questions
    errors = [found.std_error(k, clustered=False) for k in (1, 2, math.inf)]
    assert errors == pytest.approx(
        [math.sqrt(iid), math.sqrt(iid - NOISE / 2), math.sqrt(iid - NOISE)]
    )
    # by conversation: residuals 0.25 and -0.25, so 2 * 0.125 / 16
    assert found.std_error(1) == pytest.approx(0.125)
    assert found.std_error(2) == pytest.approx(math.sqrt(0.015625 - NOISE / 2))


def test_noise_that_comes_out_above_the_whole_leaves_nothing(judged_run: Made) -> None:
    found = agreement(judged_run(FOUR).judged[0])
    assert NOISE > 0.015625
    assert found.std_error(math.inf) == 0


def test_one_run_says_nothing_about_noise(judged_run: Made) -> None:
    found = agreement(judged_run(rows(("a", (1,)), ("b", (0,)))).judged[0])
    assert found.noise_variance is None
    assert found.std_error(2) is None
    assert noise_variance([], None) is None


def test_one_conversation_has_no_clustered_error(judged_run: Made) -> None:
    found = agreement(judged_run(rows(("a", (1, 0)), ("a", (0, 0)))).judged[0])
    assert found.std_error(1) is None
    assert found.std_error(1, clustered=False) is not None


def test_a_question_without_a_good_run_does_not_count() -> None:
    records = [
        Record.from_runs(item=item, category=1, cluster="c", metric="j", runs=runs)
        for item, runs in (("x", (1, 0)), ("y", (None, None)))
    ]
    assert noise_variance(records, 0.5) == 0.25


def test_the_tables_are_in_points_of_a_hundred(judged_run: Made) -> None:
    spread, more = agreement_tables(judged_run(FOUR))
    assert spread.rows == (
        # over the three questions in both runs: 2/3 and 1/3
        ("binary", "3", "1666.67", "1666.67", "40.82", "23.57", "2", "3"),
    )
    assert more.rows == (
        ("binary", "by 2 conversations", "4", "12.50", "5.10", "0.00"),
        ("binary", "as if questions were independent", "4", "23.94", "21.04", "17.68"),
    )


def test_a_graded_scale_is_in_points_already(judged_run: Made) -> None:
    graded = [(n, c, g, p, [None if v is None else v * 100 for v in vs])
              for n, c, g, p, vs in FOUR]  # fmt: skip
    spread, _ = agreement_tables(judged_run(graded, protocol=GRADED))
    assert spread.rows[0][1:6] == ("3", "1666.67", "1666.67", "40.82", "23.57")
    assert agreement_spec(judged_run(graded, protocol=GRADED).judged[0])[
        "run_std_dev"
    ] == pytest.approx(23.5702, abs=1e-4)


def test_what_is_not_known_is_said_so(judged_run: Made) -> None:
    spread, more = agreement_tables(judged_run(rows(("a", (1,)))))
    assert spread.rows == (("binary", "0", "n/a", "n/a", "n/a", "n/a", "1", "1"),)
    assert {row[3:] for row in more.rows} == {("n/a", "n/a", "n/a")}


def test_without_a_judge_there_is_no_table(judged_run: Made) -> None:
    assert agreement_tables(judged_run(rows(("a", ())))) == ()


def test_the_command_prints_tables_or_values(
    call: Call, endpoint: Callable[..., FakeMessagesAPI]
) -> None:
    def reply(request: FakeRequest) -> str:
        return json.dumps({"score": 50 + 10 * request.repeat, "explanation": ""})

    endpoint(reply=reply)
    judge = ("--judge", "claude-haiku-4-5", "--judge-runs", "2")
    call("run", "--limit", "2", "--out", "here", "--quiet", *judge)
    said = call("agreement", "here")
    assert said.exit_code == 0
    assert "Standard error of J, and what more runs would buy" in said.stdout
    (spec,) = json.loads(call("agreement", "here", "--json").stdout).values()
    assert spec["flip_rate"] == 1
    assert spec["within_variance"] == 50
    assert spec["std_error"]["clustered"]["now"] is None
    assert set(spec["std_error"]["independent"]) == {
        "now",
        "twice_the_runs",
        "infinitely_many_runs",
    }
    results = json.loads(call("report", "here", "--json").stdout)
    (judged,) = results["judge"].values()
    assert judged["reliability"] == spec
    report = call("report", "here").stdout
    assert "## How far to trust the judge" in report


def test_a_run_that_was_not_judged_is_told_how(call: Call) -> None:
    call("run", "--limit", "1", "--out", "here", "--quiet")
    said = call("agreement", "here")
    assert said.exit_code == 1
    assert "`locomo-run judge here --judge MODEL`" in said.output
