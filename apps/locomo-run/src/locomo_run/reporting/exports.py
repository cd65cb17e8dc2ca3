"""Results for notebooks: one row per question."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

from locomo_run.outcome import Outcome
from locomo_run.reporting.judge_tables import judge_name
from locomo_run.reporting.results import Results
from locomo_run.scoring import ABSTAIN, F1_PROFILES

TEXTS = ("question", "gold", "prediction")


def to_csv(results: Results, *, no_text: bool = False) -> str:
    """Return one line per question; an empty cell is a value that does not exist.

    Args:
        results: The run, scored.
        no_text: Leave out the columns of questions, golds and predictions.
    """
    rows = list(_rows(results, no_text=no_text))
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]) if rows else [])
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def to_jsonl(results: Results, *, no_text: bool = False) -> str:
    """Return one flat JSON object per question, as data frames take them.

    Args:
        results: The run, scored.
        no_text: Leave out questions, golds and predictions.
    """
    return "".join(
        json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"
        for row in _rows(results, no_text=no_text)
    )


def _rows(
    results: Results, *, no_text: bool
) -> Iterator[dict[str, str | float | None]]:
    left_out = TEXTS if no_text else ()
    for outcome in results.outcomes:
        row = _row(outcome, results)
        yield {name: value for name, value in row.items() if name not in left_out}


def _row(outcome: Outcome, results: Results) -> dict[str, str | float | None]:
    question, scores = outcome.question, outcome.scores
    row: dict[str, str | float | None] = {
        "id": question.id,
        "conversation": question.sample_id,
        "category": int(question.category),
        "category_name": question.category.label,
        "question": question.text,
        "gold": question.gold,
        "prediction": outcome.prediction,
        "state": outcome.state.value,
    }
    for profile in F1_PROFILES:
        row[f"f1_{profile}"] = scores.f1[profile] if scores else None
    row[ABSTAIN] = scores.locomo_abstain if scores and outcome.adversarial else None
    for judged in results.judged:
        good = [s for s in judged.scores(question.id) if s is not None]
        name = judge_name(results, judged)
        row[f"j_{name}"] = judged.mean(question.id)
        row[f"j_{name}_runs"] = len(good)
    return row | {
        "evidence_recall": outcome.recall,
        "hits": len(outcome.hits),
        "hits_read": outcome.hits_read,
        "search_latency_ms": outcome.search_ms,
        "answer_latency_ms": outcome.answer_ms,
        "answer_input_tokens": outcome.input_tokens,
        "answer_output_tokens": outcome.output_tokens,
    }
