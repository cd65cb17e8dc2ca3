from __future__ import annotations

import pytest
from locomo_run.claude_mem.account import CODE_MODE, Account, is_code, remarks


def test_a_faultless_run_has_no_remarks() -> None:
    account: Account = {
        "via": "observation",
        "vectors": True,
        "mode": "conversation",
        "mode_of_rows": "other",
        "index": "ready",
        "ingestion": {"conv-1": {"missing": []}},
        "workers": [{"version": "13.25.3", "pid": 1}],
    }

    assert remarks(account) == []


def test_missing_sessions_come_first_and_by_name() -> None:
    account: Account = {
        "vectors": False,
        "incomplete": True,
        "ingestion": {"conv-1": {"missing": [2, 10]}, "conv-2": {"missing": [1]}},
    }

    assert remarks(account)[0] == (
        "NOT COMPLETE: 3 sessions are not in the memory "
        "(conv-1 sessions 2, 10; conv-2 session 1)."
    )


def test_one_missing_session_is_said_in_the_singular() -> None:
    account: Account = {
        "vectors": True,
        "incomplete": True,
        "ingestion": {"conv-1": {"missing": [2]}},
    }

    assert remarks(account) == [
        "NOT COMPLETE: 1 session is not in the memory (conv-1 session 2)."
    ]


def test_a_worker_that_changed_is_named_with_all_its_lives() -> None:
    account: Account = {
        "workers": [
            {"version": "13.4.0", "pid": 1},
            {"version": "13.25.3", "pid": 2},
        ]
    }

    assert remarks(account) == [
        "The worker changed during the run: 13.4.0 (pid 1), then 13.25.3 (pid 2)."
    ]


@pytest.mark.parametrize(
    ("mode", "of_rows", "code"),
    [
        ("code", None, True),
        ("code", "other", False),
        ("conversation", "code", True),
        ("conversation", None, False),
        (None, None, False),
    ],
)
def test_what_rows_say_about_the_mode_wins_over_the_settings(
    *, mode: str | None, of_rows: str | None, code: bool
) -> None:
    account: Account = {"mode": mode, "mode_of_rows": of_rows}

    assert is_code(account) is code
    assert (CODE_MODE in remarks(account)) is code


def test_the_mode_does_not_matter_to_an_import() -> None:
    assert CODE_MODE not in remarks({"via": "import", "mode": "code"})
