import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_judge import JudgeAggregation, JudgeResult, JudgeStatus, aggregate_runs

TEN = (70, 72, 68, 71, 73, 69, 70, 72, 71, 70)


def ok(score: float) -> JudgeResult:
    return JudgeResult(status=JudgeStatus.OK, signature="p", score=score)


def failed(
    status: JudgeStatus = JudgeStatus.UNPARSED, reason: str = "the reply is empty"
) -> JudgeResult:
    return JudgeResult(status=status, signature="p", reason=reason)


def test_ten_good_runs_give_mean_and_sample_standard_deviation() -> None:
    aggregation = aggregate_runs(map(ok, TEN))

    assert aggregation == JudgeAggregation(
        mean_score=70.6,
        std_dev=math.sqrt(20.4 / 9),  # about 1.5
        run_count=10,
        failed_count=0,
        individual_scores=TEN,
        warnings=(),
        signature="p",
        results=tuple(map(ok, TEN)),
    )


def test_failed_runs_are_left_out_and_counted_in_a_warning() -> None:
    runs = [*map(ok, TEN[:4]), failed(), *map(ok, TEN[4:8]), failed()]
    aggregation = aggregate_runs(runs)

    assert aggregation.individual_scores == TEN[:8]
    assert aggregation.mean_score == pytest.approx(70.625)
    assert aggregation.run_count == 8
    assert aggregation.failed_count == 2
    assert aggregation.results == tuple(runs)
    assert aggregation.warnings == (
        "2 of 10 judge runs failed (2 unparsed); the mean is over the others",
    )


def test_five_good_runs_still_get_the_weak_warning_only() -> None:
    aggregation = aggregate_runs([*map(ok, TEN[:5]), *[failed()] * 5])

    assert len(aggregation.warnings) == 1


def test_fewer_than_five_good_runs_warn_of_a_systematic_failure() -> None:
    cut = failed(JudgeStatus.TRUNCATED, "the reply was cut")
    aggregation = aggregate_runs([*map(ok, TEN[:4]), *[cut] * 5, failed()])

    assert aggregation.run_count == 4
    count, severe = aggregation.warnings
    assert count.startswith("6 of 10 judge runs failed (5 truncated, 1 unparsed);")
    assert severe == (
        "systematic failure likely: only 4 of 10 judge runs gave a score; "
        "most common reason: the reply was cut"
    )


def test_no_good_run_gives_no_mean_rather_than_zero() -> None:
    aggregation = aggregate_runs([failed()] * 3)

    assert aggregation.mean_score is None
    assert aggregation.std_dev is None
    assert aggregation.run_count == 0
    assert aggregation.failed_count == 3
    assert "only 0 of 3 judge runs gave a score" in aggregation.warnings[1]


def test_few_runs_without_a_failure_give_no_warning() -> None:
    aggregation = aggregate_runs([ok(40)])

    assert aggregation.mean_score == 40
    assert aggregation.std_dev is None
    assert aggregation.warnings == ()


def test_a_score_of_zero_is_a_score() -> None:
    aggregation = aggregate_runs([ok(0), ok(0)])

    assert aggregation.mean_score == 0
    assert aggregation.failed_count == 0


def test_runs_of_different_protocols_are_not_mixed() -> None:
    other = JudgeResult(status=JudgeStatus.OK, signature="q", score=1)

    with pytest.raises(ValueError, match="different protocols: p, q"):
        aggregate_runs([ok(1), other])


def test_no_runs_cannot_be_aggregated() -> None:
    with pytest.raises(ValueError, match="zero runs"):
        aggregate_runs([])


@given(
    st.permutations(
        [ok(0), ok(10), ok(20), ok(50), failed(), failed(JudgeStatus.REFUSED)]
    )
)
def test_the_order_of_the_runs_does_not_matter(runs: list[JudgeResult]) -> None:
    aggregation = aggregate_runs(runs)

    assert aggregation.mean_score == 20
    assert aggregation.std_dev == pytest.approx(math.sqrt(1400 / 3))
    assert aggregation.failed_count == 2


def test_a_good_run_is_serialised_with_its_score() -> None:
    result = JudgeResult(
        status=JudgeStatus.OK, signature="p", score=0, explanation="Wrong date."
    )

    assert result.to_record() == {
        "score": 0,
        "status": "ok",
        "explanation": "Wrong date.",
    }


@pytest.mark.parametrize(
    "status", [status for status in JudgeStatus if status is not JudgeStatus.OK]
)
def test_a_failed_run_is_serialised_with_minus_one_and_its_cause(
    status: JudgeStatus,
) -> None:
    record = failed(status).to_record()

    assert json.loads(json.dumps(record)) == {
        "score": -1,
        "status": "failed",
        "explanation": "",
        "cause": status.value,
        "reason": "the reply is empty",
    }


def test_an_exception_is_not_shown() -> None:
    secret = JudgeResult(
        status=JudgeStatus.INFRA_ERROR,
        signature="p",
        reason="the call raised RuntimeError",
        error=RuntimeError("key=hunter2"),
    )

    assert "hunter2" not in repr(secret)
    assert "hunter2" not in repr(aggregate_runs([secret]))
    assert "hunter2" not in json.dumps(secret.to_record())
