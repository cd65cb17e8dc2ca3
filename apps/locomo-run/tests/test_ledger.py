import ctypes
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from locomo_run.ledger.entry import Attempt, Json, Request, Stage, Status, Usage
from locomo_run.ledger.file import FILE_NAME, LedgerError
from locomo_run.ledger.store import COMMIT_ROWS, Ledger


def request(item: str = "q:0", **content: str) -> Request:
    return Request(stage=Stage.ANSWER, item=item, content=content)


def ok(text: str = "yes") -> Attempt:
    return Attempt(status=Status.OK, reply={"text": text}, latency_ms=1.5)


BROKEN = Attempt(status=Status.INFRA_ERROR, reason="the line went dead")


def test_what_is_appended_is_found_under_the_same_request(tmp_path: Path) -> None:
    with Ledger.write(tmp_path) as ledger:
        ledger.append(request(model="a"), ok())

    with Ledger.read(tmp_path) as ledger:
        entry = ledger.entry(request(model="a"))

    assert entry is not None
    assert (entry.attempt, entry.attempts) == (ok(), 1)


@pytest.mark.parametrize(
    "other",
    [
        request(model="b"),
        request("q:1", model="a"),
        Request(stage=Stage.SEARCH, item="q:0", content={"model": "a"}),
        Request(stage=Stage.ANSWER, item="q:0", run=1, content={"model": "a"}),
    ],
    ids=["content", "item", "stage", "run"],
)
def test_a_request_that_differs_in_anything_is_another_one(
    tmp_path: Path, other: Request
) -> None:
    with Ledger.write(tmp_path) as ledger:
        ledger.append(request(model="a"), ok())

        assert ledger.entry(other) is None


def test_the_order_of_a_requests_settings_does_not_matter() -> None:
    assert request(a="1", b="2").key == request(b="2", a="1").key


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ([BROKEN], BROKEN),
        ([BROKEN, ok()], ok()),
        ([ok(), BROKEN], ok()),
        ([ok("first"), ok("second")], ok("second")),
    ],
    ids=["only a bad one", "good after bad", "bad after good", "two good"],
)
def test_an_entry_is_its_last_good_attempt_and_every_attempt_is_kept(
    tmp_path: Path, made: list[Attempt], expected: Attempt
) -> None:
    with Ledger.write(tmp_path) as ledger:
        for attempt in made:
            live = ledger.append(request(), attempt)
    with Ledger.read(tmp_path) as ledger:
        stored = ledger.entry(request())

    assert live == stored
    assert stored is not None
    assert (stored.attempt, stored.attempts) == (expected, len(made))
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        rows = db.execute("SELECT status FROM attempt").fetchall()
    assert [status for (status,) in rows] == [attempt.status for attempt in made]


def test_a_text_is_kept_once_under_its_digest(tmp_path: Path) -> None:
    with Ledger.write(tmp_path) as ledger:
        names = {ledger.store("a long context — ü \U0001f600"), ledger.store("other")}
        again = ledger.store("a long context — ü \U0001f600")

        assert again in names
        assert ledger.stored(again) == "a long context — ü \U0001f600"
        with pytest.raises(LedgerError, match="missing"):
            ledger.stored("0" * 32)


def test_a_closed_ledger_is_one_file_out_of_wal_mode(tmp_path: Path) -> None:
    with Ledger.write(tmp_path) as ledger:
        ledger.append(request(), ok())

    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [FILE_NAME, "writer.lock"]
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_the_first_commit_comes_after_the_stated_delay_or_number(
    tmp_path: Path,
) -> None:
    now = [0.0]
    with Ledger.write(tmp_path, clock=lambda: now[0]) as ledger:
        ledger.append(request("0"), ok())
        assert seen_by_others(tmp_path) == 0

        now[0] = 0.3
        ledger.append(request("1"), ok())
        assert seen_by_others(tmp_path) == 2

        for i in range(COMMIT_ROWS - 1):
            ledger.append(request(f"more {i}"), ok())
        assert seen_by_others(tmp_path) == 2
        ledger.append(request("last"), ok())
        assert seen_by_others(tmp_path) == 2 + COMMIT_ROWS


def seen_by_others(directory: Path) -> int:
    with Ledger.read(directory) as ledger:
        return sum(1 for _ in ledger.entries(Stage.ANSWER))


def test_others_read_while_one_writes(tmp_path: Path) -> None:
    with Ledger.write(tmp_path) as ledger:
        ledger.append(request(), ok())
        ledger.commit()

        with Ledger.read(tmp_path) as reader:
            assert reader.entry(request()) is not None
            assert reader.writer() == os.getpid()

    with Ledger.read(tmp_path) as reader:
        assert reader.writer() is None


