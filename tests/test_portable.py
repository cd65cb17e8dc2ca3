"""Nothing here needs one system: no encoding by default, no name that some refuse."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path, PurePath

import pytest

RESERVED = re.compile(r'[<>:"\\|?*\x00-\x1f]')
DEVICES = {
    *("con", "prn", "aux", "nul"),
    *(f"{device}{number}" for device in ("com", "lpt") for number in range(1, 10)),
}


def refused(path: PurePath) -> str | None:
    """Why Windows would refuse a path; None if it would not."""
    for part in path.parts:
        if RESERVED.search(part):
            return f"{part}: a reserved character"
        if part.partition(".")[0].lower() in DEVICES:
            return f"{part}: the name of a device"
        if part.endswith((".", " ")):
            return f"{part}: ends in a dot or a space"
    return None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("runs/offline-c0312e54a9/report.md", None),
        ("runs/conv-26:12.json", "conv-26:12.json: a reserved character"),
        ("what?.md", "what?.md: a reserved character"),
        ("src/aux.py", "aux.py: the name of a device"),
        ("docs/end./x.md", "end.: ends in a dot or a space"),
    ],
)
def test_a_name_that_windows_refuses_is_seen(name: str, reason: str | None) -> None:
    assert refused(PurePath(name)) == reason


def test_the_repository_can_be_checked_out_anywhere(root: Path) -> None:
    names = printed(
        *("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"),
        cwd=root,
    ).split("\0")
    told_apart_by_case = [
        name for name, n in Counter(map(str.lower, names)).items() if n > 1
    ]

    assert len(names) > 300
    assert not [why for name in names if (why := refused(PurePath(name)))]
    assert not told_apart_by_case
    assert max(map(len, names)) < 120


def test_the_program_writes_no_name_that_some_system_refuses(tmp_path: Path) -> None:
    program = (sys.executable, "-m", "locomo_run")
    quiet = ("--quiet", "--limit", "3")
    exports = ("--html", "page.html", "--csv", "all.csv", "--jsonl", "all.jsonl")
    printed(*program, "run", *quiet, cwd=tmp_path)
    printed(*program, "run", *quiet, "--memory", "oracle", cwd=tmp_path)
    (first, second) = sorted(
        path.relative_to(tmp_path) for path in tmp_path.glob("*/*")
    )
    written = ("--findings", "--methodology")
    printed(*program, "report", first, *written, *exports, cwd=tmp_path)
    printed(*program, "compare", first, second, "--html", "two.html", cwd=tmp_path)
    printed(*program, "merge", "joined", first, cwd=tmp_path)

    made = [path.relative_to(tmp_path) for path in tmp_path.rglob("*")]
    assert {path.name for path in made} > {"ledger.sqlite", "findings.md", "two.html"}
    assert not [why for path in made if (why := refused(path))]


def test_every_text_file_is_opened_with_an_encoding(root: Path) -> None:
    rule = ("--isolated", "--preview", "--select", "PLW1514")
    checked = printed(sys.executable, "-m", "ruff", "check", *rule, ".", cwd=root)

    assert checked == "All checks passed!\n"


def printed(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
