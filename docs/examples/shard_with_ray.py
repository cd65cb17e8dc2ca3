"""Shard a run by conversation over a Ray cluster, then merge the shards.

    python shard_with_ray.py runs/all --dataset locomo10 -- --search-limit 20

What stands behind `--` is passed on to `locomo-run run`. Each shard is an ordinary run
with a memory of its own, in a folder of the node that works on it. What it stored comes
back as the bytes of its ledger, also when it failed: no shared disk is needed, and the
same command goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import ray
from locomo_run.dataset_source import open_dataset

LEDGER = "ledger.sqlite"
RUN = (sys.executable, "-m", "locomo_run")


@dataclass(frozen=True)
class Shard:
    """What became of one conversation."""

    conversation: str
    ledger: bytes | None
    exit_code: int
    said: str


@ray.remote(num_cpus=1, max_retries=2)
def run_shard(conversation: str, options: Sequence[str], ledger: bytes | None) -> Shard:
    """Run one conversation on a node, from an earlier ledger if there is one."""
    with TemporaryDirectory(prefix="locomo-shard-") as folder:
        stored = Path(folder) / LEDGER
        if ledger is not None:
            stored.write_bytes(ledger)
        place = ("--conversation", conversation, "--out", folder)
        done = subprocess.run(
            [*RUN, "run", *options, *place, "--quiet"],
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if stored.exists():
            with closing(sqlite3.connect(stored)) as db:
                db.execute("PRAGMA journal_mode=DELETE")  # a killed run leaves a log
            ledger = stored.read_bytes()
        return Shard(conversation, ledger, done.returncode, done.stderr)


def keep(shard: Shard, folder: Path) -> None:
    """Write a shard's ledger, whole or not at all."""
    if shard.ledger is not None:
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{LEDGER}.part"
        part.write_bytes(shard.ledger)
        part.replace(folder / LEDGER)


def main() -> int:
    """Run what is missing of every shard, then merge them."""
    parser = argparse.ArgumentParser(
        description="Shard a run over Ray.",
        epilog="What stands behind -- is passed on to locomo-run run.",
    )
    parser.add_argument("out", type=Path, help="run directory of the whole")
    parser.add_argument("--dataset", default="mini", help="name or path")
    parser.add_argument("--workers", type=int, help="of a local cluster")
    words = [*sys.argv[1:], "--"]
    split = words.index("--")
    given, passed = parser.parse_args(words[:split]), words[split + 1 : -1]

    shards = given.out.with_name(f"{given.out.name}-shards")
    folders = {
        each.sample_id: shards / str(number)  # an id need not be a file name
        for number, each in enumerate(open_dataset(given.dataset).conversations)
    }
    options = ["--dataset", given.dataset, *passed]

    ray.init(num_cpus=given.workers, include_dashboard=False)
    waiting = []
    for conversation, folder in folders.items():
        known = folder / LEDGER
        before = known.read_bytes() if known.exists() else None
        waiting.append(run_shard.remote(conversation, options, before))
    failed = []
    while waiting:
        (ready,), waiting = ray.wait(waiting)
        shard = ray.get(ready)
        keep(shard, folders[shard.conversation])
        print(f"{shard.conversation}: exit code {shard.exit_code}", file=sys.stderr)
        if shard.exit_code:
            failed.append(shard.conversation)
            print(shard.said, file=sys.stderr)
    ray.shutdown()

    if failed:
        print(f"{len(failed)} shards failed: run this again", file=sys.stderr)
        return 1
    merge = [*RUN, "merge", given.out, *folders.values(), "--dataset", given.dataset]
    return subprocess.run(merge, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
