from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locomo_run.memory import Hit
from locomo_run.recall import evidence_recall

TURNS = ("D1:1", "D1:2", "D2:1", "D2:2")


def hit(*turns: str) -> Hit:
    return Hit(id="h", text="", turns=turns)


UNKNOWN = Hit(id="obs", text="")


@pytest.mark.parametrize(
    ("hits", "evidence", "recall"),
    [
        ([hit("D1:1")], ["D1:1"], 1.0),
        ([hit("D1:1")], ["D1:1", "D2:1", "D2:2", "D9:9"], 0.25),
        ([hit("D1:1", "D2:1")], ["D1:1", "D2:1"], 1.0),
        ([hit("D1:1"), hit("D1:1")], ["D1:1", "D2:1"], 0.5),
        ([hit("D1:2")], ["D1:1"], 0.0),
        ([hit()], ["D1:1"], 0.0),
        ([], ["D1:1"], 0.0),
        ([hit("D1:1")], ["D1:1", "D1:1"], 1.0),
        ([hit("D1:1")], [], None),
        ([UNKNOWN], ["D1:1"], None),
        ([hit("D1:1"), UNKNOWN], ["D1:1"], None),
    ],
)
def test_recall_is_the_share_of_evidence_that_was_found(
    hits: Sequence[Hit], evidence: Sequence[str], recall: float | None
) -> None:
    assert evidence_recall(hits, evidence) == recall


@given(
    st.lists(st.lists(st.sampled_from(TURNS))),
    st.lists(st.sampled_from(TURNS), min_size=1),
)
def test_more_hits_never_lower_the_recall(
    found: list[list[str]], evidence: list[str]
) -> None:
    recalls = [
        evidence_recall([hit(*turns) for turns in found[:n]], evidence)
        for n in range(len(found) + 1)
    ]

    known = [recall for recall in recalls if recall is not None]
    assert len(known) == len(recalls)
    assert known == sorted(known)
    assert 0 <= known[0] <= known[-1] <= 1
