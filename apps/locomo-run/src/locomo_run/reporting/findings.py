"""`findings.md`: what a run shows, in sentences that its figures support."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from eval_report import Interval, Section, format_full_report

from locomo_run.judging.judged import Judged
from locomo_run.outcome import State
from locomo_run.reporting.cells import runs_said, system_name
from locomo_run.reporting.front_matter import front_matter
from locomo_run.reporting.highlights import standing_table
from locomo_run.reporting.judge_tables import judge_name, judge_tables
from locomo_run.reporting.published_tables import f1_comparison, latency_comparison
from locomo_run.reporting.report import remarks
from locomo_run.reporting.results import Results
from locomo_run.reporting.tables import (
    adversarial_table,
    conditions,
    f1_table,
    latency_table,
    profiles_table,
    recall_table,
    right_golds_table,
)
from locomo_run.reporting.worker_tables import worker_table

TITLE = "LoCoMo Results"
METHODOLOGY = "Methodology"

LENGTH_BIAS = (
    "Token F1 falls with every word of an answer that the gold does not have, so that "
    "a right answer in a whole sentence scores less than the same answer in two words."
)


def findings(results: Results) -> str:
    """Return the findings of a run as Markdown with front matter."""
    head = front_matter(
        results,
        title=TITLE,
        tags=["locomo", "evaluation", "memory"],
        related=METHODOLOGY,
    )
    return head + format_full_report(TITLE, list(_sections(results)))


def _sections(results: Results) -> Iterator[Section]:
    right_golds, worker = right_golds_table(results), worker_table(results)
    yield Section(
        heading="Executive summary",
        paragraphs=(*remarks(results), *_summary(results)),
    )
    yield Section(
        heading="J results (primary)",
        paragraphs=()
        if results.judged
        else ("No judge has scored the answers of this run.",),
        tables=judge_tables(results),
    )
    yield Section(
        heading="F1 results (secondary)",
        paragraphs=(LENGTH_BIAS,),
        tables=(
            f1_table(results, results.facts.headline),
            f1_comparison(results),
            *([right_golds] if right_golds else []),
        ),
    )
    yield Section(
        heading="Latency and efficiency",
        tables=(latency_table(results), latency_comparison(results)),
    )
    yield Section(heading="Per category", tables=(standing_table(results),))
    yield Section(
        heading="Architectural insights",
        paragraphs=tuple(_insights(results)),
        tables=(
            recall_table(results),
            *([adversarial_table(results)] if results.adversarial else []),
        ),
    )
    yield Section(heading="Limitations", paragraphs=tuple(_limitations(results)))
    yield Section(heading="Future work", paragraphs=tuple(_open_questions(results)))
    yield Section(
        heading="Raw numbers",
        tables=(
            conditions(results),
            *([worker] if worker else []),
            profiles_table(results),
        ),
    )


def _summary(results: Results) -> Iterator[str]:
    yield (
        f"{system_name(results)} answered {results.count(State.ANSWERED):,} of "
        f"{len(results.outcomes):,} selected questions of {results.dataset.name}."
    )
    profile = results.facts.headline
    overall = results.f1_overall(profile)
    if overall.mean is not None:
        yield (
            f"Mean token F1 under profile {profile} is {100 * overall.mean:.1f} of 100"
            f"{_interval(results.f1_clustered(profile).interval, 100)}, n = "
            f"{overall.count:,}."
        )
    for judged in results.judged:
        yield from _j_sentence(results, judged)


def _j_sentence(results: Results, judged: Judged) -> Iterator[str]:
    summary, scale = judged.overall(), 100 / judged.full_mark
    if summary.mean_j is None:
        yield f"No run of the judge {judge_name(results, judged)} gave a score."
        return
    interval = judged.clustered().interval
    yield (
        f"Mean J under protocol {judge_name(results, judged)} is "
        f"{summary.mean_j * scale:.1f} of 100{_interval(interval, scale)}, n = "
        f"{summary.count:,}, over {runs_said(summary.runs)}."
    )


def _insights(results: Results) -> Iterator[str]:
    """Say what F1 does with what the memory found, where that is known."""
    profile = results.facts.headline
    groups: dict[str, list[float]] = {"all": [], "none": []}
    for outcome in results.answerable:
        if outcome.scores is None or outcome.recall is None:
            continue
        value = outcome.scores.f1[profile]
        if value is not None and outcome.recall in (0.0, 1.0):
            groups["all" if outcome.recall else "none"].append(value)
    if not any(groups.values()):
        yield "It is not known which turns of evidence the memory found."
        return
    for found, values in groups.items():
        if values:
            yield (
                f"Where the search found {found} of the evidence, mean F1 is "
                f"{100 * fmean(values):.1f} of 100 (n = {len(values):,})."
            )


def _limitations(results: Results) -> Iterator[str]:
    yield _dependence(results.f1_clustered(results.facts.headline).clusters)
    if not results.whole:
        yield "Not all questions of the data set were asked."
    if results.wrong_golds is None:
        yield "Known wrong golds were not looked up."
    if results.facts.identity["answerer"].get("category_hints"):
        yield "The answerer was told what the gold category means."
    for judged in results.judged:
        missing = judged.overall().missing
        if missing:
            name = judge_name(results, judged)
            yield f"{missing:,} questions have no score from {name}: left out of J."
    if any(judged.kind != "binary" for judged in results.judged):
        yield "A graded or strict J is another metric than the J of published tables."


def _dependence(conversations: int) -> str:
    """Say what follows from questions that share a conversation."""
    if not conversations:
        return "No question has a score, so there is no interval."
    if conversations == 1:
        return (
            "The scored questions come from 1 conversation: there is no interval, "
            "since an interval needs at least two."
        )
    return (
        f"The scored questions come from {conversations:,} conversations and are not "
        "independent; the intervals take that into account, and few conversations "
        "make them wide."
    )


def _open_questions(results: Results) -> Iterator[str]:
    if not results.judged:
        yield "Judge the answers: locomo-run judge does that."
    if len(results.facts.judges) == 1:
        yield "Judge the answers under a second protocol: J depends on it."
    if not results.whole:
        yield "Ask the remaining questions of the data set."
    yield (
        "Run another memory on the same questions; locomo-run compare sets both side "
        "by side."
    )


def _interval(interval: Interval | None, scale: float) -> str:
    if interval is None:
        return ""
    low, high = interval.low * scale, interval.high * scale
    return f" (95 % interval by conversation: {low:.1f} to {high:.1f})"
