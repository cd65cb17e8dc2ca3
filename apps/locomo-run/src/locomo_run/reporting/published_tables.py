"""Tables: a run beside published numbers."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean

from eval_report import (
    F1Scores,
    LatencyScores,
    Record,
    Table,
    aggregate_f1_by_category,
    clustered_mean,
    compute_overall_f1,
    format_f1_comparison_table,
    format_latency_comparison_table,
)
from locomo_dataset import Category

from locomo_run.reporting.cells import system_name
from locomo_run.reporting.results import Results
from locomo_run.scoring import ABSTAIN, F1_PROFILES, signature

PAPER_PROFILE = "locomo"


def f1_scores(results: Results, profile: str) -> F1Scores:
    """Return the scores of the answerable questions under one profile."""
    return F1Scores(
        name=system_name(results),
        interval=results.f1_clustered(profile).interval,
        profile=profile,
        signature=signature(profile),
        by_category=results.f1_by_category(profile),
        overall=results.f1_overall(profile),
        covered=tuple(int(c) for c in Category if c is not Category.ADVERSARIAL),
        expected=results.expected,
    )


def f1_comparison(results: Results, *, as_printed: bool = False) -> Table:
    """Set the run beside the published F1."""
    return format_f1_comparison_table(
        [published_scores(results, profile) for profile in F1_PROFILES],
        as_printed=as_printed,
    )


def latency_comparison(results: Results) -> Table:
    """Set the run's latencies beside the published ones."""
    read = [o.input_tokens for o in results.outcomes if o.input_tokens is not None]
    run = LatencyScores(
        name=system_name(results),
        search=results.latency("search"),
        total=results.latency("total"),
        context_tokens=fmean(read) if read else None,
        asked=len(results.outcomes),
        expected=len(results.dataset.all_questions()),
    )
    return format_latency_comparison_table([run])


def published_records(results: Results, profile: str) -> tuple[Record, ...]:
    """Return the records that published overalls of a profile are over.

    The LoCoMo paper's take in the adversarial questions.
    """
    records = results.f1_records(profile)
    if profile != PAPER_PROFILE:
        return records
    return records + _abstention_records(results)


def published_scores(results: Results, profile: str) -> F1Scores:
    """Return the scores under one profile over the questions of published overalls."""
    scores = f1_scores(results, profile)
    if profile != PAPER_PROFILE:
        return scores
    records = published_records(results, profile)
    return replace(
        scores,
        signature=f"{scores.signature},{Category.ADVERSARIAL.value}={ABSTAIN}",
        by_category=aggregate_f1_by_category(records),
        overall=compute_overall_f1(records),
        interval=clustered_mean(records).interval,
        covered=(*scores.covered, Category.ADVERSARIAL),
        expected=len(results.dataset.all_questions()),
    )


def _abstention_records(results: Results) -> tuple[Record, ...]:
    return tuple(
        Record(
            item=outcome.question.id,
            category=int(outcome.question.category),
            cluster=outcome.question.sample_id,
            metric=f"f1:{PAPER_PROFILE}",
            value=outcome.scores.locomo_abstain if outcome.scores else None,
        )
        for outcome in results.adversarial
    )
