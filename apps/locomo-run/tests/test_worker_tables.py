from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from locomo_run.claude_mem.account import Account
from locomo_run.reporting.results import Results
from locomo_run.reporting.worker_tables import worker_table

Scored = Callable[..., Results]


def test_a_run_without_a_worker_has_no_table_of_one(scored: Scored) -> None:
    assert worker_table(scored()) is None


def test_what_a_run_notes_about_its_worker_is_said_in_words(scored: Scored) -> None:
    account: Account = {
        "address": "http://localhost:37777",
        "found_by": "argument",
        "workers": [
            {"version": "13.4.0", "pid": 1001},
            {"version": "13.25.3", "pid": 1002},
        ],
        "via": "observation",
        "mode": None,
        "mode_of_rows": "other",
        "model": "some-model",
        "vectors": True,
        "index": "ready",
        "incomplete": False,
        "searches": {"question": 1, "keywords": 1540},
        "without_hits": 3,
        "remarks": ["shown elsewhere"],
        "ingestion": {
            "conv-1": {"sessions": 3, "stored": 1, "observations": 1, "missing": [2, 3]}
        },
    }

    table = worker_table(replace(scored(), worker=account))

    assert table is not None
    assert table.rows == (
        ("address", "http://localhost:37777"),
        ("address named by", "the option --worker"),
        ("worker processes", "13.4.0 (pid 1001), then 13.25.3 (pid 1002)"),
        ("way in", "compressed by the worker's model"),
        ("mode by its word or settings", "n/a"),
        ("mode by its rows", "not code"),
        ("model", "some-model"),
        ("search by vectors", "yes"),
        ("vector index", "ready"),
        ("questions allowed with sessions missing", "no"),
        ("searched by question", "1 question"),
        ("searched by keywords", "1,540 questions"),
        ("stored of conv-1", "1 of 3 sessions, 1 observation"),
    )


def test_a_worker_of_which_little_is_noted_has_a_short_table(scored: Scored) -> None:
    table = worker_table(replace(scored(), worker={"via": "import"}))

    assert table is not None
    assert table.rows == (("way in", "imported word for word"),)
