import io
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from locomo_run.display import PLAIN_SECONDS, display
from locomo_run.progress import (
    Answered,
    Ingested,
    Judged,
    JudgingStarted,
    Started,
    Traffic,
)

START = Started(questions=4, stored=1, conversations=2)
FIRST = Ingested(sample_id="one", questions=3)


def answered(f1: float | None = 0.5, *, failed: bool = False) -> Answered:
    return Answered(question_id="one:0", failed=failed, f1=f1, search_ms=2.0)


JUDGING = JudgingStarted(protocol="graded", runs=2, questions=1)


def judged(score: float | None) -> Judged:
    return Judged(question_id="one:0", run=0, score=score)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Clock:
    """Tells the time that it is set to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "160")
    return Terminal()


# plain lines


def test_a_line_is_written_when_a_conversation_ends_or_time_has_passed() -> None:
    stream, clock = io.StringIO(), Clock()

    with display(stream=stream, clock=clock) as observe:
        observe(START)
        observe(FIRST)
        clock.now += PLAIN_SECONDS - 1
        observe(answered())
        assert stream.getvalue() == ""
        clock.now += 1
        observe(answered(1.0))
        clock.now += 1
        observe(answered(None))
        observe(Ingested(sample_id="two", questions=2))
        observe(answered(failed=True, f1=None))
        clock.now += PLAIN_SECONDS
        observe(answered())

    assert stream.getvalue().splitlines() == [
        "[QA 1/2] one — Q 2/3 — F1: 0.750 — search: 2.0ms — Elapsed: 10s",
        "[QA 1/2] one — Q 3/3 — F1: 0.750 — search: 2.0ms — Elapsed: 11s",
        "[QA 2/2] two — Q 2/2 — F1: 0.667 — search: 2.0ms — failed: 1 — Elapsed: 21s",
    ]


def test_a_short_run_writes_a_line_for_each_conversation() -> None:
    stream = io.StringIO()

    with display(stream=stream, clock=Clock()) as observe:
        for event in (START, FIRST, answered(), answered(), answered()):
            observe(event)

    assert stream.getvalue() == (
        "[QA 1/2] one — Q 3/3 — F1: 0.500 — search: 2.0ms — Elapsed: 0s\n"
    )


def test_a_judge_writes_a_line_now_and_then_and_one_at_its_end() -> None:
    stream, clock = io.StringIO(), Clock()

    with display(stream=stream, clock=clock) as observe:
        observe(JUDGING)
        observe(judged(50.0))
        assert stream.getvalue() == ""
        clock.now += 3
        observe(judged(None))

    assert stream.getvalue() == (
        "[JUDGE graded] run 2/2 — J: 50.00 — without score: 1 — Elapsed: 3s\n"
    )


def test_quiet_shows_nothing_anywhere(terminal: Terminal) -> None:
    for stream in (io.StringIO(), terminal):
        with display(quiet=True, stream=stream) as observe:
            for event in (START, FIRST, answered()):
                observe(event)

        assert stream.getvalue() == ""


def test_progress_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with display() as observe:
        for event in (START, FIRST, answered(), answered(), answered()):
            observe(event)

    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("[QA 1/2] one — Q 3/3 — ")


def test_an_error_inside_is_passed_on(terminal: Terminal) -> None:
    for stream in (io.StringIO(), terminal):
        with pytest.raises(ZeroDivisionError), display(stream=stream):
            raise ZeroDivisionError


# the live display


def drawn(text: str) -> str:
    """A drawing without its control sequences; the last state of each line."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_a_terminal_shows_bars_with_the_score_and_what_failed(
    terminal: Terminal,
) -> None:
    with display(stream=terminal) as observe:
        observe(START)
        observe(FIRST)
        observe(answered(0.25))
        observe(answered(0.75))
        observe(answered(failed=True, f1=None))

    ingest, answer = (rows(terminal, name)[-1] for name in ("ingest", "answer"))
    assert "1/2" in ingest
    assert "3/4 F1 0.500  failed 1  from the ledger 1" in answer
    assert "━" in answer
    assert "ETA" in answer


def rows(terminal: Terminal, name: str) -> list[str]:
    """Every drawing of a bar, in order."""
    lines = drawn(terminal.getvalue()).replace("\r", "\n").splitlines()
    return [row for row in lines if row.startswith(f"{name} ")]


def test_a_bar_is_shown_once_its_stage_has_begun(terminal: Terminal) -> None:
    with display(stream=terminal) as observe:
        observe(JUDGING)
        observe(judged(None))
        observe(judged(60.0))

    assert rows(terminal, "ingest") == rows(terminal, "answer") == []
    assert "2/2 graded J 60.00  without score 1" in rows(terminal, "judge")[-1]


def test_a_terminal_shows_how_the_calls_go(terminal: Terminal) -> None:
    with display(stream=terminal) as observe:
        observe(JUDGING)
        observe(
            Traffic(
                in_flight=3, overloads=2, spent=1.239, cap=5.0, stalled="one:0 for 70 s"
            )
        )

    assert (
        "0/2 graded J n/a  $1.24/5.00  in flight 3  slowed down 2x  "
        "waiting for one:0 for 70 s"
    ) in rows(terminal, "judge")[-1]


def test_a_quiet_traffic_takes_little_room(terminal: Terminal) -> None:
    with display(stream=terminal) as observe:
        observe(START)
        observe(FIRST)
        observe(Traffic(in_flight=1, overloads=0, spent=0.0, cap=None))

    note = rows(terminal, "answer")[-1]
    assert "F1 n/a  from the ledger 1  $0.00  in flight 1 " in note
    assert "slowed" not in note
    assert "waiting" not in note


def test_a_terminal_shows_no_score_before_there_is_one(terminal: Terminal) -> None:
    with display(stream=terminal) as observe:
        observe(Started(questions=4, stored=0, conversations=1))
        observe(FIRST)

    text = drawn(terminal.getvalue())
    assert "0/4 F1 n/a" in text
    assert "failed" not in text
    assert "ledger" not in text


@pytest.mark.parametrize("wanted", [True, False])
def test_colour_is_there_unless_no_color_is_set(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, wanted: bool
) -> None:
    if not wanted:
        monkeypatch.setenv("NO_COLOR", "1")

    with display(stream=terminal) as observe:
        for event in (START, FIRST, answered()):
            observe(event)

    colour = re.search(r"\x1b\[[0-9;]*[34][0-9]", terminal.getvalue())
    assert (colour is not None) == wanted


def test_a_run_on_a_real_terminal_draws_there_and_leaves_the_result_alone(
    tmp_path: Path,
) -> None:
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "160"}
    with tempfile.TemporaryFile() as result:
        process = subprocess.Popen(
            [sys.executable, "-m", "locomo_run", "run", "--json", "--out", "here"],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=result,
            stderr=follower,
        )
        os.close(follower)
        text = drawn(read_all(leader))
        os.close(leader)
        code = process.wait(timeout=20)
        result.seek(0)
        printed = result.read()

    assert code == 0, text
    assert printed.startswith(b"{")
    assert b"\x1b" not in printed
    assert "run: here" in text
    assert "55/55 F1 0." in text
    assert "Traceback" not in text


def read_all(terminal: int) -> str:
    """Read until the other side has closed, which a terminal reports as an error."""
    parts = []
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts).decode("utf-8")
