"""A run in message batches, killed twice, against the same run live.

    python tests/benchmarks/batch_full.py

asks a fake endpoint on loopback 1,540 questions and has each answer judged 10 times,
15,400 requests. SIGKILL ends the process twice: between the endpoint's answer to a
post and its commit, and while results are being stored. The third command has to end
with the report of the live run, and the endpoint must have sold every reply once.
`tests/test_batch_kill.py` does the same with fewer questions.
"""

import argparse
import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from llm_judge.testing import FakeMessagesAPI, FakeRequest, default_reply

CONVERSATIONS = 10
KILLED_AT = """
import os, signal, sys
from locomo_run.batches import adoption
from locomo_run.ledger import store
from locomo_run.batches.ledger import BatchLedger
from locomo_run.cli import main

step, left = sys.argv.pop(1), int(sys.argv.pop(1))
adoption.SETTLING = 0.5

def counting(method):
    def call(self, *args, **kwargs):
        global left
        left -= step == "post" or kwargs.get("batch") is not None
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return method(self, *args, **kwargs)
    return call

if step == "post":
    BatchLedger.post = counting(BatchLedger.post)
elif step == "append":
    store.Ledger.append = counting(store.Ledger.append)
main()
"""
"""Runs the program and kills it before its n-th note of a posted batch, or before its
n-th reply from a batch is stored."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the two runs have to show."""

    exit_codes: list[int]
    """Of the three commands in batches."""
    same_results: bool
    same_report: bool
    live_bought: int
    batch_bought: int
    entries: int
    """Answers and judge runs in the ledger of the run in batches."""
    attempts: int
    batches: list[str]
    """Their states, in the order in which they were planned."""
    live_seconds: float
    batch_seconds: list[float]
    megabytes: float
    """Largest memory of any command."""


