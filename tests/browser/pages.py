"""Pages for the browser to open."""

from typing import Any

from eval_report import Section, Table
from eval_report.page import (
    DistributionChart,
    Hit,
    IntervalChart,
    Judgement,
    Metric,
    Page,
    Point,
    Question,
    Verdict,
)


def question(number: int, **changes: Any) -> Question:
    answered = number % 10 != 9
    values: dict[str, Any] = {
        "id": f"conv-{1 + number % 2}:{number}",
        "conversation": f"conv-{1 + number % 2}",
        "category": 1 + number % 3,
        "text": f"What is number {number}?",
        "gold": f"gold {number}",
        "state": "answered" if answered else "failed",
        "reason": "" if answered else "no reply",
        "prediction": f"prediction {number}" if answered else None,
        "scores": {"F1": number / 200 if answered else None, "J": 50.0},
        "judgements": (
            Judgement(
                protocol="graded",
                verdicts=(
                    Verdict(status="ok", score=50, explanation=f"half of {number}"),
                    Verdict(status="unparsed"),
                ),
            ),
        ),
        "hits": (
            Hit(id="D1:1", text="found it", date="8 May", score=0.5, is_evidence=True),
            Hit(id="D1:2", text="something else", is_evidence=False),
        ),
        "evidence": ("D1:1",),
        "search_ms": 12.0,
        "answer_ms": 1000.0 + number,
        "input_tokens": 1234,
        "output_tokens": 5,
    }
    return Question(**{**values, **changes})


def page(questions: tuple[Question, ...], text: str = "text") -> Page:
    return Page(
        title=f"Run {text}",
        name=text,
        metrics=(Metric(name="F1"), Metric(name="J", full_mark=100)),
        questions=questions,
        categories={1: "multi-hop", 2: text, 3: "open-domain"},
        conditions=(("memory", text),),
        remarks=(text,),
        charts=(
            IntervalChart(
                title=text,
                caption=text,
                unit="0-100",
                groups={text: [Point(name=text, value=50)]},
            ),
            DistributionChart(
                title="Latency", caption="", series={"search": [12.0, 30.0]}
            ),
        ),
        sections=(
            Section(
                heading=text,
                tables=(
                    Table(
                        title=text,
                        columns=("name", *(f"a long heading {i}" for i in range(9))),
                        rows=((text, *"123456789"),),
                    ),
                ),
            ),
        ),
    )


RUN = page(tuple(question(number) for number in range(120)))
