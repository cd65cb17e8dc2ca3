import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from locomo_dataset import Conversation
from locomo_run.ledger.entry import Attempt, Json, Request, Stage, Status
from locomo_run.ledger.file import LedgerError
from locomo_run.ledger.store import Ledger
from locomo_run.memory import Hit
from locomo_run.outcome import Outcome, State, outcomes

HITS = (
    Hit(id="D1:1", text="Lisbon!", turns=("D1:1",)),
    Hit(id="D1:2", text="Miso.", date="3 May", score=0.5, turns=("D1:2",)),
)

FAILED = Attempt(status=Status.INFRA_ERROR, reason="no reply")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.write(tmp_path) as opened:
        yield opened


def search(ledger: Ledger, item: str, *attempts: Attempt) -> None:
    request = Request(stage=Stage.SEARCH, item=item, content={"limit": 10})
    for attempt in attempts:
        ledger.append(request, attempt)


def answer(ledger: Ledger, item: str, *attempts: Attempt, hits_read: Json = 1) -> None:
    request = Request(stage=Stage.ANSWER, item=item, content={"hits_read": hits_read})
    for attempt in attempts:
        ledger.append(request, attempt)


def found(ledger: Ledger, hits: tuple[Hit, ...] = HITS) -> Attempt:
    stored = ledger.store(json.dumps([asdict(hit) for hit in hits]))
    return Attempt(status=Status.OK, reply={"hits": stored}, latency_ms=3.0)


def said(text: str) -> Attempt:
    return Attempt(status=Status.OK, reply={"text": text}, latency_ms=5.0)


def only(tiny: Conversation, ledger: Ledger, index: int = 0) -> Outcome:
    (one,) = outcomes([tiny.qa[index]], ledger)
    return one


def test_an_answered_question_carries_what_was_found_and_said(
    tiny: Conversation, ledger: Ledger
) -> None:
    search(ledger, "tiny:1", found(ledger))
    answer(ledger, "tiny:1", said("in May 2024"))

    one = only(tiny, ledger, 1)

    assert (one.state, one.reason, one.prediction) == (
        State.ANSWERED,
        "",
        "in May 2024",
    )
    assert one.scores is not None
    assert one.scores.f1["locomo"] == pytest.approx(0.8)
    assert (one.hits, one.hits_read, one.recall) == (("D1:1", "D1:2"), 1, 1.0)
    assert (one.search_ms, one.answer_ms) == (3.0, 5.0)
    assert (one.input_tokens, one.output_tokens) == (None, None)
    assert not one.adversarial


def test_the_size_of_the_context_is_read_where_the_entry_tells_it(
    tiny: Conversation, ledger: Ledger
) -> None:
    reply: dict[str, Json] = {"text": "Lisbon", "context_chars": 13}
    answer(ledger, "tiny:0", Attempt(status=Status.OK, reply=reply))
    answer(ledger, "tiny:1", said("written before entries told it"))

    assert only(tiny, ledger, 0).context_chars == 13
    assert only(tiny, ledger, 1).context_chars is None


def test_an_empty_prediction_is_an_answer(tiny: Conversation, ledger: Ledger) -> None:
    search(ledger, "tiny:0", found(ledger, ()))
    answer(ledger, "tiny:0", said(""), hits_read=0)

    one = only(tiny, ledger)

    assert (one.state, one.prediction, one.hits, one.recall) == (
        State.ANSWERED,
        "",
        (),
        0.0,
    )


def test_a_memory_that_knows_no_turns_has_no_recall(
    tiny: Conversation, ledger: Ledger
) -> None:
    search(ledger, "tiny:0", found(ledger, (*HITS, Hit(id="obs-7", text="x"))))
    answer(ledger, "tiny:0", said("Lisbon"))

    assert only(tiny, ledger).recall is None


@pytest.mark.parametrize(
    ("memory", "recall"),
    [
        ({"name": "claude-mem", "via": "observation"}, None),
        ({"name": "claude-mem", "via": "import"}, 0.0),
        ({"name": "embedded"}, 0.0),
    ],
)
def test_where_nothing_was_found_the_memory_says_whether_it_knows_turns(
    tiny: Conversation, ledger: Ledger, memory: dict[str, Json], recall: float | None
) -> None:
    ledger.set_facts({"identity": {"memory": memory}})
    search(ledger, "tiny:0", found(ledger, ()))
    answer(ledger, "tiny:0", said("unanswerable"), hits_read=0)

    assert only(tiny, ledger).recall == recall


def test_a_question_without_an_entry_is_missing(
    tiny: Conversation, ledger: Ledger
) -> None:
    assert [one.state for one in outcomes(tiny.qa, ledger)] == [State.MISSING] * 4


def test_a_question_that_was_searched_but_not_answered_is_missing(
    tiny: Conversation, ledger: Ledger
) -> None:
    search(ledger, "tiny:0", found(ledger))

    assert only(tiny, ledger).state is State.MISSING


def test_a_failed_search_is_a_failed_question(
    tiny: Conversation, ledger: Ledger
) -> None:
    search(ledger, "tiny:0", FAILED, FAILED)

    one = only(tiny, ledger)

    assert (one.state, one.reason, one.prediction) == (State.FAILED, "no reply", None)
    assert (one.scores, one.search_ms, one.recall) == (None, None, None)


def test_a_failed_answer_is_a_failed_question(
    tiny: Conversation, ledger: Ledger
) -> None:
    search(ledger, "tiny:0", found(ledger))
    answer(ledger, "tiny:0", FAILED)

    one = only(tiny, ledger)

    assert (one.state, one.reason) == (State.FAILED, "no reply")


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.OK])
def test_every_status_but_ok_is_a_failure_with_its_reason(
    tiny: Conversation, ledger: Ledger, status: Status
) -> None:
    search(ledger, "tiny:0", found(ledger))
    answer(ledger, "tiny:0", Attempt(status=status, reason=f"it was {status}"))

    one = only(tiny, ledger)

    assert (one.state, one.reason) == (State.FAILED, f"it was {status}")


def test_a_failure_that_was_mended_is_none(tiny: Conversation, ledger: Ledger) -> None:
    search(ledger, "tiny:0", FAILED, found(ledger))
    answer(ledger, "tiny:0", FAILED, said("Lisbon"), FAILED)

    assert only(tiny, ledger).state is State.ANSWERED


def test_the_questions_keep_the_order_that_was_asked(
    tiny: Conversation, ledger: Ledger
) -> None:
    wanted = [tiny.qa[2], tiny.qa[0], tiny.qa[3]]

    assert [one.question for one in outcomes(wanted, ledger)] == wanted


def test_only_category_5_is_adversarial(tiny: Conversation, ledger: Ledger) -> None:
    assert [one.adversarial for one in outcomes(tiny.qa, ledger)] == [
        *(False, False, False, True)
    ]


def test_hits_that_got_lost_are_an_error_with_a_name(
    tiny: Conversation, ledger: Ledger
) -> None:
    lost = Attempt(status=Status.OK, reply={"hits": "0" * 32})
    search(ledger, "tiny:0", lost)
    answer(ledger, "tiny:0", said("Lisbon"))

    with pytest.raises(LedgerError, match=r"text 0{32} is referred to but missing"):
        only(tiny, ledger)
