"""The page: a run as one HTML file, with every question behind its figures."""

from __future__ import annotations

from collections.abc import Iterator

from eval_report import load_baselines
from eval_report.page import (
    Chart,
    DistributionChart,
    Hit,
    Judgement,
    Metric,
    Page,
    Question,
    Verdict,
    category_chart,
    conversation_chart,
    verdict_chart,
)
from locomo_dataset import Category

from locomo_run.judging.judge import Judge, entries_of, score_of
from locomo_run.judging.judged import Judged
from locomo_run.ledger.entry import Entry
from locomo_run.ledger.store import Ledger
from locomo_run.memory import Hit as Found
from locomo_run.outcome import Outcome, hits_by_question
from locomo_run.reporting.cells import system_name
from locomo_run.reporting.judge_tables import judge_name, judge_scores
from locomo_run.reporting.published_tables import published_records, published_scores
from locomo_run.reporting.report import remarks, sections, worker_section
from locomo_run.reporting.results import Results
from locomo_run.reporting.tables import condition_rows
from locomo_run.scoring import ABSTAIN, F1_PROFILES


def page_of(results: Results, ledger: Ledger) -> Page:
    """Put a run into the values that a page shows.

    Args:
        results: The run, scored.
        ledger: The ledger behind it, for the texts of the hits.
    """
    hits = hits_by_question(ledger)
    return Page(
        title=f"LoCoMo evaluation: {system_name(results)}",
        name=system_name(results),
        metrics=(
            *(Metric(name=_f1(profile)) for profile in _profiles(results)),
            *(
                Metric(name=_j(results, j), full_mark=j.full_mark)
                for j in results.judged
            ),
            Metric(name=ABSTAIN),
        ),
        questions=tuple(
            _question(outcome, results, hits.get(outcome.question.id, ()), ledger)
            for outcome in results.outcomes
        ),
        categories={int(category): category.label for category in Category},
        conditions=tuple(condition_rows(results)),
        remarks=remarks(results),
        charts=_charts(results),
        sections=(*worker_section(results), *sections(results)),
    )


def _charts(results: Results) -> tuple[Chart, ...]:
    headline = results.facts.headline
    records = results.f1_records(headline)
    charts: list[Chart] = []
    if results.answerable:
        charts = [
            *(
                category_chart(
                    published_scores(results, profile),
                    published_records(results, profile),
                )
                for profile in _charted(headline)
            ),
            conversation_chart(records, title=f"{_f1(headline)} by conversation"),
        ]
    for judged in results.judged:
        charts += [
            category_chart(judge_scores(results, judged), judged.records()),
            conversation_chart(
                judged.records(),
                title=f"{_j(results, judged)} by conversation",
                full_mark=judged.full_mark,
            ),
            verdict_chart(
                judged.records(),
                protocol=judged.name,
                graded=judged.kind == "graded",
                full_mark=judged.full_mark,
            ),
        ]
    latencies = DistributionChart(
        title="Latency",
        caption="Every question's search and answer, in milliseconds.",
        series={
            "search": [outcome.search_ms for outcome in results.outcomes],
            "answer": [outcome.answer_ms for outcome in results.outcomes],
        },
    )
    return (*charts, latencies)


def _charted(headline: str) -> tuple[str, ...]:
    """The headline profile, and those that published results were made with."""
    published = {row.profile for row in load_baselines().f1}
    return tuple(p for p in F1_PROFILES if p == headline or p in published)


def _question(
    outcome: Outcome, results: Results, found: tuple[Found, ...], ledger: Ledger
) -> Question:
    question, scores = outcome.question, outcome.scores
    evidence = tuple(str(turn) for turn in question.evidence)
    shown: dict[str, float | None] = {
        _f1(profile): scores.f1[profile] if scores else None
        for profile in _profiles(results)
    }
    shown |= {
        _j(results, judged): judged.mean(question.id)
        for judged in results.judged
        if not outcome.adversarial
    }
    if outcome.adversarial:
        shown[ABSTAIN] = scores.locomo_abstain if scores else None
    wrong = question.id in (results.wrong_golds or ())
    return Question(
        id=question.id,
        conversation=question.sample_id,
        category=int(question.category),
        text=question.text,
        gold=question.gold,
        state=outcome.state.value,
        reason=outcome.reason,
        prediction=outcome.prediction,
        evidence=evidence,
        note="The audit calls this gold wrong." if wrong else "",
        scores=shown,
        judgements=tuple(
            Judgement(
                protocol=_j(results, judged),
                verdicts=tuple(_verdicts(judged.judge, outcome, ledger)),
            )
            for judged in results.judged
            if judged.runs.get(question.id)
        ),
        hits=tuple(_hit(hit, set(evidence)) for hit in found),
        search_ms=outcome.search_ms,
        answer_ms=outcome.answer_ms,
        input_tokens=outcome.input_tokens,
        output_tokens=outcome.output_tokens,
    )


def _hit(hit: Found, evidence: set[str]) -> Hit:
    return Hit(
        id=hit.id,
        text=hit.text,
        date=hit.date,
        score=hit.score,
        is_evidence=None if hit.turns is None else not evidence.isdisjoint(hit.turns),
    )


def _verdicts(judge: Judge, outcome: Outcome, ledger: Ledger) -> Iterator[Verdict]:
    for answer in outcome.runs:
        yield from map(_verdict, entries_of(judge, answer, ledger, range(judge.runs)))


def _verdict(entry: Entry | None) -> Verdict:
    if entry is None:
        return Verdict(status="missing")
    reply = entry.attempt.reply
    return Verdict(
        status=entry.attempt.status.value,
        score=score_of(entry),
        label=str(reply.get("label") or ""),
        explanation=str(reply.get("explanation") or entry.attempt.reason),
    )


def _profiles(results: Results) -> tuple[str, ...]:
    """All profiles, the headline first."""
    headline = results.facts.headline
    return (headline, *(profile for profile in F1_PROFILES if profile != headline))


def _f1(profile: str) -> str:
    return f"F1 {profile}"


def _j(results: Results, judged: Judged) -> str:
    return f"J {judge_name(results, judged)}"