def compare(folder: Path, *, questions: int, runs: int, size: int) -> Outcome:
    """Make both runs in a folder.

    Args:
        folder: An empty folder.
        questions: How many are asked.
        runs: How often each answer is judged.
        size: Requests in a batch.
    """
    data = folder / "data.json"
    data.write_text(json.dumps(data_set(questions)), encoding="utf-8")
    asked = [
        *("run", "--quiet", "--yes", "--dataset", str(data)),
        *("--answerer", "claude-opus-4-6", "--judge", "claude-sonnet-4-6"),
        *("--judge-runs", str(runs)),
    ]
    live, batched = folder / "live", folder / "batched"
    with FakeMessagesAPI(reply) as api:
        began = time.perf_counter()
        run([*asked, "--in-flight", "64", "--out", str(live)], api, ("never", 0))
        live_seconds = time.perf_counter() - began
        live_bought = api.counts.bought
    in_batches = [
        *asked,
        *("--batch", "--batch-size", str(size), "--batch-poll", "0.2"),
        *("--out", str(batched)),
    ]
    answer_batches = -(-(questions - 1) // size)
    first, middle = answer_batches + 2, questions * runs // 3
    codes, seconds = [], []
    with FakeMessagesAPI(reply, batch_polls=2) as api:
        for kill in (("post", first), ("append", middle), ("never", 0)):
            began = time.perf_counter()
            codes.append(run(in_batches, api, kill))
            seconds.append(time.perf_counter() - began)
        bought = api.counts.bought
    entries, attempts = rows(batched)
    return Outcome(
        exit_codes=codes,
        same_results=results(live) == results(batched),
        same_report=report(live) == report(batched),
        live_bought=live_bought,
        batch_bought=bought,
        entries=entries,
        attempts=attempts,
        batches=states(batched),
        live_seconds=live_seconds,
        batch_seconds=seconds,
        megabytes=resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
    )


def data_set(questions: int) -> list[dict[str, object]]:
    """Return conversations of one session each, with questions about its turns."""
    each = -(-questions // CONVERSATIONS)
    return [
        {
            "sample_id": f"c{number}",
            "conversation": {
                "speaker_a": "Ada",
                "speaker_b": "Bo",
                "session_1_date_time": "9:00 am on 3 May, 2024",
                "session_1": [
                    {
                        "speaker": "Ada",
                        "dia_id": f"D1:{turn}",
                        "text": f"On shelf {turn} of room {number} stands item {turn}.",
                    }
                    for turn in range(1, each + 1)
                ],
            },
            "qa": [
                {
                    "question": f"What stands on shelf {turn} of room {number}?",
                    "answer": f"item {turn}",
                    "evidence": [f"D1:{turn}"],
                    "category": turn % 4 + 1,
                }
                for turn in range(1, 1 + min(each, questions - number * each))
            ],
        }
        for number in range(CONVERSATIONS)
    ]


def reply(request: FakeRequest) -> str:
    """Judge by the overlap of words; answer with what the memory found first."""
    if "<reference_answer>" in request.user:
        return default_reply(request)
    return request.user.splitlines()[2]


def run(arguments: list[str], api: FakeMessagesAPI, kill: tuple[str, int]) -> int:
    """Run the program in a process of its own; return its exit code."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED_AT, kill[0], str(kill[1]), *arguments],
        env={
            **os.environ,
            "ANTHROPIC_BASE_URL": api.base_url,
            "ANTHROPIC_API_KEY": "test-key",
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode not in (0, -signal.SIGKILL):
        raise SystemExit(done.stderr)
    return done.returncode


def results(directory: Path) -> dict[str, object]:
    """`results.json` without latency, spend and time stamps."""
    found = json.loads((directory / "results.json").read_text(encoding="utf-8"))
    del found["spend"], found["latency"], found["metadata"]["timestamp"]
    for question in found["questions"]:
        del question["search_latency_ms"], question["answer_latency_ms"]
    return dict(found)


def report(directory: Path) -> list[str]:
    """`report.md` without the tables of latency and spend, and the time stamps."""
    text = (directory / "report.md").read_text(encoding="utf-8")
    parts = re.split(r"^(?=##)", text, flags=re.MULTILINE)
    return [
        re.sub(r"\d{4}-\d\d-\d\dT[^ ]+", "at", part)
        for part in parts
        if not re.match(r"#+ (?:Latency|Spend)", part)
    ]


def rows(directory: Path) -> tuple[int, int]:
    """Return the entries that were paid for, and the attempts at them."""
    db = sqlite3.connect(directory / "ledger.sqlite")
    try:
        counted = db.execute(
            "SELECT count(DISTINCT key), count(*) "
            "FROM attempt JOIN request ON request.id = attempt.request "
            "WHERE stage IN ('answer', 'judge')"
        ).fetchone()
        return int(counted[0]), int(counted[1])
    finally:
        db.close()


def states(directory: Path) -> list[str]:
    """Return the states of the batches in the order in which they were planned."""
    db = sqlite3.connect(directory / "ledger.sqlite")
    try:
        return [
            str(state)
            for (state,) in db.execute("SELECT state FROM batch ORDER BY planned_at")
        ]
    finally:
        db.close()


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=1540)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--size", type=int, default=1000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = compare(
            Path(folder), questions=given.questions, runs=given.runs, size=given.size
        )
    print(f"exit codes in batches    {found.exit_codes}")
    print(f"results as live          {found.same_results}")
    print(f"report as live           {found.same_report}")
    print(
        f"replies sold             {found.live_bought:,} live, "
        f"{found.batch_bought:,} in batches"
    )
    print(f"entries, attempts        {found.entries:,}, {found.attempts:,}")
    print(
        f"batches                  {len(found.batches)}, {sorted(set(found.batches))}"
    )
    print(f"seconds live             {found.live_seconds:.1f}")
    print(
        "seconds in batches       "
        + ", ".join(f"{each:.1f}" for each in found.batch_seconds)
    )
    print(f"largest memory           {found.megabytes:.0f} MB")


if __name__ == "__main__":
    main()
