"""How sure the figures of a run are, as plain values."""

from __future__ import annotations

from collections.abc import Sequence

from eval_report import (
    ClusteredMean,
    Interval,
    Record,
    bootstrap_interval,
    majority_vote,
)

from locomo_run.judging.judged import Judged
from locomo_run.ledger.entry import Json
from locomo_run.reporting.results import Results
from locomo_run.scoring import F1_PROFILES


def intervals_spec(results: Results) -> dict[str, Json]:
    """Return the intervals of every mean over the answerable questions, by metric."""
    f1: dict[str, Json] = {
        f"f1:{profile}": _spec(
            results.f1_clustered(profile), results.f1_records(profile)
        )
        for profile in F1_PROFILES
    }
    j: dict[str, Json] = {
        each.judge.signature: _spec(each.clustered(), each.records())
        for each in results.judged
    }
    return f1 | j


def majority_spec(judged: Judged) -> dict[str, Json] | None:
    """Return the verdict of most runs, None for a judge that grades."""
    if not judged.two_valued:
        return None
    vote = majority_vote(judged.records(), full_mark=judged.full_mark)
    return {
        "correct": vote.correct,
        "wrong": vote.wrong,
        "ties": vote.ties,
        "missing": vote.missing,
        "accuracy": vote.accuracy,
        "interval": _ends(vote.interval),
    }


def _spec(mean: ClusteredMean, records: Sequence[Record]) -> dict[str, Json]:
    return {
        "mean": mean.mean,
        "count": mean.count,
        "clusters": mean.clusters,
        "std_error": mean.std_error,
        "interval": _ends(mean.interval),
        "iid_std_error": mean.iid_std_error,
        "iid_interval": _ends(mean.iid_interval),
        "design_effect": mean.design_effect,
        "bootstrap_interval": _ends(bootstrap_interval(records)),
    }


def _ends(interval: Interval | None) -> list[Json] | None:
    return None if interval is None else [interval.low, interval.high]
