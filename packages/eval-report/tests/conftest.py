import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from eval_report import Record
from eval_report.page import Question

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def reference() -> dict[str, Any]:
    """Statistics of the synthetic judge runs, made with numpy and scipy."""
    text = (DATA / "judge_runs_synthetic_stats.json").read_text(encoding="utf-8")
    stats: dict[str, Any] = json.loads(text)
    return stats


@pytest.fixture(scope="session")
def synthetic() -> dict[str, list[Record]]:
    """Judge runs of the synthetic systems A (five runs) and B (three)."""
    text = (DATA / "judge_runs_synthetic.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    return {
        system: [
            Record.from_runs(
                item=f"{row['conv']}:{row['q']}",
                category=row["category"],
                cluster=row["conv"],
                metric="j",
                runs=tuple(row[system]),
            )
            for row in rows
        ]
        for system in ("A", "B")
    }


@pytest.fixture
def holed() -> list[Record]:
    """Four questions of two categories and conversations with failed judge runs."""
    table: list[tuple[str, int, str, tuple[float | None, ...]]] = [
        ("q1", 1, "a", (1, 1, None)),
        ("q2", 1, "b", (0, 1, 1)),
        ("q3", 2, "a", (None, None, None)),
        ("q4", 2, "b", (1, 0, 1)),
    ]
    return [
        Record.from_runs(item=i, category=c, cluster=cluster, metric="j", runs=runs)
        for i, c, cluster, runs in table
    ]


@pytest.fixture
def question() -> Callable[..., Question]:
    """Make an answered question; what is given replaces what is here."""

    def make(**changes: Any) -> Question:
        values: dict[str, Any] = {
            "id": "conv-1:0",
            "conversation": "conv-1",
            "category": 1,
            "text": "Where is the kayak?",
            "gold": "the boathouse",
            "state": "answered",
            "prediction": "in the boathouse",
        }
        return Question(**{**values, **changes})

    return make
