import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from locomo_run.errors import UsageError
from locomo_run.reporting.exports import read_results, to_csv, to_jsonl
from locomo_run.reporting.results import Results
from locomo_run.reporting.results_json import json_parts, overall, question_spec

Scored = Callable[..., Results]


def test_a_results_file_read_back_is_what_was_written(
    scored: Scored, tmp_path: Path
) -> None:
    results = scored((None, 'a "b", c\n', "ü\u202e", "x"))
    path = tmp_path / "results.json"
    path.write_text("".join(json_parts(results)), encoding="utf-8")

    assert read_results(path) == {
        **overall(results),
        "questions": [question_spec(outcome, results) for outcome in results.outcomes],
    }


@pytest.mark.parametrize("text", ["", "[]", "{}", "x", "[" * 100_000])
def test_what_is_no_results_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(UsageError, match=r"a\.json is no results file"):
        read_results(path)


def test_a_results_file_of_another_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"schema": 99, "questions": []}', encoding="utf-8")

    with pytest.raises(UsageError, match="schema 99"):
        read_results(path)


def test_csv_and_jsonl_hold_the_same_rows(scored: Scored) -> None:
    results = scored((None, 'a "b", c\n', "ü", "x"))

    table = list(csv.DictReader(io.StringIO(to_csv(results))))
    lines = [json.loads(line) for line in to_jsonl(results).splitlines()]

    assert len(table) == len(lines) == 4
    for row, line in zip(table, lines, strict=True):
        assert row == {k: "" if v is None else str(v) for k, v in line.items()}
    assert (table[0]["prediction"], table[0]["f1_locomo"]) == ("", "")
    assert table[1]["prediction"] == 'a "b", c\n'


def test_the_report_command_writes_every_form(
    call: Callable[..., Result], folder: Path
) -> None:
    call("run", "--quiet", "--limit", "4", "--out", "run")

    done = call(
        *("report", "run", "--write", "--findings", "--methodology"),
        *("--html", "a.html", "--csv", "a.csv", "--jsonl", "a.jsonl"),
    )

    assert done.stdout.splitlines() == [
        "run/report.md",
        "run/results.json",
        "run/findings.md",
        "run/methodology.md",
        "a.html",
        "a.csv",
        "a.jsonl",
    ]
    assert all((folder / name).stat().st_size > 100 for name in done.stdout.split())
    findings = (folder / "run" / "findings.md").read_text(encoding="utf-8")
    assert findings.startswith('---\ntype: "report"\ntitle: "LoCoMo Results"\n')
    assert 'related: ["[[Methodology]]"]' in findings
    for heading in (
        "Executive summary",
        "J results (primary)",
        "F1 results (secondary)",
        "Latency and efficiency",
        "Per category",
        "Architectural insights",
        "Limitations",
        "Future work",
        "Raw numbers",
    ):
        assert f"\n## {heading}\n" in findings
