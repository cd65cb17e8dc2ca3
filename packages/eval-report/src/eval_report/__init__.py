"""Evaluation tables with counts, intervals and baselines that carry their source.

Records go in (`Record`); summaries, intervals and tables come out. Nothing is
rounded before it is printed, and a score that does not exist is never a 0.
"""

from eval_report._aggregate import (
    JudgeSummary,
    Summary,
    aggregate_f1_by_category,
    aggregate_judge_by_category,
    compute_overall_f1,
    compute_overall_judge,
)
from eval_report._baselines import (
    BaselineError,
    Baselines,
    Benchmark,
    CategoryInfo,
    F1Baseline,
    Footnote,
    JBaseline,
    LatencyBaseline,
    Source,
    load_baselines,
)
from eval_report._breakdown import (
    format_f1_breakdown_table,
    format_judge_breakdown_table,
)
from eval_report._comparison import (
    format_f1_comparison_table,
    format_judge_comparison_table,
)
from eval_report._correlation import critical_correlation
from eval_report._efficiency import (
    format_latency_breakdown_table,
    format_latency_comparison_table,
)
from eval_report._intervals import (
    ClusteredMean,
    Interval,
    bootstrap_interval,
    clustered_mean,
    wilson_interval,
)
from eval_report._latency import LatencySummary, latency_stats
from eval_report._majority import MajorityVote, majority_vote
from eval_report._markdown import escape_markdown, render_markdown
from eval_report._paired import (
    PairedDifference,
    holm,
    paired_bootstrap_interval,
    paired_difference,
    smallest_detectable_difference,
)
from eval_report._published import (
    OverallCheck,
    check_published_overall,
    weighted_overall,
)
from eval_report._record import Record
from eval_report._report import Section, format_full_report
from eval_report._runs import RunNoise, run_noise
from eval_report._scores import F1Scores, JudgeScores, LatencyScores, RunScores
from eval_report._sign_flip import (
    MAX_EXACT_CLUSTERS,
    SIGN_FLIP_DRAWS,
    sign_flip_p,
)
from eval_report._table import Table
from eval_report._text import render_text

__all__ = [
    "MAX_EXACT_CLUSTERS",
    "SIGN_FLIP_DRAWS",
    "BaselineError",
    "Baselines",
    "Benchmark",
    "CategoryInfo",
    "ClusteredMean",
    "F1Baseline",
    "F1Scores",
    "Footnote",
    "Interval",
    "JBaseline",
    "JudgeScores",
    "JudgeSummary",
    "LatencyBaseline",
    "LatencyScores",
    "LatencySummary",
    "MajorityVote",
    "OverallCheck",
    "PairedDifference",
    "Record",
    "RunNoise",
    "RunScores",
    "Section",
    "Source",
    "Summary",
    "Table",
    "aggregate_f1_by_category",
    "aggregate_judge_by_category",
    "bootstrap_interval",
    "check_published_overall",
    "clustered_mean",
    "compute_overall_f1",
    "compute_overall_judge",
    "critical_correlation",
    "escape_markdown",
    "format_f1_breakdown_table",
    "format_f1_comparison_table",
    "format_full_report",
    "format_judge_breakdown_table",
    "format_judge_comparison_table",
    "format_latency_breakdown_table",
    "format_latency_comparison_table",
    "holm",
    "latency_stats",
    "load_baselines",
    "majority_vote",
    "paired_bootstrap_interval",
    "paired_difference",
    "render_markdown",
    "render_text",
    "run_noise",
    "sign_flip_p",
    "smallest_detectable_difference",
    "weighted_overall",
    "wilson_interval",
]
