from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locomo_run.recall import evidence_recall

TURNS = ("D1:1", "D1:2", "D2:1", "D2:2")


UNKNOWN = None


@pytest.mark.parametrize(
    ("hits", "evidence", "recall"),
    [
        ([["D1:1"]], ["D1:1"], 1.0),
        ([["D1:1"]], ["D1:1", "D2:1", "D2:2", "D9:9"], 0.25),
        ([["D1:1", "D2:1"]], ["D1:1", "D2:1"], 1.0),
        ([["D1:1"], ["D1:1"]], ["D1:1", "D2:1"], 0.5),
        ([["D1:2"]], ["D1:1"], 0.0),
        ([[]], ["D1:1"], 0.0),
        ([], ["D1:1"], 0.0),
        ([["D1:1"]], ["D1:1", "D1:1"], 1.0),
        ([["D1:1"]], [], None),
        ([UNKNOWN], ["D1:1"], None),
        ([["D1:1"], UNKNOWN], ["D1:1"], None),
    ],
)
def test_recall_is_the_share_of_evidence_that_was_found(
    hits: Sequence[Sequence[str] | None], evidence: Sequence[str], recall: float | None
) -> None:
    assert evidence_recall(hits, evidence) == recall


@given(
    st.lists(st.lists(st.sampled_from(TURNS))),
    st.lists(st.sampled_from(TURNS), min_size=1),
)
def test_more_hits_never_lower_the_recall(
    found: list[list[str]], evidence: list[str]
) -> None:
    recalls = [evidence_recall(found[:n], evidence) for n in range(len(found) + 1)]

    known = [recall for recall in recalls if recall is not None]
    assert len(known) == len(recalls)
    assert known == sorted(known)
    assert 0 <= known[0] <= known[-1] <= 1
