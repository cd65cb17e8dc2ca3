import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from llm_judge import (
    BINARY,
    GRADED,
    STRICT,
    Completion,
    JudgeProtocol,
    JudgeResult,
    JudgeStatus,
    Label,
    LabelScale,
    NumberScale,
    parse_reply,
)

# Replies with what the parsers of five public harnesses make of them (those differ on
# most rows).
RECORDED = Path(__file__).parent / "data" / "judge_reply_parsing.jsonl"

# What a careful human reads in each of them, in order.
# None: the reply offers no verdict that was asked for.
READ_BY_A_HUMAN = [
    "CORRECT",
    "WRONG",
    "CORRECT",  # case does not matter
    "WRONG",  # INCORRECT is another word for it
    None,  # PARTIAL is not on offer
    "CORRECT",
    "CORRECT",
    "WRONG",  # the reasoning mentions CORRECT, the label does not
    "CORRECT",
    "WRONG",
    "CORRECT",
    "WRONG",
    "WRONG",  # two verdicts: the last one
    "CORRECT",  # single quotes are no JSON, and unmistakable
    "WRONG",
    "WRONG",  # "incorrect" is not "correct"
    "WRONG",  # nor is "not correct"
    None,  # "yes" to what?
    None,  # empty
    None,  # no value
    None,  # null
    "CORRECT",
    "CORRECT",  # nested, and the only one
    "WRONG",  # the reason quotes "correct"
    "CORRECT",
    "CORRECT",  # a thought is no verdict
]


def read(
    text: str, protocol: JudgeProtocol, stop_reason: str | None = "end_turn"
) -> JudgeResult:
    return parse_reply(Completion(text=text, stop_reason=stop_reason), protocol)


def recorded_replies() -> list[str]:
    lines = RECORDED.read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["raw"] for line in lines]