def test_a_reader_sees_one_moment_while_another_writes(tmp_path: Path) -> None:
    def held(ledger: Ledger) -> tuple[int, dict[Stage, int], int]:
        bills = sum(bill.calls for bill in ledger.bills())
        return len(list(ledger.entries(Stage.ANSWER))), ledger.counts(), bills

    paid = Attempt(status=Status.OK, model="m", usage=Usage(input=1))
    with Ledger.write(tmp_path) as writer:
        writer.append(request("0"), paid)
        writer.commit()
        with Ledger.read(tmp_path) as reader:
            seen = held(reader)
            writer.append(request("1"), paid)
            writer.commit()

            assert seen == held(reader) == (1, {Stage.ANSWER: 1}, 1)
            assert reader.entry(request("1")) is None
        with Ledger.read(tmp_path) as later:
            assert held(later) == (2, {Stage.ANSWER: 2}, 2)


def test_entries_come_in_the_order_in_which_they_were_stored(tmp_path: Path) -> None:
    items = [f"q:{number}" for number in (3, 1, 2, 0)]
    with Ledger.write(tmp_path) as ledger:
        for item in items:
            ledger.append(request(item), BROKEN)
        ledger.append(request("q:1"), ok())

        found = [entry.request.item for entry in ledger.entries(Stage.ANSWER)]

    assert found == ["q:3", "q:2", "q:0", "q:1"]


@pytest.mark.parametrize(
    ("made", "status", "score"),
    [
        ([(Status.OK, 0.5)], "ok", 0.5),
        ([(Status.OK, 1)], "ok", 1),
        ([(Status.UNPARSED, None), (Status.OK, 0.0)], "ok", 0.0),
        ([(Status.OK, 1.0), (Status.REFUSED, None)], "ok", 1.0),
        ([(Status.OK, 1.0), (Status.OK, 0.0)], "ok", 0.0),
        ([(Status.UNPARSED, 1.0)], "unparsed", None),
        ([(Status.UNPARSED, None), (Status.REFUSED, None)], "refused", None),
    ],
)
def test_the_score_of_an_entry_is_that_of_its_last_good_attempt(
    tmp_path: Path,
    made: list[tuple[Status, float | None]],
    status: str,
    score: float | None,
) -> None:
    judged = Request(stage=Stage.JUDGE, item="q:0", run=2, content={"b": 1, "a": "é"})
    with Ledger.write(tmp_path) as ledger:
        for state, said in made:
            ledger.append(judged, Attempt(status=state, reply={"score": said}))

        found = list(ledger.scores(Stage.JUDGE))

    assert found == [("q:0", 2, '{"a":"é","b":1}', status, score)]


def test_a_second_writer_is_refused_with_the_pid_of_the_first(tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from locomo_run.ledger.store import Ledger
        with Ledger.write(Path(sys.argv[1])):
            print("open", flush=True)
            sys.stdin.read()
        """
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as first:
        assert first.stdout is not None
        assert first.stdin is not None
        assert first.stdout.readline() == "open\n"

        with pytest.raises(LedgerError, match=f"written by process {first.pid};"):
            Ledger.write(tmp_path)
        first.stdin.close()

    Ledger.write(tmp_path).close()


def kill_while_writing(directory: Path) -> None:
    program = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path
        from locomo_run.ledger.entry import Attempt, Request, Stage, Status
        from locomo_run.ledger.store import Ledger
        ledger = Ledger.write(Path(sys.argv[1]))
        for i in range(3):
            ledger.append(
                Request(stage=Stage.ANSWER, item=f"q:{i}", content={}),
                Attempt(status=Status.OK, reply={"text": "yes"}),
            )
            if i < 2:
                ledger.commit()
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    done = subprocess.run([sys.executable, "-c", program, str(directory)])
    assert done.returncode == -signal.SIGKILL


def test_a_killed_writer_leaves_what_it_committed_and_no_lock(tmp_path: Path) -> None:
    kill_while_writing(tmp_path)

    with Ledger.write(tmp_path) as ledger:
        items = {entry.request.item for entry in ledger.entries(Stage.ANSWER)}
    assert items == {"q:0", "q:1"}


def without_write_override() -> None:
    """Give up root's right to write where the permissions forbid it."""
    pr_capbset_drop, cap_dac_override = 24, 1
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(pr_capbset_drop, cap_dac_override)


def run_python(
    program: str, *args: str, prepare: Callable[[], None] = without_write_override
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *args],
        capture_output=True,
        text=True,
        preexec_fn=prepare,
    )


