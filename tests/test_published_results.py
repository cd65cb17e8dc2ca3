"""Published result files of other harnesses give their published figures."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.locomo


def imported(file: Path, dataset: Path, directory: Path) -> tuple[Any, Any]:
    program = [sys.executable, "-m", "locomo_run"]
    made = subprocess.run(
        [*program, "import", file, "--dataset", dataset, "--out", directory, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    report = subprocess.run(
        [*program, "report", directory, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(made.stdout), json.loads(report.stdout)


def percent(mean: float) -> float:
    return round(100 * mean, 2)


@pytest.mark.parametrize(
    ("name", "accuracy", "by_category", "f1"),
    [
        (
            "mem0-format-memobase-0710.json",
            75.78,
            (70.92, 85.05, 46.88, 77.17),
            {"locomo": 54.51, "standard": 54.43, "mem0": 51.45, "squad": 52.64},
        ),
        (
            "evermemos-format-gpt-4o-mini-memos.json",
            74.29,
            (70.21, 51.09, 56.6, 86.52),
            {},
        ),
    ],
)
def test_a_whole_file_gives_the_published_accuracy_and_f1(
    dataset_path: Path,
    tmp_path: Path,
    name: str,
    accuracy: float,
    by_category: tuple[float, ...],
    f1: dict[str, float],
) -> None:
    """J from the file's README and its metadata, F1 recomputed by the reference
    scorers over the same answers."""
    file = dataset_path.parent / "results" / name
    made, results = imported(file, dataset_path, tmp_path / "run")

    assert (made["matched"], made["answers"], made["problems"]) == (1540, 1540, [])
    (judged,) = results["judge"].values()
    assert percent(judged["overall_judge"]["mean_j"]) == accuracy
    categories = judged["per_category_judge"]
    assert list(categories) == ["multi-hop", "temporal", "open-domain", "single-hop"]
    assert tuple(percent(c["mean_j"]) for c in categories.values()) == by_category
    for profile, figure in f1.items():
        assert percent(results["overall_f1"][profile]["mean"]) == figure


@pytest.mark.parametrize(
    ("name", "count", "correct"),
    [("zep-format-sample.json", 178, 124), ("backboard-format-sample.json", 81, 74)],
)
def test_a_sample_matches_whole_and_keeps_its_verdicts(
    dataset_path: Path, tmp_path: Path, name: str, count: int, correct: int
) -> None:
    """The numbers of correct answers are counted in the files."""
    file = dataset_path.parent / "results" / name
    made, results = imported(file, dataset_path, tmp_path / "run")

    assert (made["matched"], made["problems"]) == (count, [])
    (judged,) = results["judge"].values()
    assert percent(judged["overall_judge"]["mean_j"]) == percent(correct / count)
    assert results["metadata"]["subset"] is True
