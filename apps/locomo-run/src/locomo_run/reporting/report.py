"""The report: a run's tables in Markdown, conditions first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from eval_report import Section, Table, format_full_report

from locomo_run.judging.agreement import agreement_tables
from locomo_run.outcome import State
from locomo_run.reporting.calibration_tables import calibration_tables
from locomo_run.reporting.cells import subset_mark
from locomo_run.reporting.collector import paused_collector
from locomo_run.reporting.headline import headline_table
from locomo_run.reporting.highlights import question_tables, standing_table
from locomo_run.reporting.judge_tables import (
    judge_blocks,
    judge_comparison,
    majority_tables,
    reliability_table,
)
from locomo_run.reporting.published_tables import f1_comparison, latency_comparison
from locomo_run.reporting.results import Results
from locomo_run.reporting.results_json import json_parts
from locomo_run.reporting.spend_table import spend_tables
from locomo_run.reporting.tables import (
    adversarial_table,
    conditions,
    f1_table,
    latency_table,
    profiles_table,
    recall_table,
    right_golds_table,
)
from locomo_run.reporting.worker_tables import session_recall_table, worker_table
from locomo_run.run_directory import write_file

FLOOR = (
    "The extractive answerer copies sentences from what the memory found: "
    "its score is a floor that shows that the pipeline works, not the score of a "
    "system."
)


@paused_collector()
def markdown(
    results: Results, *, as_printed: bool = False, no_text: bool = False
) -> str:
    """Return the report of a run.

    Args:
        results: The run, scored.
        as_printed: Also show the names that a source prints for its categories.
        no_text: Leave out questions, golds and predictions.
    """
    measured = Section(
        heading="What was measured",
        paragraphs=remarks(results),
        tables=(conditions(results), *_known(worker_table(results))),
    )
    rest = sections(results, as_printed=as_printed)
    if results.answerable:
        ends = question_tables(results, no_text=no_text)
        rest = (*rest, Section(heading="Best and worst", tables=ends))
    return format_full_report("LoCoMo evaluation", [measured, *rest])


def sections(results: Results, *, as_printed: bool = False) -> tuple[Section, ...]:
    """Return all that was found, conditions apart, in the order of the report.

    Args:
        results: The run, scored.
        as_printed: Also show the names that a source prints for its categories.
    """
    found = {
        "Headline": (headline_table(results),),
        "Beside published results": (
            f1_comparison(results, as_printed=as_printed),
            *judge_comparison(results, as_printed=as_printed),
            latency_comparison(results),
        ),
        "Token F1": (
            f1_table(results, results.facts.headline),
            profiles_table(results),
        ),
        "J": judge_blocks(results),
        "Abstention": (adversarial_table(results),) if results.adversarial else (),
        "Known wrong golds": _known(right_golds_table(results)),
        "Latency and efficiency": (latency_table(results),),
        "Spend": spend_tables(results),
        "How far to trust the judge": (
            *_known(reliability_table(results) if results.judged else None),
            *majority_tables(results),
            *agreement_tables(results),
            *calibration_tables(results.calibrations),
        ),
        "Retrieval": (recall_table(results), *_known(session_recall_table(results))),
        "Where it stands": (standing_table(results),) if results.answerable else (),
    }
    return tuple(
        Section(heading=heading, tables=tables)
        for heading, tables in found.items()
        if tables
    )


def worker_section(results: Results) -> tuple[Section, ...]:
    """Return what is known of a claude-mem worker, for where conditions stand apart."""
    tables = _known(worker_table(results))
    return (Section(heading="The memory", tables=tables),) if tables else ()


def _known(table: Table | None) -> tuple[Table, ...]:
    return () if table is None else (table,)


def write_reports(
    directory: Path, results: Results, *, as_printed: bool = False
) -> None:
    """Write `results.json` and `report.md` into a run directory.

    Raises:
        RunError: one of them cannot be written.
    """
    write_file(directory / "results.json", json_parts(results))
    write_file(directory / "report.md", markdown(results, as_printed=as_printed))


def remarks(results: Results) -> tuple[str, ...]:
    """Return what a reader must know before any figure."""
    said = list(cast(Sequence[str], results.worker.get("remarks", ())))
    missing = results.count(State.MISSING)
    failed = results.count(State.FAILED)
    if missing:
        said.append(
            f"NOT COMPLETE: {missing:,} selected questions have not been asked."
        )
    if failed:
        said.append(
            f"{failed:,} questions failed; they are left out of the means and counted "
            'under "Unscored".'
        )
    if unread := sum(bool(o.hits) and o.hits_read == 0 for o in results.outcomes):
        what = "question" if unread == 1 else "questions"
        said.append(
            f"NOTHING READ: for {unread:,} {what} the best hit alone is larger than "
            "the context, so that none of the hits was read."
        )
    if mark := subset_mark(results):
        said.append(f"This is a {mark}: no figure over the whole set.")
    if results.facts.identity["answerer"].get("name") == "extractive":
        said.append(FLOOR)
    return tuple(said)
