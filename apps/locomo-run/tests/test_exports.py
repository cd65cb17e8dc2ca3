import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result
from locomo_run.reporting.exports import to_csv, to_jsonl
from locomo_run.reporting.results import Results

Scored = Callable[..., Results]


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
