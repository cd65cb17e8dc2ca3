"""Payload: the questions as compressed JSON that the page's own script reads."""

import base64
import gzip
import json
from collections.abc import Sequence

from eval_report.page._page import Page
from eval_report.page._question import Hit, Judgement, Metric, Question

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


class _Hits:
    """Number the distinct search results: a text that many questions share is one."""

    def __init__(self, *, no_text: bool) -> None:
        self._numbers: dict[tuple[str, str, str], int] = {}
        self._no_text = no_text

    def number(self, hit: Hit) -> int:
        key = hit.id, hit.date, "" if self._no_text else hit.text
        return self._numbers.setdefault(key, len(self._numbers))

    def rows(self) -> list[Json]:
        return [list(key) for key in self._numbers]


def encode(runs: Sequence[Page], metrics: Sequence[Metric], *, no_text: bool) -> str:
    """Return the questions of one or two runs as base64 of gzip of JSON.

    Deterministic for the same values and the same zlib. Texts that several hits
    share are stored once.

    Args:
        runs: Each run's questions; the order is that of the first run.
        metrics: The scores to show, in this order.
        no_text: Leave out questions, golds, predictions, hit texts and the
            explanations of the judge, which quote them.
    """
    hits = _Hits(no_text=no_text)
    answers = [{question.id: question for question in run.questions} for run in runs]
    asked = {q.id: q for run in reversed(runs) for q in run.questions}
    order = dict.fromkeys(question.id for run in runs for question in run.questions)
    questions: list[Json] = [
        {
            **_asked(asked[id_], no_text=no_text),
            "answers": [
                _answer(run[id_], metrics, hits, no_text=no_text)
                if id_ in run
                else None
                for run in answers
            ],
        }
        for id_ in order
    ]
    labels = {n: label for run in runs for n, label in run.categories.items()}
    body: Json = {
        "no_text": no_text,
        "runs": [run.name for run in runs],
        "metrics": [
            {"name": m.name, "full_mark": m.full_mark, "decimals": m.decimals}
            for m in metrics
        ],
        "categories": [[number, label] for number, label in sorted(labels.items())],
        "questions": questions,
        "hits": hits.rows(),
    }
    text = json.dumps(body, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    # half of a surrogate pair, which UTF-8 cannot hold, becomes a question mark
    plain = text.encode("utf-8", errors="replace")
    # no time stamp: the same run gives the same file
    return base64.b64encode(gzip.compress(plain, mtime=0)).decode("ascii")


def _asked(question: Question, *, no_text: bool) -> dict[str, Json]:
    asked: dict[str, Json] = {
        "id": question.id,
        "conversation": question.conversation,
        "category": question.category,
        "evidence": list(question.evidence),
        "note": question.note,
    }
    if not no_text:
        asked |= {"question": question.text, "gold": question.gold}
    return asked


def _answer(
    question: Question, metrics: Sequence[Metric], hits: _Hits, *, no_text: bool
) -> dict[str, Json]:
    answer: dict[str, Json] = {
        "state": question.state,
        "reason": question.reason,
        "scores": [question.scores.get(metric.name) for metric in metrics],
        "judgements": [_judgement(j, no_text=no_text) for j in question.judgements],
        "hits": [hits.number(hit) for hit in question.hits],
        "evidence": [hit.is_evidence for hit in question.hits],
        "search_ms": question.search_ms,
        "answer_ms": question.answer_ms,
        "input_tokens": question.input_tokens,
        "output_tokens": question.output_tokens,
    }
    if any(hit.score is not None for hit in question.hits):
        answer["hit_scores"] = [hit.score for hit in question.hits]
    if not no_text:
        answer["prediction"] = question.prediction
    return answer


def _judgement(judgement: Judgement, *, no_text: bool) -> Json:
    return {
        "protocol": judgement.protocol,
        "verdicts": [
            {
                "status": verdict.status,
                "score": verdict.score,
                "label": verdict.label,
                **({} if no_text else {"explanation": verdict.explanation}),
            }
            for verdict in judgement.verdicts
        ],
    }
