"""`results.json`: the results of a run as plain values; see `results_file`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from eval_report import JudgeSummary, LatencySummary, Summary
from locomo_dataset import Category

from locomo_run.judging.agreement import agreement_spec
from locomo_run.judging.judged import Judged
from locomo_run.judging.refusals import DECLINED, OTHER, TRAPPED, Refusals
from locomo_run.ledger.entry import Json
from locomo_run.outcome import Outcome, State
from locomo_run.reporting.calibration_tables import calibration_spec
from locomo_run.reporting.results import Mean, Results
from locomo_run.reporting.results_file import SCHEMA
from locomo_run.reporting.spend_table import spend_json
from locomo_run.reporting.uncertainty import intervals_spec, majority_spec
from locomo_run.scoring import ABSTAIN, F1_PROFILES, signature


def json_parts(results: Results, *, no_text: bool = False) -> Iterator[str]:
    """Write the results as `results.json` holds them, a line for each question.

    Piece by piece, since a report may be larger than what fits into memory twice.

    Args:
        results: The run, scored.
        no_text: Leave out questions, golds and predictions.
    """
    head = json.dumps(overall(results), ensure_ascii=False, indent=1, allow_nan=False)
    yield head.removesuffix("\n}")
    yield ',\n "questions": ['
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    end = "\n"
    for outcome in results.outcomes:
        yield f"{end}  {encode(question_spec(outcome, results, no_text=no_text))}"
        end = ",\n"
    yield "\n ]\n}\n"


def overall(results: Results) -> dict[str, Json]:
    """Return everything but the single questions, as plain values."""
    return {
        "schema": SCHEMA,
        "metadata": _metadata(results),
        "overall_f1": {
            name: _summary(results.f1_overall(name)) for name in F1_PROFILES
        },
        "per_category_f1": {
            name: {
                Category(number).label: {"category": number, **_summary(summary)}
                for number, summary in results.f1_by_category(name).items()
            }
            for name in F1_PROFILES
        },
        "overall_f1_without_wrong_golds": {
            name: _summary(summary)
            for name in F1_PROFILES
            if (summary := results.f1_right_golds(name))
        },
        "intervals": intervals_spec(results),
        "judge": {
            each.judge.signature: _judge_overall(each, results.wrong_golds)
            for each in results.judged
        },
        "calibration": [calibration_spec(each) for each in results.calibrations],
        "adversarial": {
            "metric": ABSTAIN,
            **_plain(results.abstention()),
            "answerable_abstention": _plain(results.false_abstention()),
            "judged": [_refusals(each) for each in results.refusals],
        },
        "evidence_recall": {
            **_plain(results.recall()),
            "k": results.facts.identity["search"]["limit"],
            "by_session": _plain(results.session_recall()),
        },
        "latency": {
            step: _latency_summary(results.latency(step))
            for step in ("search", "answer", "total")
        },
        "tokens": _tokens(results.outcomes),
        "spend": spend_json(results),
        "ingestion": _ingestion(results),
    }


def _metadata(results: Results) -> dict[str, Json]:
    facts = results.facts
    return {
        "recipe": facts.recipe,
        **facts.identity,
        "dataset": {"name": results.dataset.name, **facts.identity["dataset"]},
        "judge": [_judge(each) for each in results.judged] or None,
        "scoring_methods": ["f1", *(f"j:{each.name}" for each in results.judged)],
        "headline": facts.headline,
        "signatures": {name: signature(name) for name in (*F1_PROFILES, ABSTAIN)},
        "total_questions": len(results.outcomes),
        "subset": not results.whole,
        "selections": [selection.spec() for selection in facts.selections],
        "worker": results.worker or None,
        "states": {state.value: results.count(state) for state in State},
        "versions": list(facts.versions),
        "timestamp": list(results.times) if results.times else None,
    }


def question_spec(
    outcome: Outcome, results: Results, *, no_text: bool = False
) -> dict[str, Json]:
    """Return what became of one question, as plain values."""
    question, scores = outcome.question, outcome.scores
    return {
        "id": question.id,
        "question": None if no_text else question.text,
        "category": question.category.value,
        "category_name": question.category.label,
        "gold": None if no_text else question.gold,
        "prediction": None if no_text else outcome.prediction,
        "state": outcome.state.value,
        "reason": outcome.reason or None,
        "f1": dict(scores.f1) if scores else dict.fromkeys(F1_PROFILES),
        ABSTAIN: scores.locomo_abstain if scores and outcome.adversarial else None,
        "abstained": scores.abstained if scores else None,
        "judge": {
            each.judge.signature: _verdicts(each, question.id)
            for each in results.judged
            if question.id in each.runs
        },
        "refusal": {
            each.judge.signature: list(each.labels(question.id))
            for each in results.refusals
            if outcome.adversarial
        },
        "evidence": [str(turn) for turn in question.evidence],
        "evidence_recall": outcome.recall,
        "search_results": list(outcome.hits),
        "search_results_used": outcome.hits_read,
        "context_chars": outcome.context_chars,
        "search_latency_ms": outcome.search_ms,
        "answer_latency_ms": outcome.answer_ms,
        "answer_input_tokens": outcome.input_tokens,
        "answer_output_tokens": outcome.output_tokens,
    }


def _judge(judged: Judged) -> dict[str, Json]:
    judge = judged.judge
    return {
        "protocol": judged.name,
        "kind": judged.kind,
        "model": judge.settings.model,
        "runs": judge.runs,
        "signature": judge.signature,
    }


def _refusals(refusals: Refusals) -> dict[str, Json]:
    counts = refusals.count()
    return {
        "model": refusals.judge.settings.model,
        "signature": refusals.judge.signature,
        "mean": refusals.share(DECLINED),
        "count": counts.total() - counts[None],
        "declined": counts[DECLINED],
        "trapped": counts[TRAPPED],
        "other": counts[OTHER],
        "without_label": counts[None],
    }


def _judge_overall(
    judged: Judged, wrong_golds: frozenset[str] | None
) -> dict[str, Json]:
    return {
        "full_mark": judged.full_mark,
        "overall_judge": _judge_summary(judged.overall()),
        "overall_judge_without_wrong_golds": (
            _judge_summary(judged.without(wrong_golds)) if wrong_golds else None
        ),
        "majority": majority_spec(judged),
        "per_category_judge": {
            Category(number).label: {"category": number, **_judge_summary(summary)}
            for number, summary in judged.by_category().items()
        },
        "runs_by_status": dict(sorted(judged.statuses().items())),
        "reliability": agreement_spec(judged),
    }


def _judge_summary(summary: JudgeSummary) -> dict[str, Json]:
    return {
        "mean_j": summary.mean_j,
        "pooled_std_dev": summary.pooled_std_dev,
        "run_std_dev": summary.run_std_dev,
        **_summary(summary),
    }


def _verdicts(judged: Judged, question_id: str) -> dict[str, Json]:
    record = judged.record(question_id)
    return {
        "mean_score": record.value,
        "std_dev": record.std_dev,
        "run_count": len(record.good_runs),
        "individual_scores": list(record.runs),
    }


def _summary(summary: Summary) -> dict[str, Json]:
    return {
        "mean": summary.mean,
        "count": summary.count,
        "missing": summary.missing,
        "std_dev": summary.std_dev,
        "min": summary.minimum,
        "max": summary.maximum,
        "pessimistic_mean": summary.pessimistic_mean,
    }


def _ingestion(results: Results) -> list[Json]:
    held = cast(Mapping[str, Mapping[str, Json]], results.worker.get("ingestion", {}))
    return [
        {
            "sample_id": sample_id,
            "total_sessions": each["sessions"],
            "sessions_ingested": each["stored"],
            "observations_queued": each["observations"],
            "status": "incomplete" if each["missing"] else "complete",
        }
        for sample_id, each in held.items()
    ]


def _plain(mean: Mean) -> dict[str, Json]:
    return {"mean": mean.value, "count": mean.count}


def _latency_summary(summary: LatencySummary) -> dict[str, Json]:
    return {"p50": summary.p50, "p95": summary.p95, "count": summary.count}


def _tokens(asked: Sequence[Outcome]) -> dict[str, Json]:
    counted = [o for o in asked if o.input_tokens is not None]
    read = sum(o.input_tokens or 0 for o in counted)
    written = sum(o.output_tokens or 0 for o in counted)
    return {
        "total_input": read if counted else None,
        "total_output": written if counted else None,
        "mean_per_question": (read + written) / len(counted) if counted else None,
        "count": len(counted),
    }
