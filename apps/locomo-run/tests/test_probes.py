import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st
from llm_judge import BINARY, GRADED, JudgeSettings, Probe, ProbeKind
from llm_judge.testing import FakeMessagesAPI, FakeRequest
from locomo_dataset import Category, Question, load_mini
from locomo_run.judging.judge import Judge
from locomo_run.judging.probes import (
    NO_ANSWER,
    Calibrated,
    calibrations,
    note_judges,
    probe_of,
    probes_for,
    prompt_for,
    request_for,
)
from locomo_run.ledger.entry import Attempt, Entry, Stage, Status
from locomo_run.ledger.store import Ledger
from locomo_run.reporting.calibration_tables import (
    calibration_spec,
    calibration_tables,
    mistake_spec,
)

Call = Callable[..., Result]
Start = Callable[..., FakeMessagesAPI]

EVERY = frozenset({"c:0", "c:1"})
WRONG, RIGHT = ProbeKind.OTHER_GOLD, ProbeKind.REWORDED


def question(
    index: int,
    gold: str | None,
    category: Category = Category.SINGLE_HOP,
    trap: str | None = None,
    text: str | None = None,
) -> Question:
    return Question(
        id=f"c:{index}",
        sample_id="c",
        index=index,
        text=text or f"What of {index}?",
        category=category,
        gold=gold,
        adversarial_answer=trap,
    )


def judge(protocol: str = "binary") -> Judge:
    built = {"binary": BINARY, "graded": GRADED}[protocol]
    return Judge(protocol=built, settings=JudgeSettings(), runs=1)


def put(who: Judge, kind: ProbeKind, score: float | None, number: int = 0) -> Entry:
    """What a judge made of a probe."""
    probe = Probe(
        kind=kind, question="Q?", gold="Oslo", prediction=f"A {number}", category="x"
    )
    return Entry(
        request=request_for(who, "c:0", probe, prompt_for(who, probe)),
        attempt=Attempt(
            status=Status.UNPARSED if score is None else Status.OK,
            reply={"score": score, "explanation": "So."},
        ),
        attempts=1,
    )


def calibrated(
    *scores: tuple[ProbeKind, float | None], protocol: str = "binary"
) -> Calibrated:
    who = judge(protocol)
    entries = tuple(put(who, kind, s, i) for i, (kind, s) in enumerate(scores))
    return Calibrated(judge=who, entries=entries)


def test_answerable_questions_give_wrong_and_right_answers() -> None:
    probes = probes_for([question(0, "Oslo"), question(1, "Miso")], EVERY)
    assert [(item, probe.kind.value) for item, probe in probes] == [
        *(("c:0", "other_gold"), ("c:0", "vague"), ("c:0", "reworded")),
        *(("c:1", "other_gold"), ("c:1", "vague"), ("c:1", "reworded")),
    ]
    assert probes[0][1].prediction == "Miso"


def test_adversarial_questions_give_their_trap_and_nothing_else() -> None:
    trapped = question(0, None, Category.ADVERSARIAL, trap="Oslo")
    ((item, probe),) = probes_for([trapped], EVERY)
    assert item == "c:0"
    assert (probe.kind, probe.prediction) == (ProbeKind.TRAP, "Oslo")
    assert (probe.gold, probe.category) == (NO_ANSWER, "adversarial")


def test_what_has_neither_gold_nor_trap_gives_no_probe() -> None:
    empty = question(0, None, Category.ADVERSARIAL)
    assert probes_for([empty, question(1, None)], EVERY) == []


def test_a_question_that_stands_there_twice_is_probed_once() -> None:
    twice = [question(i, "Oslo", text="Where?") for i in (0, 1)]
    assert {item for item, _ in probes_for(twice, EVERY)} == {"c:0"}


@given(st.sets(st.integers(0, 54)), st.sets(st.integers(0, 54)))
def test_a_larger_sample_only_adds_probes(some: set[int], more: set[int]) -> None:
    questions = load_mini().all_questions()
    small = {questions[index].id for index in some}
    large = small | {questions[index].id for index in more}
    probes = probes_for(questions, large)
    assert [p for p in probes if p[0] in small] == probes_for(questions, small)


def test_labels_are_accepted_at_the_full_mark_and_grades_at_half_of_it() -> None:
    assert calibrated().accept_at == 1
    assert calibrated(protocol="graded").accept_at == 50


def test_errors_are_counted_as_by_hand() -> None:
    found = calibrated(
        *((WRONG, 50), (WRONG, 49), (WRONG, None), (ProbeKind.VAGUE, 80)),
        *((RIGHT, 100), (RIGHT, 10)),
        protocol="graded",
    )
    (table,) = calibration_tables([found])
    assert [row[:4] for row in table.rows] == [
        ("wrong: the gold of another question", "2", "1", "0.500"),
        ("wrong: vague", "1", "1", "1.000"),
        ("right: the gold reworded", "2", "1", "0.500"),
        ("false accepts: all wrong answers", "3", "2", "0.667"),
        ("false rejects: all right answers", "2", "1", "0.500"),
    ]
    assert [row[5] for row in table.rows] == ["49.5", "80.0", "55.0", "", ""]
    # Wilson, 2 of 3
    assert table.rows[3][4] == "0.208 to 0.939"
    assert "Without a score, and in no rate: 1." in table.notes
    assert [probe_of(entry).prediction for entry in found.mistakes()] != []
    assert {probe_of(e).prediction for e in found.mistakes()} == {"A 0", "A 3", "A 5"}


