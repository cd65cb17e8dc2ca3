from __future__ import annotations

import io
from dataclasses import replace

import pytest
from locomo_run.display import display
from locomo_run.progress import Noted, Progress, SessionIngested, advance, notice

STORED = SessionIngested(
    sample_id="conv-30",
    conversation=2,
    conversations=10,
    session=3,
    sessions=19,
    seconds=4.24,
)
LOST = replace(STORED, seconds=None, reason="dropped: nothing came")
LINES = (
    "Conversation 2/10 [conv-30] — Session 3/19 — Elapsed: 0s\n"
    "Session 3/19 ingested, processing took 4.2s\n"
)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_session_is_shown_by_two_lines() -> None:
    stream = io.StringIO()

    with display(stream=stream) as observe:
        observe(STORED)

    assert stream.getvalue() == LINES


def test_a_lost_session_is_shown_with_its_reason() -> None:
    assert notice(LOST, 72).splitlines()[1] == (
        "Session 3/19 not ingested: dropped: nothing came"
    )


def test_a_session_that_came_with_others_is_shown_without_a_time() -> None:
    assert notice(replace(STORED, seconds=None), 72).splitlines()[1] == (
        "Session 3/19 ingested"
    )


def test_a_long_wait_is_shown_by_one_line() -> None:
    assert notice(Noted(text="Vector index [conv-30]"), 72) == (
        "Vector index [conv-30] — Elapsed: 1m12s"
    )


def test_a_terminal_shows_the_lines_above_its_bars_and_takes_no_markup_from_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "160")
    stream = Terminal()

    with display(stream=stream) as observe:
        observe(replace(LOST, reason="[red]no[/red]"))

    assert "not ingested: [red]no[/red]" in stream.getvalue()


@pytest.mark.parametrize("event", [STORED, LOST, Noted(text="a")])
def test_ingestion_does_not_count_as_questions_asked(
    event: SessionIngested | Noted,
) -> None:
    assert advance(Progress(), event) == Progress()
