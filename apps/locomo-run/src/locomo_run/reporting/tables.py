"""The profile whose published overalls cover adversarial questions too."""

from __future__ import annotations

from dataclasses import replace

from eval_report import (
    Summary,
    Table,
    format_f1_breakdown_table,
    format_latency_breakdown_table,
)
from locomo_dataset import Category

from locomo_run.judging.refusals import DECLINED, OTHER, TRAPPED, Refusals
from locomo_run.outcome import State
from locomo_run.reporting.cells import (
    NOT_KNOWN,
    count_cell,
    label,
    mean_cell,
    percent_cell,
    recall_cells,
    setting_cell,
    titled,
)
from locomo_run.reporting.judge_tables import judge_name
from locomo_run.reporting.published_tables import f1_scores
from locomo_run.reporting.results import Results
from locomo_run.scoring import ABSTAIN, F1_PROFILES, signature

ADVERSARIAL = (
    "Adversarial questions take no part in J, and in F1 only beside the LoCoMo paper.",
    "There, under profile locomo, the overall counts them as that of the paper does.",
)


def conditions(results: Results) -> Table:
    """List what the figures depend on, before any figure."""
    rows = tuple(condition_rows(results))
    return Table(title="Conditions", columns=("What", "Value"), rows=rows)


def condition_rows(results: Results) -> list[tuple[str, str]]:
    """Return what the figures depend on, as pairs of name and value."""
    facts = results.facts
    rows = [
        ("data set", results.dataset.name),
        ("data set sha256", str(facts.identity["dataset"]["sha256"])),
        ("questions", _coverage(results)),
        ("recipe", facts.recipe),
        *(
            (f"{part}: {name}", setting_cell(value))
            for part in ("memory", "search", "context", "answerer")
            for name, value in facts.identity[part].items()
        ),
        ("questions without a hit", _without_hits(results)),
        *(_judge_rows(results) or [("judge", "none: token F1 only")]),
        ("headline F1 profile", facts.headline),
        *(
            ("code", ", ".join(f"{name} {version}" for name, version in used.items()))
            for used in facts.versions
        ),
    ]
    if results.times:
        rows.append(("first and last entry", " to ".join(results.times)))
    return rows


def f1_table(results: Results, profile: str) -> Table:
    """Set out F1 by category under one profile, adversarial questions apart."""
    return format_f1_breakdown_table(
        f1_scores(results, profile), {int(c): c.label for c in Category}
    )


def right_golds_table(results: Results) -> Table | None:
    """Set scores with all golds beside those without the golds known to be wrong."""
    if not results.wrong_golds:
        return None
    rows = [
        _right_golds_row(
            f"F1 {profile}",
            results.f1_overall(profile),
            results.f1_right_golds(profile),
            scale=100,
        )
        for profile in F1_PROFILES
    ]
    rows += [
        _right_golds_row(
            f"J {judge_name(results, each)}",
            each.overall(),
            each.without(results.wrong_golds),
            scale=100 / each.full_mark,
        )
        for each in results.judged
    ]
    return Table(
        title=titled("With and without the known wrong golds", results),
        columns=(
            "Score, 0-100",
            "All golds",
            "n",
            "Without the wrong ones",
            "n without",
        ),
        rows=tuple(rows),
        notes=(
            "Left out: questions whose gold the public audit calls score-corrupting.",
            "No gold is replaced.",
        ),
    )


def _right_golds_row(
    name: str, every: Summary, right: Summary | None, *, scale: float
) -> tuple[str, ...]:
    return (
        name,
        *(
            cell
            for summary in (every, right)
            for cell in (
                percent_cell(summary.mean if summary else None, scale),
                count_cell(summary.count if summary else 0),
            )
        ),
    )


def profiles_table(results: Results) -> Table:
    """Set the same answers under every profile side by side."""
    numbers = list(results.f1_by_category(F1_PROFILES[0]))
    rows = []
    for profile in F1_PROFILES:
        by_category = results.f1_by_category(profile)
        overall = results.f1_overall(profile)
        rows.append(
            (
                profile,
                *(mean_cell(by_category[number].mean) for number in numbers),
                mean_cell(overall.mean),
                count_cell(overall.count),
            )
        )
    return Table(
        title=titled("The same answers under every F1 profile", results),
        columns=("Profile", *(label(number) for number in numbers), "Overall", "n"),
        rows=tuple(rows),
        notes=(
            "Scale 0 to 1. Profiles are different metrics: compare within a row.",
            *(f"{profile}: {signature(profile)}" for profile in F1_PROFILES),
        ),
    )