def test_rates_without_a_probe_are_not_there() -> None:
    spec = calibration_spec(calibrated((WRONG, None)))
    assert spec["false_accept"] == {"errors": 0, "n": 0, "rate": None, "interval": None}
    assert spec["without_score"] == 1
    assert spec["by_kind"] == {
        "other_gold": {
            "errors": 0,
            "n": 0,
            "rate": None,
            "interval": None,
            "mean_score": None,
        }
    }
    (table,) = calibration_tables([calibrated((WRONG, None))])
    assert table.rows[0][1:] == ("0", "0", "n/a", "n/a", "n/a")


def test_a_mistake_is_told_with_all_that_was_put() -> None:
    (mistake,) = calibrated((WRONG, 1.0)).mistakes()
    assert mistake_spec(mistake) == {
        "question_id": "c:0",
        "kind": "other_gold",
        "question": "Q?",
        "gold": "Oslo",
        "answer": "A 0",
        "score": 1.0,
        "explanation": "So.",
    }


def test_the_ledger_alone_gives_the_calibration_back(tmp_path: Path) -> None:
    who, unheard = judge(), judge("graded")
    entry = put(who, WRONG, 1.0)
    with Ledger.write(tmp_path) as ledger:
        assert calibrations(ledger) == ()
        note_judges(ledger, [who])
        note_judges(ledger, [who, unheard])
        ledger.append(entry.request, entry.attempt)
        assert calibrations(ledger) == (Calibrated(judge=who, entries=(entry,)),)


def verdict(request: FakeRequest) -> str:
    """A judge that accepts whatever is not vague."""
    label = "WRONG" if "came up" in request.user else "CORRECT"
    return json.dumps({"explanation": "So.", "label": label})


CALIBRATE = (
    *("calibrate", "here", "--quiet", "--judge", "claude-haiku-4-5"),
    *("--judge-protocol", "binary", "--yes"),
)


@pytest.fixture
def run(call: Call) -> Path:
    assert call("run", "--limit", "1", "--out", "here", "--quiet").exit_code == 0
    return Path("here")


@pytest.mark.parametrize("batch", [(), ("--batch", "--batch-poll", "0.01")])
def test_each_probe_is_bought_once_and_lands_in_the_report(
    call: Call, run: Path, endpoint: Start, batch: tuple[str, ...]
) -> None:
    api = endpoint(reply=verdict)
    first = call(*CALIBRATE, "--per-category", "2", *batch)
    assert first.exit_code == 0, first.output
    assert "binary" in first.stdout
    # three of each answerable category's two questions, and two traps
    assert api.counts.bought == 4 * 2 * 3 + 2
    again = call(*CALIBRATE, "--per-category", "2", "--json", *batch)
    assert api.counts.bought == 4 * 2 * 3 + 2
    (spec,) = json.loads(again.stdout)
    assert spec["false_reject"]["errors"] == 0
    assert spec["by_kind"]["other_gold"] == {
        **spec["by_kind"]["other_gold"],
        "errors": 8,
        "n": 8,
        "rate": 1.0,
        "mean_score": 1.0,
    }
    assert len(spec["mistakes"]) == spec["false_accept"]["errors"]
    (reported,) = json.loads(call("report", run, "--json").stdout)["calibration"]
    assert {**reported, "mistakes": spec["mistakes"]} == spec
    assert "Known answers put to the judge, binary" in call("report", run).stdout
    with Ledger.read(run) as ledger:
        assert {e.request.run for e in ledger.entries(Stage.PROBE)} == {0}


def test_calibrating_leaves_the_judging_of_answers_alone(
    call: Call, run: Path, endpoint: Start
) -> None:
    endpoint(reply=verdict)
    call(*CALIBRATE, "--per-category", "1")
    assert json.loads(call("report", run, "--json").stdout)["metadata"]["judge"] is None


def test_what_is_still_to_be_bought_is_said_first(
    call: Call, run: Path, endpoint: Start
) -> None:
    endpoint(reply=verdict)
    first = call(*CALIBRATE, "--per-category", "1")
    assert "for 13 probe binary calls" in first.stderr
    assert "13 calls are stored" in call(*CALIBRATE, "--per-category", "1").stderr


def test_calibrating_needs_a_judge(call: Call, run: Path) -> None:
    refused = call("calibrate", run)
    assert refused.exit_code == 2
    assert "name a model with --judge" in refused.output


def test_a_judge_that_cannot_be_reached_stops_it(
    call: Call, run: Path, endpoint: Start
) -> None:
    api = endpoint(api_key="another")
    both = ("--judge-protocol", "graded")
    refused = call(*CALIBRATE, "--per-category", "1", *both)
    assert refused.exit_code == 1
    assert api.counts.bought == 0