@pytest.mark.parametrize(
    ("reply", "label"), [*zip(recorded_replies(), READ_BY_A_HUMAN, strict=True)]
)
def test_a_recorded_reply_is_read_as_a_careful_human_reads_it(
    reply: str, label: str | None
) -> None:
    for protocol in (BINARY, STRICT):
        result = read(reply, protocol)

        assert result.label == label
        assert result.score == {"CORRECT": 1, "WRONG": 0, None: None}[label]
        assert (result.status is JudgeStatus.OK) == (label is not None)
        assert (result.reason is None) == (label is not None)


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("Label: CORRECT", "CORRECT"),
        ("**Verdict:** WRONG.", "WRONG"),
        ("The verdict is CORRECT.", "CORRECT"),
        ("The verdict is: not correct", "WRONG"),
        ("Verdict - WRONG", "WRONG"),
        ("In the story, they say the verdict is WRONG.", None),
        ("Label: CORRECT - the dates are the same", "CORRECT"),
        ("Label: CORRECT (same date)", "CORRECT"),
        ("Verdict: the answer", None),
        ("The verdict is in the JSON.", None),
        ("The dates differ.\n\n**WRONG**", "WRONG"),
        ("The answer is correct.", "CORRECT"),
        ("Therefore, the predicted answer is wrong.", "WRONG"),
        ("The answer isn't correct.", "WRONG"),
        ("The answer isn’t correct.", "WRONG"),
        # hedges, halves and conditions are no verdict
        ("The answer is not wrong.", None),
        ("The answer is partially correct.", None),
        ("The answer is correct in part.", None),
        ("The answer is correct, but the year is wrong.", None),
        ("I cannot say whether the answer is correct.", None),
        ("Is the answer correct?", None),
        # a part of the answer is not the answer
        ("The month is wrong.", None),
        # two opinions in prose: which one holds is not for a parser to say
        ("The answer is correct. The answer is wrong.", None),
        # the last declared verdict wins, before or after JSON
        ("Label: CORRECT\nWait.\nLabel: WRONG", "WRONG"),
        ('I lean to Label: CORRECT. {"label": "WRONG"}', "WRONG"),
        ('{"label": "CORRECT"}\nOn reflection, the verdict is WRONG', "WRONG"),
        # what is quoted is not declared
        ('{"label": "WRONG"} since it only says "label: CORRECT".', "WRONG"),
        # a last verdict that is not on offer does not fall back to an earlier one
        ('{"label": "CORRECT"} {"label": "UNSURE"}', None),
        ('{"label": "CORRECT"}\nLabel: UNSURE', None),
        ("Label: CORRECT or WRONG", None),
        # the instruction, echoed
        ('{"explanation": "<one sentence>", "label": "<CORRECT or WRONG>"}', None),
        # objects without the key do not count
        ('{"label": "CORRECT"} {"note": "done"}', "CORRECT"),
        ('{"LABEL ": "correct"}', "CORRECT"),
        ('{"label": "CORRECT", "label": "WRONG"}', "WRONG"),
        ('{"label": "CORRECT", "Label": "WRONG"}', "WRONG"),
        ('{"label": "CORRECT", "details": {"label": "WRONG"}}', "CORRECT"),
        ('{"parts": [{"label": "CORRECT"}, {"label": "WRONG"}]}', None),
        ('{"parts": [{"label": "WRONG"}, {"label": "incorrect"}]}', "WRONG"),
        ('{"label": true}', None),
        ('{"label": ["CORRECT"]}', None),
        ('{"label": {"label": "CORRECT"}}', None),
        ('{"explanation": "two\nlines", "label": "CORRECT"}', "CORRECT"),
        # broken JSON: one verdict is plain, two are not
        ('{"label": "WRONG", "explanation": "it says "perhaps""}', "WRONG"),
        ('{"label": "WRONG", "explanation": "it says "label": "CORRECT""}', "WRONG"),
        ('{"label": "WRONG", "explanation": "it says, "label": "CORRECT""}', None),
        ("<think>Label: CORRECT</think>\nLabel: WRONG", "WRONG"),
        ('<think>{"label": "CORRECT"} or not, I wonder', None),
        ('{"label": "CORRECT", "explanation": "it says <think>"}', "CORRECT"),
    ],
)
def test_a_label_is_read_only_where_it_is_the_verdict(
    reply: str, label: str | None
) -> None:
    result = read(reply, BINARY)

    assert result.label == label
    assert (result.status is JudgeStatus.UNPARSED) == (label is None)


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ('{"score": 85, "explanation": "Same date."}', 85),
        ('```json\n{"score": 0}\n```', 0),
        ('Sure! {"score": 85.5} Hope that helps.', 85.5),
        ('{"score": "85"}', 85),
        ('{"score": "85/100"}', 85),
        ('{"factual_accuracy": {"score": 90}, "score": 80}', 80),
        ('{"score": 20} Hm, no. {"score": 80}', 80),
        ('{"score": 20}\nOn reflection: final score: 80', 80),
        # the denominator is the top of the scale, so it says what it looks like
        ("Score: 85/100", 85),
        ("**Score (0-100):** 85 out of 100", 85),
        ("I would give this a 70.", 70),
        ("I'd rate the answer 85 out of 100", 85),
        ("The answer deserves 40 points.", 40),
        ("The overall score is 85.", 85),
        ("I assign a score of 85.", 85),
        ("The score is: 85", 85),
        ("The answer's score is 40.", 40),
        ("Rating: 5", 5),
        ("Score - 85", 85),
        ("'score': 85", 85),
        ("85", 85),
        ("**85**.", 85),
        ("85\n\nIt names 2 of 3 facts from 2022.", 85),
        ("It names 2 of 3 facts from 2022.\n\n85 points", 85),
        # on a scale of 100, a percentage is the number itself
        ("85%", 85),
        ("Score: 85%", 85),
        # marked as out of 100, a fraction is no share
        ("Score: 0.5/100", 0.5),
        # "1" is one point; only a decimal looks like a share
        ('{"score": 1}', 1),
        ("Accuracy: 90\nCompleteness: 70\nOverall score: 80", 80),
        ("Relevance score: 100\nFinal score: 30\nAccuracy score: 0", 30),
        ("Score: 80. But the date is off, so the score is 20.", 20),
        ('{"score": 20, "explanation": "it says "perhaps""}', 20),
        ('{"score": 20, "explanation": "it says "score": 100"}', 20),
    ],
)
def test_a_score_is_read_from_json_or_from_what_the_text_calls_its_score(
    reply: str, score: float
) -> None:
    result = read(reply, GRADED)

    assert result.status is JudgeStatus.OK
    assert result.score == score
    assert result.label is None
    assert result.reason is None


