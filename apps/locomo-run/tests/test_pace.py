from hypothesis import given
from hypothesis import strategies as st
from locomo_run.calls.pace import (
    FIRST_PAUSE,
    LONGEST_PAUSE,
    after_overload,
    after_reply,
    pause_after,
    start,
)

EVENTS = st.lists(
    st.one_of(
        st.just("reply"),
        st.tuples(st.floats(0, 100), st.none() | st.floats(0, 1e6)),
    ),
    max_size=60,
)


def test_a_window_of_good_replies_widens_it_by_one() -> None:
    pace = after_overload(start(64), 0.0, None)
    for _ in range(pace.width):
        pace = after_reply(pace)

    assert pace.width == 32
    assert after_reply(pace).width == 33


def test_signs_of_one_overload_halve_the_window_once() -> None:
    pace = start(64)
    for _ in range(64):
        pace = after_overload(pace, 10.0, None)

    assert pace.width == 32
    assert pace.not_before == 10.0 + FIRST_PAUSE


def test_an_overload_after_the_cool_down_halves_again_and_waits_longer() -> None:
    pace = after_overload(start(64), 0.0, None)
    pace = after_overload(pace, pace.not_before, None)

    assert (pace.width, pace.not_before) == (16, 1.0 + 2.0)


def test_a_server_that_names_a_time_is_believed_up_to_a_minute() -> None:
    assert after_overload(start(2), 5.0, 7.5).not_before == 12.5
    assert after_overload(start(2), 5.0, 86_400.0).not_before == 5.0 + LONGEST_PAUSE


def test_a_longer_time_named_during_the_cool_down_prolongs_it() -> None:
    pace = after_overload(after_overload(start(8), 0.0, 2.0), 1.0, 10.0)

    assert (pace.width, pace.not_before) == (4, 11.0)


def test_a_good_reply_forgets_how_long_the_pauses_had_become() -> None:
    pace = start(8)
    for now in (0.0, 100.0, 200.0):
        pace = after_overload(pace, now, None)
    pace = after_overload(after_reply(pace), 300.0, None)

    assert pace.not_before == 301.0


@given(st.integers(1, 200), EVENTS)
def test_the_window_stays_between_one_and_its_ceiling_and_pauses_are_bounded(
    ceiling: int, events: list[str | tuple[float, float | None]]
) -> None:
    pace, now = start(ceiling), 0.0
    for event in events:
        if isinstance(event, str):
            pace = after_reply(pace)
        else:
            now += event[0]
            pace = after_overload(pace, now, event[1])
        assert 1 <= pace.width <= ceiling
        assert pace.not_before <= now + LONGEST_PAUSE


@given(st.integers(1, 10_000))
def test_pauses_grow_and_stay_bounded(failures: int) -> None:
    assert FIRST_PAUSE <= pause_after(failures) <= pause_after(failures + 1)
    assert pause_after(failures) <= LONGEST_PAUSE
