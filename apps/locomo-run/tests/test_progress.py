from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locomo_run.progress import (
    Answered,
    Event,
    Ingested,
    Judged,
    JudgingStarted,
    Progress,
    Started,
    Traffic,
    advance,
    duration,
    judge_line,
    line,
)

START = Started(questions=5, stored=2, conversations=2)


def answered(f1: float | None = None, *, failed: bool = False) -> Answered:
    return Answered(question_id="a:0", failed=failed, f1=f1, search_ms=1.5)


def after(*events: Event) -> Progress:
    return reduce(advance, events, Progress())


def test_the_start_says_how_much_there_is() -> None:
    state = after(START)

    assert (state.questions, state.stored, state.conversations) == (5, 2, 2)
    assert (state.asked, state.f1) == (0, None)


def test_a_new_start_forgets_what_was_before() -> None:
    assert after(START, answered(1.0), START) == after(START)


def test_the_mean_f1_is_over_scored_questions_alone() -> None:
    state = after(
        START, answered(1.0), answered(0.5), answered(None), answered(failed=True)
    )

    assert state.f1 == 0.75
    assert (state.asked, state.scored, state.failed) == (4, 2, 1)


def test_an_f1_of_zero_counts() -> None:
    assert after(START, answered(0.0), answered(1.0)).f1 == 0.5


def test_each_conversation_counts_its_own_questions() -> None:
    state = after(
        START,
        Ingested(sample_id="a", questions=2),
        answered(1.0),
        answered(1.0),
        Ingested(sample_id="b", questions=3),
        answered(1.0),
    )

    assert (state.sample_id, state.sample_asked, state.sample_questions) == ("b", 1, 3)
    assert (state.ingested, state.asked) == (2, 3)


def test_a_line_before_the_first_answer_has_no_figures() -> None:
    state = after(START, Ingested(sample_id="a", questions=2))

    assert line(state, 0) == "[QA 1/2] a — Q 0/2 — F1: n/a — Elapsed: 0s"


def test_a_line_counts_failures() -> None:
    state = after(
        START, Ingested(sample_id="a", questions=2), answered(failed=True), answered(1)
    )

    assert line(state, 61.9) == (
        "[QA 1/2] a — Q 2/2 — F1: 1.000 — search: 1.5ms — failed: 1 — Elapsed: 1m01s"
    )


# judging

JUDGING = JudgingStarted(protocol="graded", runs=2, questions=3)


def judged(score: float | None) -> Judged:
    return Judged(question_id="a:0", run=0, score=score)


def traffic(spent: float) -> Traffic:
    return Traffic(in_flight=2, overloads=0, spent=spent, cap=None)


def test_a_judge_has_as_many_calls_as_runs_of_questions() -> None:
    state = after(JUDGING, judged(80.0), judged(0.0), judged(None))

    assert (state.judge_calls, state.judged, state.judge_failed) == (6, 3, 1)
    assert state.j == 40.0


def test_a_judge_without_a_good_run_has_no_mean() -> None:
    assert after(JUDGING, judged(None)).j is None


def test_a_second_judge_starts_from_nothing() -> None:
    other = JudgingStarted(protocol="strict", runs=2, questions=3)

    assert after(JUDGING, judged(80.0), judged(None), other) == after(other)


def test_a_judge_line_counts_what_has_no_score_and_what_was_spent() -> None:
    state = after(JUDGING, judged(70.0), judged(None), traffic(1.239))

    assert judge_line(state, 5) == (
        "[JUDGE graded] run 2/6 — J: 70.00 — without score: 1 — spent: $1.24 — "
        "Elapsed: 5s"
    )


def test_a_judge_line_before_the_first_score_has_no_figure() -> None:
    assert judge_line(after(JUDGING), 0) == (
        "[JUDGE graded] run 0/6 — J: n/a — Elapsed: 0s"
    )


# time


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0s"),
        (59.99, "59s"),
        (60, "1m00s"),
        (3_599, "59m59s"),
        (3_600, "1h00m"),
        (90_061, "25h01m"),
    ],
)
def test_a_time_span_in_words(seconds: float, said: str) -> None:
    assert duration(seconds) == said


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=30))
def test_the_mean_is_within_the_scores(scores: list[float | None]) -> None:
    state = after(START, *(answered(f1) for f1 in scores))

    known = [f1 for f1 in scores if f1 is not None]
    assert state.asked == len(scores)
    if known:
        assert state.f1 is not None
        assert min(known) - 1e-9 <= state.f1 <= max(known) + 1e-9
    else:
        assert state.f1 is None