OUTSIDE = "is not a number from 0 to 100"
SHARE = "may be meant as a share or as points"
NOTHING = "the reply holds no verdict"
TOTAL = "out of another total"
RANGE = "is a range"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        # out of the scale: clamping would turn a misunderstanding into a full mark
        ('{"score": 120}', OUTSIDE),
        ('{"score": -1}', OUTSIDE),
        ("Score: -5", OUTSIDE),
        ("Score: −5", OUTSIDE),
        ('{"score": NaN}', OUTSIDE),
        ('{"score": Infinity}', OUTSIDE),
        ('{"score": 1e999}', OUTSIDE),
        (f'{{"score": 1{"0" * 400}}}', OUTSIDE),
        (f'{{"score": 1{"0" * 9000}}}', OUTSIDE),
        # no earlier mention takes the place of a last one that cannot be used
        ('{"score": 80} {"score": 800}', OUTSIDE),
        ("Score: 80\nScore: 800", OUTSIDE),
        # 0.85 of 100 points or of the whole? The two are 84 points apart.
        ("0.85", SHARE),
        ('{"score": 0.85}', SHARE),
        ('{"score": "0.85"}', SHARE),
        ('{"score": 1.0}', SHARE),
        ("Score: .5", SHARE),
        # any point of a range would be ours, not the judge's
        ("between 70 and 80", NOTHING),
        ("Score: between 70 and 80", NOTHING),
        ("Score: 70-80", RANGE),
        ("70 to 80", RANGE),
        # numbers that nobody calls the score
        ("3 of 4 facts, 2022", NOTHING),
        ("It names 3 facts.", NOTHING),
        ("The answer says 100/100, which is no date.", NOTHING),
        ("Relevance score: 100", NOTHING),
        ("The score was 85 in that match.", NOTHING),
        ("Both name a game with a score of 85.", NOTHING),
        ("The answer says the score is 85.", NOTHING),
        ("The answer gets the date 12 May wrong.", NOTHING),
        ("I give it credit for the 12 May date.", NOTHING),
        ("She was in the grade 5 class.", NOTHING),
        ("Score: the 85th percentile", NOTHING),
        ("Score: 85th", NOTHING),
        ("Score: 8,5", NOTHING),
        ('The answer claims "score: 100".', NOTHING),
        ("I can't help with that.", NOTHING),
        # another scale than the one that was asked for
        ("Score: 8.5/10", TOTAL),
        ("The score is 3 of 4", TOTAL),
        # no number
        ('{"score": "high"}', "is not a number"),
        ('{"score": true}', "is not a number"),
        ('{"score": null}', "is not a number"),
        ('{"score": [85]}', "is not a number"),
        ('{"verdict": 85}', NOTHING),
        ('{"score": }', NOTHING),
        # contradictions
        ('{"parts": [{"score": 90}, {"score": 40}]}', "different verdicts"),
        ('{"score": 20, "explanation": "it says, "score": 100"}', "different verdicts"),
        ('{"score": 2, "explanation": "it is {"score": 99}"}', "different verdicts"),
        ('{"explanation": "it is {"score": 99}", "score": 2}', "different verdicts"),
    ],
)
def test_a_reply_without_one_clear_score_on_the_scale_fails(
    reply: str, reason: str
) -> None:
    result = read(reply, GRADED)

    assert result.status is JudgeStatus.UNPARSED
    assert result.score is None
    assert result.reason is not None
    assert reason in result.reason


@pytest.mark.parametrize("reply", ["85%", "Score: 3/4"])
def test_a_percentage_or_another_total_fails_on_a_scale_of_five(reply: str) -> None:
    five = GRADED.model_copy(update={"scale": NumberScale(minimum=0, maximum=5)})

    assert read(reply, five).status is JudgeStatus.UNPARSED
    assert read("Score: 3/5", five).score == 3
    assert read('{"score": 0.5}', five).score == 0.5


