"""The main job on the real data set."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.locomo


def locomo_run(*arguments: str | Path) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "locomo_run", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def finished(
    dataset_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Any]:
    directory = tmp_path_factory.mktemp("locomo") / "run"
    errata = dataset_path.with_name("locomo-audit-errors.json")
    summary = locomo_run(
        *("run", "--dataset", dataset_path, "--errata", errata),
        *("--out", directory, "--json", "--quiet"),
    )
    return directory, summary


def test_all_questions_are_answered_and_scored(finished: tuple[Path, Any]) -> None:
    _, summary = finished

    assert summary["metadata"]["states"] == {
        "answered": 1986,
        "failed": 0,
        "missing": 0,
    }
    for profile, overall in summary["overall_f1"].items():
        assert (overall["count"], overall["missing"]) == (1540, 0), profile
        counts = {
            name: each["count"]
            for name, each in summary["per_category_f1"][profile].items()
        }
        assert counts == {
            "multi-hop": 282,
            "temporal": 321,
            "open-domain": 96,
            "single-hop": 841,
        }
    assert summary["adversarial"]["count"] == 446
    assert summary["adversarial"]["answerable_abstention"]["count"] == 1540
    assert summary["overall_f1_without_wrong_golds"]["locomo"]["count"] == 1441
    assert summary["metadata"]["subset"] is False


def test_evidence_recall_is_at_least_what_was_promised(
    finished: tuple[Path, Any],
) -> None:
    _, summary = finished

    assert summary["evidence_recall"]["count"] == 1536
    assert summary["evidence_recall"]["k"] == 10
    assert summary["evidence_recall"]["mean"] >= 0.62


def test_the_report_and_the_checks_hold(finished: tuple[Path, Any]) -> None:
    directory, _ = finished

    checks = locomo_run("validate", directory, "--json")
    assert {check["verdict"] for check in checks} == {"PASS"}
    report = (directory / "report.md").read_text(encoding="utf-8")
    assert "subset" not in report
    assert "| Mem0 | mem0 | 38.72 | 48.93 | 28.64 | 47.65 |" in report


def test_a_repeated_command_asks_nothing_again(finished: tuple[Path, Any]) -> None:
    directory, _ = finished
    before = (directory / "results.json").read_bytes()

    locomo_run(
        *("run", "--dataset", read_source(directory), "--out", directory),
        *("--json", "--quiet", "--errata", errata_beside(directory)),
    )

    assert (directory / "results.json").read_bytes() == before


def read_source(directory: Path) -> str:
    from locomo_run.ledger.store import Ledger

    with Ledger.read(directory) as ledger:
        return str(ledger.fact("source"))


def errata_beside(directory: Path) -> Path:
    return Path(read_source(directory)).with_name("locomo-audit-errors.json")


@pytest.mark.parametrize(
    ("memory", "recall"), [("oracle", 1.0), ("full-context", 1.0), ("none", 0.0)]
)
def test_the_ends_of_the_scale_are_where_they_belong(
    dataset_path: Path, tmp_path: Path, memory: str, recall: float
) -> None:
    summary = locomo_run(
        *("run", "--dataset", dataset_path, "--memory", memory, "--limit", "150"),
        *("--out", tmp_path / "run", "--json", "--quiet"),
    )

    assert summary["evidence_recall"]["mean"] == recall
    assert summary["metadata"]["subset"] is True
