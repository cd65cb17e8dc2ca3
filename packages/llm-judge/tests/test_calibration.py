import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_judge import (
    Calibration,
    ErrorRate,
    JudgeResult,
    JudgeStatus,
    Probe,
    ProbeItem,
    ProbeKind,
    build_probes,
    measure_calibration,
)

ITEMS = [
    ProbeItem(question="Which pet?", gold="a cat", category="pets", trap="a dog"),
    ProbeItem(question="Where?", gold="Oslo", category="places"),
    ProbeItem(question="Which other pet?", gold="two parrots", category="pets"),
]

words = st.text(st.characters(categories=["L", "N", "P", "Zs"]), max_size=12)
item_lists = st.lists(
    st.builds(
        ProbeItem,
        question=words,
        gold=words,
        category=st.sampled_from(["x", "y"]),
        trap=st.none() | words,
    ),
    max_size=6,
)


def result(score: float | None) -> JudgeResult:
    status = JudgeStatus.UNPARSED if score is None else JudgeStatus.OK
    return JudgeResult(status=status, signature="p", score=score)


def of_kind(kind: ProbeKind, items: list[ProbeItem]) -> list[Probe]:
    return [probe for probe in build_probes(items) if probe.kind is kind]


def test_another_questions_gold_comes_from_the_same_category_if_it_can() -> None:
    probes = of_kind(ProbeKind.OTHER_GOLD, ITEMS)

    assert [(probe.gold, probe.prediction) for probe in probes] == [
        ("a cat", "two parrots"),
        ("Oslo", "two parrots"),
        ("two parrots", "a cat"),
    ]


def test_a_gold_that_shares_a_word_may_be_right_and_is_not_taken() -> None:
    alike = [
        ProbeItem(question="When?", gold="7 May 2023"),
        ProbeItem(question="And when?", gold="In May"),
        ProbeItem(question="Which year?", gold="(2023)"),
    ]

    probes = of_kind(ProbeKind.OTHER_GOLD, alike)

    assert [(probe.gold, probe.prediction) for probe in probes] == [
        ("In May", "(2023)"),
        ("(2023)", "In May"),
    ]


def test_a_trap_is_used_where_there_is_one_and_it_is_none_but_wrong() -> None:
    items = [*ITEMS, ProbeItem(question="Who?", gold="Ann", trap="ann!")]

    assert [probe.prediction for probe in of_kind(ProbeKind.TRAP, items)] == ["a dog"]


def test_a_vague_answer_names_the_question_and_no_fact() -> None:
    for probe in of_kind(ProbeKind.VAGUE, ITEMS):
        assert probe.question in probe.prediction
        assert probe.gold not in probe.prediction


def test_a_reworded_gold_holds_the_gold() -> None:
    probes = of_kind(ProbeKind.REWORDED, ITEMS)

    assert [probe.prediction for probe in probes] == [
        "The answer is: a cat",
        '"Oslo", as far as I can tell from the conversation.',
        "two parrots. That is what was said.",
    ]


def test_an_item_without_a_gold_gives_no_probe() -> None:
    assert build_probes([ProbeItem(question="Why?", gold=" … ", trap="x")]) == ()


def test_braces_in_a_question_stay_braces() -> None:
    items = [ProbeItem(question="{gold} {0}?", gold="{question}")]

    for probe in build_probes(items):
        assert "{gold} {0}?" in probe.prediction or "{question}" in probe.prediction


@given(item_lists)
def test_wrong_probes_differ_from_the_gold_and_right_ones_contain_it(
    items: list[ProbeItem],
) -> None:
    probes = build_probes(items)

    assert probes == build_probes(items)
    for probe in probes:
        if probe.kind.is_right:
            assert probe.gold.strip() in probe.prediction
        else:
            assert probe.prediction.casefold() != probe.gold.casefold()


def test_errors_are_counted_by_direction_and_by_kind() -> None:
    probes = build_probes(ITEMS)  # 3 golds of others, 1 trap, 3 vague, 3 reworded
    scores: dict[ProbeKind, list[float | None]] = {
        ProbeKind.OTHER_GOLD: [0, 50, None],
        ProbeKind.TRAP: [49],
        ProbeKind.VAGUE: [50, 90, 10],
        ProbeKind.REWORDED: [100, 50, 20],
    }
    judged = [
        (probe, result(score))
        for kind, of_this_kind in scores.items()
        for probe, score in zip(
            [probe for probe in probes if probe.kind is kind], of_this_kind, strict=True
        )
    ]

    assert measure_calibration(judged, accept_at=50) == Calibration(
        false_accept=ErrorRate(errors=3, n=6),
        false_reject=ErrorRate(errors=1, n=3),
        by_kind={
            ProbeKind.OTHER_GOLD: ErrorRate(errors=1, n=2),
            ProbeKind.TRAP: ErrorRate(errors=0, n=1),
            ProbeKind.VAGUE: ErrorRate(errors=2, n=3),
            ProbeKind.REWORDED: ErrorRate(errors=1, n=3),
        },
        failed_count=1,
    )


def test_a_kind_whose_probes_all_failed_has_no_rate() -> None:
    probe = of_kind(ProbeKind.TRAP, ITEMS)[0]
    calibration = measure_calibration([(probe, result(None))], accept_at=1)

    assert calibration.by_kind == {ProbeKind.TRAP: ErrorRate(errors=0, n=0)}
    assert calibration.false_accept.rate is None
    assert calibration.failed_count == 1


def test_a_rate_is_errors_over_judged_probes() -> None:
    assert ErrorRate(errors=3, n=6).rate == pytest.approx(0.5)