@pytest.mark.parametrize("killed", [False, True], ids=["closed", "killed"])
def test_a_read_only_copy_of_a_run_can_be_read(tmp_path: Path, *, killed: bool) -> None:
    run, copy = tmp_path / "run", tmp_path / "copy"
    if killed:
        kill_while_writing(run)
    else:
        with Ledger.write(run) as ledger:
            ledger.append(request("q:0"), ok())
            ledger.append(request("q:1"), ok())
    shutil.copytree(run, copy, ignore=shutil.ignore_patterns("*-shm"))
    for path in (*copy.iterdir(), copy):
        path.chmod(0o555 if path.is_dir() else 0o444)

    done = run_python(
        """
        import sys
        from pathlib import Path
        from locomo_run.ledger.entry import Stage
        from locomo_run.ledger.store import Ledger
        with Ledger.read(Path(sys.argv[1])) as ledger:
            print(sorted(e.request.item for e in ledger.entries(Stage.ANSWER)))
        """,
        str(copy),
    )
    copy.chmod(0o755)

    assert (done.stdout, done.stderr) == ("['q:0', 'q:1']\n", "")
    assert sorted(p.name for p in copy.iterdir()) == sorted(
        p.name for p in run.iterdir() if not p.name.endswith("-shm")
    )


OPEN_FOR_WRITING = """
import sys
from pathlib import Path
from locomo_run.ledger.store import Ledger
from locomo_run.errors import RunError
try:
    Ledger.write(Path(sys.argv[1]))
except RunError as error:
    print(error)
"""


def test_a_read_only_folder_is_named_and_the_way_out_too(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)

    done = run_python(OPEN_FOR_WRITING, str(tmp_path / "run"))
    tmp_path.chmod(0o755)

    assert done.stderr == ""
    assert done.stdout == (
        f"{tmp_path}/run/{FILE_NAME}: Permission denied; "
        "choose another --out, or change the folder's permissions\n"
    )


def test_a_full_disk_keeps_what_was_stored(tmp_path: Path) -> None:
    limit = 200_000

    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = run_python(
        """
        import sys
        from pathlib import Path
        from locomo_run.ledger.entry import Attempt, Request, Stage, Status
        from locomo_run.errors import RunError
        from locomo_run.ledger.store import Ledger
        stored = 0
        try:
            with Ledger.write(Path(sys.argv[1])) as ledger:
                for i in range(1000):
                    ledger.append(
                        Request(stage=Stage.ANSWER, item=f"q:{i}", content={}),
                        Attempt(status=Status.OK, reply={"text": "x" * 1000}),
                    )
                    ledger.commit()
                    stored += 1
        except RunError as error:
            print(error, file=sys.stderr)
        print(stored)
        """,
        str(tmp_path),
        prepare=small_files,
    )

    assert "everything stored so far is kept" in done.stderr
    assert "Traceback" not in done.stderr
    stored = int(done.stdout)
    assert 0 < stored < 1000
    with Ledger.write(tmp_path) as ledger:
        assert sum(1 for _ in ledger.entries(Stage.ANSWER)) == stored


def test_a_folder_without_a_ledger_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="not a run directory"):
        Ledger.read(tmp_path)


def test_a_file_of_another_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("garbage " * 100, encoding="utf-8")

    for opener in (Ledger.read, Ledger.write):
        with pytest.raises(LedgerError, match="choose another --out"):
            opener(tmp_path)


def test_a_ledger_of_another_format_is_refused(tmp_path: Path) -> None:
    Ledger.write(tmp_path).close()
    db = sqlite3.connect(tmp_path / FILE_NAME)
    db.execute("PRAGMA user_version=99")
    db.close()

    for opener in (Ledger.read, Ledger.write):
        with pytest.raises(LedgerError, match="format 99"):
            opener(tmp_path)


def test_facts_are_kept_as_they_were_given(tmp_path: Path) -> None:
    facts: dict[str, Json] = {"identity": {"a": [1, None]}, "note": "ü"}
    with Ledger.write(tmp_path) as ledger:
        ledger.set_facts(facts)
        ledger.set_facts({"note": "later"})

    with Ledger.read(tmp_path) as ledger:
        assert ledger.fact("identity") == facts["identity"]
        assert ledger.fact("note") == "later"
        assert ledger.fact("unknown") is None


def test_times_are_those_of_the_first_and_last_attempt(tmp_path: Path) -> None:
    with Ledger.write(tmp_path) as ledger:
        assert ledger.times() is None
        ledger.append(request("a"), ok())
        ledger.append(request("b"), ok())
        times = ledger.times()

    assert times is not None
    assert times[0] <= times[1]
    assert json.dumps(times).count("+00:00") == 2
