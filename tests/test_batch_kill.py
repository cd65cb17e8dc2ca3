"""A run in batches can be killed where it hurts most, and buys nothing twice."""

import os
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path

from llm_judge.testing import FakeMessagesAPI


def test_a_run_in_batches_killed_twice_ends_with_the_report_of_a_live_one(
    root: Path, tmp_path: Path
) -> None:
    """The size of LoCoMo is `tests/benchmarks/batch_full.py`."""
    script = runpy.run_path(str(root / "tests/benchmarks/batch_full.py"))

    found = script["compare"](tmp_path, questions=60, runs=10, size=50)

    assert found.exit_codes == [-signal.SIGKILL, -signal.SIGKILL, 0]
    assert found.same_results
    assert found.same_report
    assert found.entries == found.attempts == 660
    assert found.batch_bought == found.live_bought == 660
    assert set(found.batches) == {"collected"}


def test_ctrl_c_stops_waiting_and_the_same_command_collects(tmp_path: Path) -> None:
    command = [
        *(sys.executable, "-m", "locomo_run", "run", "--quiet", "--batch"),
        *("--answerer", "claude-opus-4-6", "--limit", "5", "--out", str(tmp_path)),
    ]
    with FakeMessagesAPI(batch_polls=None) as api:
        environment = {
            **os.environ,
            "ANTHROPIC_BASE_URL": api.base_url,
            "ANTHROPIC_API_KEY": "test-key",
        }
        with subprocess.Popen(
            command, env=environment, stderr=subprocess.PIPE, text=True
        ) as waiting:
            while "GET /v1/messages/batches/msgbatch_0001" not in api.counts.by_path:
                assert waiting.poll() is None
                time.sleep(0.01)  # for another process, which tells through the server
            waiting.send_signal(signal.SIGINT)
            _, said = waiting.communicate(timeout=20)
        assert waiting.returncode == 130
        assert "4 requests in 1 message batches go on at the endpoint" in said
        assert api.counts.bought == 1

        api.end_batch("msgbatch_0001")
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)

        assert api.counts.bought == 5
