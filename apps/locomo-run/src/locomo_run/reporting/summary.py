"""The last screen of a run."""

from __future__ import annotations

from eval_report import render_text

from locomo_run.claude_mem.plain import plain
from locomo_run.reporting.judge_tables import judge_blocks
from locomo_run.reporting.report import remarks
from locomo_run.reporting.results import Results
from locomo_run.reporting.spend_table import spend_tables
from locomo_run.reporting.tables import (
    adversarial_table,
    f1_table,
    latency_table,
    profiles_table,
    recall_table,
)
from locomo_run.reporting.worker_tables import session_recall_table

LONGEST = 5_000
"""Characters of a remark; far above the longest, which names every session."""


def last_screen(results: Results) -> str:
    """Return the blocks that a run ends with, for a terminal: first what to know."""
    by_session = session_recall_table(results)
    tables = [
        f1_table(results, results.facts.headline),
        profiles_table(results),
        *([adversarial_table(results)] if results.adversarial else []),
        *judge_blocks(results),
        recall_table(results),
        *([by_session] if by_session else []),
        latency_table(results),
        *spend_tables(results),
    ]
    said = "".join(f"{plain(remark, LONGEST)}\n" for remark in remarks(results))
    return "\n".join([*([said] if said else []), *map(render_text, tables)])
