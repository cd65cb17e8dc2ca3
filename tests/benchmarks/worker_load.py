"""The whole data set through a real claude-mem worker: time, losses, latency, recall.

    PYTHONPATH=tests uv run python -m benchmarks.worker_load DATASET [--via import]
        [--vectors] [--conversation ID ...] [--keep FOLDER]

Starts the newest worker with a throw-away home and a model of this project's own, which
answers every compression call with the turns it was given; ingests every session, asks
all answerable questions with the extractive answerer, and does the same with the
embedded memory for comparison.
What is measured is therefore the path and not a model: nothing may get lost, and the
search must find again what was stored word for word.

`--vectors` switches vector search on.
Its index takes about one row a second on two cores: 35 minutes for the whole.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from locomo_dataset import Dataset, load
from locomo_run.claude_mem.naming import session_of
from worker.installation import NEWEST, install_chroma, install_worker
from worker.real_worker import Worker, running
from worker.stub_llm import serving

INDEX_SECONDS = 7200


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--via", choices=("observation", "import"))
    parser.add_argument("--vectors", action="store_true")
    parser.add_argument("--conversation", action="append", default=[])
    parser.add_argument("--keep", type=Path, help="folder for the runs")
    given = parser.parse_args()
    folder = given.keep or Path(tempfile.mkdtemp(prefix="worker-load-"))
    chosen = [f"--conversation={each}" for each in given.conversation]
    dataset = load(given.dataset)
    common = [f"--dataset={given.dataset.absolute()}", "--no-adversarial", *chosen]
    chroma = install_chroma(str(shutil.which("uv"))) if given.vectors else None
    with (
        serving() as stub,
        running(
            install_worker(NEWEST), folder / "home", llm=stub.url, chroma=chroma
        ) as worker,
    ):
        if given.vectors:
            wait_for_vectors(worker)
        claude_mem = [
            "--memory=claude-mem",
            f"--worker=127.0.0.1:{worker.port}",
            f"--via={given.via or 'observation'}",
            f"--index-timeout={INDEX_SECONDS}",
            "--poll=0.5",
        ]
        environment = {"CLAUDE_MEM_DATA_DIR": str(worker.data_dir)}
        ours = folder / "claude-mem"
        seconds = program("ingest", *common, *claude_mem, out=ours, more=environment)
        print(f"ingestion and gate: {seconds:.0f} s")
        seconds = program("run", *common, *claude_mem, out=ours, more=environment)
        print(f"questions: {seconds:.0f} s; model calls: {len(stub.calls()):,}")
    program("run", *common, "--memory=embedded", out=folder / "embedded")
    show_ingestion(ours)
    show("claude-mem", ours, dataset)
    show("embedded", folder / "embedded", dataset)
    print(f"runs kept in {folder}")


def wait_for_vectors(worker: Worker) -> None:
    """Wait until the worker's vector search is there; it takes about 15 s."""
    for _ in range(120):
        answer = worker.http.get("/api/chroma/status").json()
        if answer.get("connected"):
            return
        time.sleep(1)
    sys.exit(f"vector search did not get ready: {answer}")


def program(
    command: str, *options: str, out: Path, more: Mapping[str, str] | None = None
) -> float:
    """Run a command of locomo-run; return the seconds that it took."""
    started = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "locomo_run", command, *options, f"--out={out}"],
        env={**os.environ, **(more or {})},
        stdout=subprocess.DEVNULL,
        stderr=(out.parent / f"{out.name}-{command}.log").open("w", encoding="utf-8"),
        check=True,
    )
    return time.monotonic() - started


def show_ingestion(run: Path) -> None:
    """Print what the run tells about its worker."""
    with sqlite3.connect(run / "ledger.sqlite") as ledger:
        (text,) = ledger.execute(
            "SELECT value FROM fact WHERE name = 'claude_mem'"
        ).fetchone()
    account = json.loads(text)
    held = account["ingestion"].values()
    print(
        f"worker {account['workers']}, vectors {account['vectors']}: "
        f"{sum(each['stored'] for each in held):,} of "
        f"{sum(each['sessions'] for each in held):,} sessions stored, "
        f"{sum(each['observations'] for each in held):,} rows; "
        f"searches {account['searches']}, without a hit {account['without_hits']}"
    )


def show(name: str, run: Path, dataset: Dataset) -> None:
    """Print latency and recall of a run."""
    results = json.loads((run / "results.json").read_text(encoding="utf-8"))
    asked = results["questions"]
    latencies = sorted(each["search_latency_ms"] for each in asked)
    by_session = list(session_recalls(asked, dataset))
    by_turn = [
        each["evidence_recall"] for each in asked if each["evidence_recall"] is not None
    ]
    print(
        f"{name}: n = {len(asked):,}, search p50 {quantile(latencies, 0.5):.1f} ms, "
        f"p95 {quantile(latencies, 0.95):.1f} ms, evidence recall@10 by session "
        f"{mean(by_session)}, by turn {mean(by_turn)}"
    )


def session_recalls(
    asked: Sequence[Mapping[str, Any]], dataset: Dataset
) -> Iterator[float]:
    """Give the share of evidence sessions among the hits of each question."""
    for each in asked:
        wanted = {turn.session for turn in dataset.question(each["id"]).evidence}
        if wanted:
            yield len(wanted & set(map(hit_session, each["search_results"]))) / len(
                wanted
            )


def hit_session(name: str) -> int | None:
    """Return the session of a hit of either memory."""
    if name.startswith("D"):
        return int(name[1:].partition(":")[0])
    return session_of(name)


def quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def mean(values: Sequence[float]) -> str:
    return f"{sum(values) / len(values):.3f} (n = {len(values):,})" if values else "n/a"


if __name__ == "__main__":
    main()
