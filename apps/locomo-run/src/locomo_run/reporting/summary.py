"""The last screen of a run."""

from __future__ import annotations

from eval_report import render_text

from locomo_run.reporting.judge_tables import judge_blocks
from locomo_run.reporting.results import Results
from locomo_run.reporting.spend_table import spend_tables
from locomo_run.reporting.tables import (
    adversarial_table,
    f1_table,
    latency_table,
    profiles_table,
    recall_table,
)


def last_screen(results: Results) -> str:
    """Return the blocks that a run ends with, for a terminal."""
    tables = [
        f1_table(results, results.facts.headline),
        profiles_table(results),
        *([adversarial_table(results)] if results.adversarial else []),
        *judge_blocks(results),
        recall_table(results),
        latency_table(results),
        *spend_tables(results),
    ]
    return "\n".join(render_text(table) for table in tables)
