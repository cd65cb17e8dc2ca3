import base64
import gzip
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from eval_report.page import Hit, Judgement, Metric, Page, Question, Verdict
from eval_report.page._payload import encode

MakeQuestion = Callable[..., Question]

F1 = Metric(name="F1")
J = Metric(name="J", full_mark=100)
LIMIT = 10_000_000


def page(*questions: Question, name: str = "ours") -> Page:
    return Page(title="T", name=name, metrics=(F1, J), questions=questions)


def decoded(payload: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(payload)))


def judged(question: MakeQuestion, **changes: object) -> Question:
    verdicts = (
        Verdict(status="ok", score=80, label="CORRECT", explanation="Because."),
        Verdict(status="refused"),
    )
    return question(
        scores={"F1": 0.8},
        judgements=(Judgement(protocol="graded", verdicts=verdicts),),
        hits=(
            Hit(id="D1:1", date="8 May", text="kayak", score=0.5, is_evidence=True),
            Hit(id="D1:2", date="8 May", text="garden"),
        ),
        search_ms=12.5,
        **changes,
    )


def test_a_question_keeps_everything_and_what_is_missing_is_null(
    question: MakeQuestion,
) -> None:
    body = decoded(encode([page(judged(question, note="n"))], (F1, J), no_text=False))

    assert body["hits"] == [["D1:1", "8 May", "kayak"], ["D1:2", "8 May", "garden"]]
    assert body["questions"] == [
        {
            "id": "conv-1:0",
            "conversation": "conv-1",
            "category": 1,
            "evidence": [],
            "note": "n",
            "question": "Where is the kayak?",
            "gold": "the boathouse",
            "answers": [
                {
                    "state": "answered",
                    "reason": "",
                    "prediction": "in the boathouse",
                    "scores": [0.8, None],
                    "judgements": [
                        {
                            "protocol": "graded",
                            "verdicts": [
                                {
                                    "status": "ok",
                                    "score": 80,
                                    "label": "CORRECT",
                                    "explanation": "Because.",
                                },
                                {
                                    "status": "refused",
                                    "score": None,
                                    "label": "",
                                    "explanation": "",
                                },
                            ],
                        }
                    ],
                    "hits": [0, 1],
                    "evidence": [True, None],
                    "hit_scores": [0.5, None],
                    "search_ms": 12.5,
                    "answer_ms": None,
                    "input_tokens": None,
                    "output_tokens": None,
                }
            ],
        }
    ]


def test_without_texts_only_ids_scores_and_times_remain(
    question: MakeQuestion,
) -> None:
    payload = encode([page(judged(question))], (F1, J), no_text=True)

    plain = gzip.decompress(base64.b64decode(payload)).decode()
    for text in ("kayak", "boathouse", "garden", "Because"):
        assert text not in plain
    body = decoded(payload)
    assert body["no_text"] is True
    assert body["hits"][0] == ["D1:1", "8 May", ""]
    assert body["questions"][0]["answers"][0]["scores"] == [0.8, None]


def test_a_text_that_questions_share_is_stored_once(question: MakeQuestion) -> None:
    shared = Hit(id="D1:1", text="the same words")
    other = Hit(id="D1:1", text="other words")

    body = decoded(
        encode(
            [page(question(hits=(shared,)), question(id="x", hits=(other, shared)))],
            (F1,),
            no_text=False,
        )
    )

    assert body["hits"] == [["D1:1", "", "the same words"], ["D1:1", "", "other words"]]
    assert [q["answers"][0]["hits"] for q in body["questions"]] == [[0], [1, 0]]


def test_two_runs_share_their_questions_and_name_what_one_did_not_ask(
    question: MakeQuestion,
) -> None:
    a = page(question(id="q1"), question(id="q2"), name="A")
    b = page(question(id="q3"), question(id="q2", prediction="other"), name="B")

    body = decoded(encode([a, b], (F1,), no_text=False))

    assert body["runs"] == ["A", "B"]
    assert [
        (q["id"], [answer and answer["prediction"] for answer in q["answers"]])
        for q in body["questions"]
    ] == [
        ("q1", ["in the boathouse", None]),
        ("q2", ["in the boathouse", "other"]),
        ("q3", [None, "in the boathouse"]),
    ]


def test_equal_values_give_an_equal_payload(question: MakeQuestion) -> None:
    one, two = (encode([page(judged(question))], (F1,), no_text=False) for _ in "12")

    assert one == two


@pytest.mark.parametrize("text", ["日本語 \U0001f6f6", "שלום", "\u2028</script>\x00"])
def test_any_text_survives(text: str, question: MakeQuestion) -> None:
    body = decoded(encode([page(question(text=text))], (F1,), no_text=False))

    assert body["questions"][0]["question"] == text


def test_half_a_surrogate_pair_becomes_a_question_mark(question: MakeQuestion) -> None:
    body = decoded(encode([page(question(text="a\ud800b"))], (F1,), no_text=False))

    assert body["questions"][0]["question"] == "a?b"


def words(source: random.Random, length: int) -> str:
    """Text about as hard to compress as prose: no word of it is frequent."""
    text = ""
    while len(text) < length:
        text += f"{source.getrandbits(15):x} "
    return text[:length]


def test_a_full_run_with_ten_judge_runs_stays_under_ten_megabytes(
    question: MakeQuestion,
) -> None:
    source = random.Random(1)  # noqa: S311 - text to compress, no secret
    questions = [
        question(
            id=f"conv:{i}",
            text=words(source, 70),
            gold=words(source, 25),
            prediction=words(source, 40),
            scores={"F1": source.random(), "J": source.random()},
            judgements=(
                Judgement(
                    protocol="graded",
                    verdicts=tuple(
                        Verdict(
                            status="ok",
                            score=source.randint(0, 100),
                            explanation=words(source, 200),
                        )
                        for _ in range(10)
                    ),
                ),
            ),
            hits=tuple(
                Hit(id=f"{i}:{k}", text=words(source, 150), score=source.random())
                for k in range(10)
            ),
            search_ms=source.random(),
        )
        for i in range(1986)
    ]

    assert len(encode([page(*questions)], (F1, J), no_text=False)) < LIMIT


def test_a_run_over_the_full_context_stays_under_ten_megabytes(
    question: MakeQuestion,
) -> None:
    source = random.Random(1)  # noqa: S311 - text to compress, no secret
    conversations = [
        tuple(Hit(id=f"{c}:{k}", text=words(source, 125)) for k in range(588))
        for c in range(10)
    ]
    questions = [
        question(id=f"conv:{i}", hits=conversations[i // 199]) for i in range(1986)
    ]

    assert len(encode([page(*questions)], (F1,), no_text=False)) < LIMIT