def adversarial_table(results: Results) -> Table:
    """Set out who declined to answer what, apart from every F1."""
    right, wrong = results.abstention(), results.false_abstention()
    return Table(
        title=titled("Abstention", results),
        columns=("Questions", "n", "Share declined", "What it says"),
        rows=(
            (
                "adversarial (5)",
                count_cell(right.count),
                mean_cell(right.value),
                f"{ABSTAIN}: higher is better",
            ),
            *(_refusal_row(each) for each in results.refusals),
            (
                "answerable (1-4)",
                count_cell(wrong.count),
                mean_cell(wrong.value),
                "declined although there is an answer: lower is better",
            ),
        ),
        notes=(
            "Read both rows together: who declines everything scores 1 in the first.",
            *ADVERSARIAL,
            f"Signature: {signature(ABSTAIN)}",
            *(_refusal_note(each) for each in results.refusals),
        ),
    )


def _refusal_row(refusals: Refusals) -> tuple[str, str, str, str]:
    counts = refusals.count()
    return (
        "adversarial (5)",
        count_cell(counts.total() - counts[None]),
        mean_cell(refusals.share(DECLINED)),
        f"by the judge {refusals.judge.settings.model}: higher is better",
    )


def _refusal_note(refusals: Refusals) -> str:
    counts = refusals.count()
    return (
        f"The judge found {counts[DECLINED]:,} declined, {counts[TRAPPED]:,} that fell "
        f"for the trap, {counts[OTHER]:,} that said something else; "
        f"{counts[None]:,} without a verdict. {refusals.judge.signature}"
    )


def recall_table(results: Results) -> Table:
    """Set out how much of the evidence the search found."""
    limit = results.facts.identity["search"]["limit"]
    k = limit if limit is not None else NOT_KNOWN if results.facts.imported else "all"
    overall = results.recall()
    categories = sorted({o.question.category for o in results.answerable})
    rows = [(label(c), *recall_cells(results.recall(c))) for c in categories]
    note = (
        f"Share of a question's evidence turns among its hits ({k}), averaged over "
        "the answerable questions that name evidence."
        if overall.count
        else _no_recall(results)
    )
    return Table(
        title=titled(f"Evidence recall@{k}", results),
        columns=("Category", "n", "Recall"),
        rows=(*rows, ("overall", *recall_cells(overall))),
        notes=(note,),
    )


def latency_table(results: Results) -> Table:
    """Set out how long things took, and how many tokens."""
    counted = [o for o in results.outcomes if o.input_tokens is not None]
    tokens = (
        f"Tokens: {sum(o.input_tokens or 0 for o in counted):,} in, "
        f"{sum(o.output_tokens or 0 for o in counted):,} out, "
        f"over {len(counted):,} questions."
        if counted
        else f"Tokens: n/a, {_no_tokens(results)}."
    )
    steps = ("search", "answer", "total")
    return replace(
        format_latency_breakdown_table({step: results.latency(step) for step in steps}),
        title=titled("Latency and efficiency", results),
        notes=(tokens,),
    )


def _no_tokens(results: Results) -> str:
    if results.facts.imported:
        return "the source of the answers does not tell them"
    if "max_tokens" in results.facts.identity["answerer"]:
        return "no answer came with a count"
    return "the answerer is not a language model"


def _judge_rows(results: Results) -> list[tuple[str, str]]:
    return [
        ("judge", f"runs: {each.judge.runs}, {each.judge.signature}")
        for each in results.judged
    ]


def _coverage(results: Results) -> str:
    answered = results.count(State.ANSWERED)
    parts = [
        f"{answered:,} answered of {len(results.outcomes):,} selected",
        f"{len(results.dataset.all_questions()):,} in the data set",
    ]
    short = [
        f"{count:,} {state.value}"
        for state in (State.FAILED, State.MISSING)
        if (count := results.count(state))
    ]
    return "; ".join([*parts, *short])


def _without_hits(results: Results) -> str:
    without, known = results.without_hits
    return f"{without:,} of {known:,} answered" if known else NOT_KNOWN


def _no_recall(results: Results) -> str:
    if results.facts.imported:
        return "n/a: the source of the answers does not tell what was found."
    if any(outcome.question.evidence for outcome in results.answerable):
        return "n/a: this memory does not say which turns its hits come from."
    return "n/a: none of these questions names evidence."
