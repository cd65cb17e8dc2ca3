"""A run can be killed anywhere, and ends as if nothing had happened."""

import random
import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

RUN = [sys.executable, "-m", "locomo_run", "run", "--quiet", "--out"]

KILLED_AT = """
import atexit, os, signal, sys
from locomo_run.ledger import store as ledger
from locomo_run.cli import main

point, when, ledger.COMMIT_ROWS = int(sys.argv.pop(1)), sys.argv.pop(1), 7
seen = 0
atexit.register(lambda: print(seen))

def counting(method):
    def call(self, *args, **kwargs):
        global seen
        seen += 1
        now = seen
        if now == point and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = method(self, *args, **kwargs)
        if now == point:
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    return call

for name in ("append", "store", "commit", "set_facts", "close"):
    setattr(ledger.Ledger, name, counting(getattr(ledger.Ledger, name)))
main()
"""
"""Runs the program, commits every few rows, and kills it before or after its n-th
write; prints how many there were if it gets to its end."""


def killed_at(point: int, when: str, directory: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", KILLED_AT, str(point), when, *RUN[3:], directory],
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.returncode, done.stdout


def test_a_run_killed_anywhere_completes_to_the_same_results(
    tmp_path: Path, undisturbed: str
) -> None:
    """The main property of the ledger, at forty points drawn over the whole run."""
    code, printed = killed_at(0, "never", tmp_path / "counted")
    writes = int(printed.split()[-1])
    assert (code, writes > 100) == (0, True)

    kept = []
    points = random.Random(20261130).sample(range(1, writes + 1), 40)  # noqa: S311  # no secret
    for number, point in enumerate(points):
        directory = tmp_path / str(number)
        code, _ = killed_at(point, "after" if number % 2 else "before", directory)
        assert code == -signal.SIGKILL
        before = stored_attempts(directory)
        kept.append(len(before))

        subprocess.run([*RUN, directory], check=True, stdout=subprocess.DEVNULL)

        after = stored_attempts(directory)
        assert after[: len(before)] == before, "an entry was made again, or lost"
        assert len({key for key, _, _ in after}) == len(after)
        assert timeless(directory) == undisturbed
    assert len(set(kept)) > 10, "the kills hit the run at too few different places"


def test_a_run_killed_again_and_again_completes(
    tmp_path: Path, undisturbed: str
) -> None:
    """Killed by the clock this time, at whatever the process happens to do."""
    pause = random.Random(7)  # noqa: S311  # no secret
    kept = 0
    for _ in range(12):
        with subprocess.Popen([*RUN, tmp_path], stdout=subprocess.DEVNULL) as run:
            try:
                run.wait(timeout=pause.uniform(0.2, 0.9))
            except subprocess.TimeoutExpired:
                run.kill()
        now = len(stored_attempts(tmp_path))
        assert now >= kept
        kept = now

    subprocess.run([*RUN, tmp_path], check=True, stdout=subprocess.DEVNULL)
    assert timeless(tmp_path) == undisturbed


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    directory = tmp_path_factory.mktemp("undisturbed")
    subprocess.run([*RUN, directory], check=True, stdout=subprocess.DEVNULL)
    return timeless(directory)


def stored_attempts(directory: Path) -> list[tuple[str, int, str]]:
    """Every stored attempt in the order in which it was made, with its time."""
    if not (directory / "ledger.sqlite").exists():
        return []
    db = sqlite3.connect(directory / "ledger.sqlite")
    try:
        return db.execute(
            "SELECT key, number, at FROM attempt "
            "JOIN request ON request.id = attempt.request "
            "ORDER BY attempt.rowid"
        ).fetchall()
    except sqlite3.OperationalError:  # killed before the tables were there
        return []
    finally:
        db.close()


def timeless(directory: Path) -> str:
    """`results.json` to the byte, less time stamps and measured durations."""
    text = (directory / "results.json").read_text(encoding="utf-8")
    for pattern in (
        r'"(?:search|answer)_latency_ms": ([0-9.e-]+)',
        r'"p(?:50|95)": ([0-9.e-]+)',
        r'"(\d\d\d\d-\d\d-\d\dT[^"]+)"',
    ):
        text, found = re.subn(pattern, "measured", text)
        assert found, f"results.json has nothing like {pattern}"
    return text
