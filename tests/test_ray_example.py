"""The example that shards a run over Ray gives what one run gives."""

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TAKES_TIME = ("latency", "timestamp", "search_latency_ms", "answer_latency_ms")


@pytest.mark.index
def test_shards_on_two_ray_workers_merge_into_the_unsharded_result(
    root: Path, uv: str, tmp_path: Path
) -> None:
    quiet = {
        "RAY_AUTH_TOKEN": secrets.token_hex(32),  # else Ray writes one into the home
        "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",  # else Ray copies the working folder
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    script = root / "docs/examples/shard_with_ray.py"
    with_ray = (uv, "run", "--no-sync", "--with", "ray", "--project", root, "python")
    options = ("--workers", "2", "--", "--search-limit", "5")
    for run in ("first", "again"):  # the second time everything is there already
        done = subprocess.run(
            (*with_ray, script, tmp_path / "sharded", *options),
            cwd=tmp_path,
            env={**os.environ, **quiet},
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("exit code 0") == 2, run
    program = (sys.executable, "-m", "locomo_run", "run", "--quiet")
    subprocess.run(
        (*program, "--search-limit", "5", "--out", tmp_path / "whole"),
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    assert figures(tmp_path / "sharded") == figures(tmp_path / "whole")


def figures(run: Path) -> Any:
    """Everything in results.json that does not tell the time."""
    return timeless(json.loads((run / "results.json").read_text("utf-8")))


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {n: timeless(v) for n, v in value.items() if n not in TAKES_TIME}
    return [timeless(part) for part in value] if isinstance(value, list) else value