@pytest.mark.parametrize(
    ("stop_reason", "status", "reason"),
    [
        ("max_tokens", JudgeStatus.TRUNCATED, "cut (max_tokens); raise max_tokens"),
        ("length", JudgeStatus.TRUNCATED, "cut (length)"),
        ("MAX_TOKENS", JudgeStatus.TRUNCATED, "cut (max_tokens)"),
        (
            "model_context_window_exceeded",
            JudgeStatus.TRUNCATED,
            "cut (model_context_window_exceeded)",
        ),
        ("refusal", JudgeStatus.REFUSED, "declined to judge (refusal)"),
        ("content_filter", JudgeStatus.REFUSED, "declined to judge (content_filter)"),
        ("tool_use", JudgeStatus.UNPARSED, "stopped before its answer (tool_use)"),
    ],
)
def test_a_reply_that_did_not_end_by_itself_fails_with_its_own_status(
    stop_reason: str, status: JudgeStatus, reason: str
) -> None:
    result = read('{"score": 85, "explanation": "…"}', GRADED, stop_reason)

    assert result.status is status
    assert result.score is None
    assert reason in (result.reason or "")


@pytest.mark.parametrize("stop_reason", ["end_turn", "stop", "eos", None])
def test_a_finished_reply_is_read_whatever_the_endpoint_calls_that(
    stop_reason: str | None,
) -> None:
    assert read('{"score": 85}', GRADED, stop_reason).score == 85


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_reply_fails_with_a_reason_of_its_own(text: str) -> None:
    result = read(text, GRADED)

    assert result.status is JudgeStatus.UNPARSED
    assert result.reason == "the reply is empty"


def test_the_result_carries_explanation_signature_and_the_reply_itself() -> None:
    completion = Completion(text='{"score": 85, "explanation": "Same."}', model="m")

    assert parse_reply(completion, GRADED) == JudgeResult(
        status=JudgeStatus.OK,
        signature=GRADED.signature,
        score=85,
        explanation="Same.",
        completion=completion,
    )


@pytest.mark.parametrize(
    ("reply", "explanation"),
    [
        ('{"score": 85}', ""),
        ('{"score": 85, "explanation": ["a"]}', ""),
        ('{"score": 85, "Explanation": "Same."}', "Same."),
        (" Same date. Score: 85 ", "Same date. Score: 85"),
    ],
)
def test_the_explanation_is_the_judges_own_text_or_nothing(
    reply: str, explanation: str
) -> None:
    assert read(reply, GRADED).explanation == explanation


def test_a_users_own_labels_and_keys_are_read() -> None:
    own = BINARY.model_copy(
        update={
            "verdict_key": "grade",
            "scale": LabelScale(
                labels={
                    "A+": Label(score=3),
                    "half right": Label(score=1.5),
                    "F": Label(score=0),
                }
            ),
        }
    )

    assert read('{"grade": "a+"}', own).score == 3
    assert read("Grade: Half right", own).score == 1.5
    assert read('{"label": "F"}', own).status is JudgeStatus.UNPARSED


fragments = st.sampled_from(
    [
        *recorded_replies(),
        '{"score": ',
        '"label": "',
        "CORRECT",
        "Score: 85",
        "/100",
        "}",
        "{",
        "[",
        "<think>",
        "\n",
        " is not ",
    ]
)


@settings(deadline=None)
@given(
    text=st.one_of(st.text(), st.lists(fragments).map("".join)),
    protocol=st.sampled_from([GRADED, BINARY]),
)
@example(text='{"score":' * 20_000, protocol=GRADED)
@example(text='{"a":[' * 20_000, protocol=GRADED)
@example(text="[" * 100_000, protocol=GRADED)
@example(text="{}" * 50_000, protocol=GRADED)
@example(text="5\n" * 50_000, protocol=GRADED)
@example(text="\n" * 100_000 + "x", protocol=BINARY)
@example(text="score: " + "9" * 100_000 + "x", protocol=GRADED)
@example(text="9" * 100_000, protocol=GRADED)
@example(text="score " * 20_000, protocol=GRADED)
@example(text="I give " + "a " * 50_000, protocol=GRADED)
@example(text="The answer is " * 10_000, protocol=BINARY)
@example(text=" " * 100_000 + "x", protocol=BINARY)
@example(text="*" * 100_000 + "x", protocol=GRADED)
@example(text="label" + " " * 100_000, protocol=BINARY)
def test_no_reply_raises_and_every_score_is_on_the_scale(
    text: str, protocol: JudgeProtocol
) -> None:
    result = read(text, protocol)

    assert (result.status is JudgeStatus.OK) == (result.score is not None)
    if result.score is not None:
        assert 0 <= result.score <= (100 if protocol is GRADED else 1)
