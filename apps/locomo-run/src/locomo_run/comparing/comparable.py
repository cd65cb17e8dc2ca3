"""Which runs may be compared, and under which metrics."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from locomo_run.judging.judged import Judged
from locomo_run.reporting.metrics import Metric, f1_metric, judge_metric
from locomo_run.reporting.results import Results


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run and what it is called in a comparison."""

    name: str
    results: Results


def objections_to(base: Run, other: Run) -> list[str]:
    """Say why two runs must not be compared; empty if they may be."""
    found = []
    ours, theirs = (
        r.results.facts.identity["dataset"]["sha256"] for r in (base, other)
    )
    if ours != theirs:
        found.append(
            f"data set: {base.name} has sha256 {ours}, {other.name} has {theirs}"
        )
    judges, others = _judges(base), _judges(other)
    if judges and others and not judges.keys() & others.keys():
        found.append(
            f"judge: {base.name} was judged by {_named(judges)}, "
            f"{other.name} by {_named(others)}"
        )
    return found


def unanswered(runs: Sequence[Run]) -> tuple[str, ...]:
    """Say which runs lack answers, and how many."""
    remarks = []
    for run in runs:
        answered = sum(o.prediction is not None for o in run.results.answerable)
        if short := len(run.results.answerable) - answered:
            remarks.append(
                f"{run.name} has no answer to {short:,} of its answerable questions; "
                "they take no part."
            )
    return tuple(remarks)


def why_no_judge(runs: Sequence[Run], *, judged: bool) -> tuple[str, ...]:
    """Say why J is not compared although there is a judge; empty if it is.

    Args:
        runs: All of them.
        judged: Whether J is compared.
    """
    without = [run.name for run in runs if not run.results.judged]
    if without and len(without) < len(runs):
        names = ", ".join(without)
        return (f"J is not compared: {names} has not been judged.",)
    if not without and not judged:
        return ("J is not compared: no judge is common to all runs.",)
    return ()


def shared_metrics(
    runs: Sequence[Run], profile: str | None, *, by_kind: bool
) -> list[list[Metric]]:
    """Return each metric that all runs have, as every run has it.

    Args:
        runs: The base first.
        profile: Of F1; None for the base's headline.
        by_kind: Whether judges whose J means alike are taken as one metric where no
            judge is shared: the first of that kind in each run.
    """
    chosen = profile or runs[0].results.facts.headline
    metrics = [[f1_metric(run.results, chosen) for run in runs]]
    judges: list[dict[str, Judged]] = [_judges(run) for run in runs]
    shared = _common(judges)
    if not shared and by_kind:
        judges = [_by_kind(each.values()) for each in judges]
        shared = _common(judges)
    metrics += [
        [judge_metric(r.results, own[key]) for r, own in zip(runs, judges, strict=True)]
        for key in shared
    ]
    return metrics


def _common(judges: Sequence[dict[str, Judged]]) -> list[str]:
    return [key for key in judges[0] if all(key in each for each in judges)]


def _by_kind(judges: Collection[Judged]) -> dict[str, Judged]:
    found: dict[str, Judged] = {}
    for judged in judges:
        found.setdefault(f"{judged.kind} of {judged.full_mark:g}", judged)
    return found


def _judges(run: Run) -> dict[str, Judged]:
    return {each.judge.signature: each for each in run.results.judged}


def _named(judges: Collection[str]) -> str:
    return " and ".join(judges)
