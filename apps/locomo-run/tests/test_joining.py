from hypothesis import given
from hypothesis import strategies as st
from llm_judge import BINARY, GRADED, JudgeSettings
from locomo_dataset import load_mini
from locomo_run.judging.judge import Judge
from locomo_run.ledger.entry import Json
from locomo_run.merging.joining import (
    Row,
    join_attempts,
    join_facts,
    join_judges,
    join_selections,
)
from locomo_run.selection import Selection, union


def row(
    reply: str, *, status: str = "ok", at: str = "2026-01-01", ms: float = 1.0
) -> Row:
    return Row(
        status=status,
        reply=reply,
        reason="",
        latency_ms=ms,
        model="m",
        usage=None,
        at=at,
    )


def judge(protocol: str, runs: int = 1) -> Judge:
    built = {"binary": BINARY, "graded": GRADED}[protocol]
    return Judge(protocol=built, settings=JudgeSettings(), runs=runs)


def test_an_attempt_that_a_copy_shares_stays_once() -> None:
    one = row("a")
    assert join_attempts([(0, [one]), (1, [one])]).rows == (one,)


def test_two_like_attempts_of_one_run_both_stay() -> None:
    bad = row("", status="infra_error")
    assert join_attempts([(0, [bad, bad]), (1, [bad])]).rows == (bad, bad)


def test_the_first_runs_good_reply_comes_last_although_it_is_older() -> None:
    ours, theirs = row("a", at="2026-01-01"), row("b", at="2026-02-01")
    joined = join_attempts([(0, [ours]), (1, [theirs])])
    assert joined.rows == (theirs, ours)
    assert (joined.kept, joined.same, joined.others) == (0, (), (1,))


def test_a_good_reply_of_a_later_run_wins_over_a_failure_of_the_first() -> None:
    bad, good = row("", status="infra_error", at="2026-03-01"), row("b")
    joined = join_attempts([(0, [bad]), (1, [good])])
    assert joined.rows == (bad, good)
    assert (joined.kept, joined.same, joined.others) == (1, (), ())


def test_nothing_is_kept_where_no_run_has_a_good_reply() -> None:
    joined = join_attempts([(0, [row("x", status="refused")])])
    assert joined.kept is None


ROWS = st.lists(
    st.builds(
        row,
        st.just("the reply"),
        status=st.sampled_from(("ok", "infra_error", "unparsed")),
        at=st.sampled_from(("2026-01-01", "2026-01-02", "2026-01-03")),
        ms=st.sampled_from((1.0, 2.0)),
    ),
    min_size=1,
    max_size=3,
)


@given(ROWS, ROWS, ROWS)
def test_without_conflicts_the_order_of_the_runs_and_the_grouping_do_not_matter(
    a: list[Row], b: list[Row], c: list[Row]
) -> None:
    at_once = join_attempts([(0, a), (1, b), (2, c)]).rows
    assert join_attempts([(0, c), (1, a), (2, b)]).rows == at_once
    first = list(join_attempts([(0, a), (1, b)]).rows)
    assert join_attempts([(0, first), (1, c)]).rows == at_once
    assert join_attempts([(0, list(at_once)), (1, b)]).rows == at_once


def test_facts_that_contradict_each_other_keep_the_first_and_are_named() -> None:
    differing: list[str] = []
    known: dict[str, Json] = {"a": 1, "b": {"c": "x"}, "e": None}
    more: dict[str, Json] = {"a": 2, "b": {"c": "y", "d": [1]}, "e": 5}
    assert join_facts("fact", known, more, differing) == {
        "a": 1,
        "b": {"c": "x", "d": [1]},
        "e": 5,
    }
    assert differing == ["fact.a", "fact.b.c"]
    assert join_facts("fact", 1, None) == 1
    assert join_facts("fact", 1, 2) == 1


def test_shards_by_conversation_become_the_whole_data_set() -> None:
    shards = [Selection(conversations=(name,)) for name in ("mini-2", "mini-1")]
    assert join_selections(shards, load_mini()) == (Selection(),)
    assert join_selections(shards[:1], load_mini()) == (shards[0],)


def test_selections_that_draw_are_kept_as_they_are() -> None:
    drawn = Selection(conversations=("mini-1",), per_category=2)
    every = Selection(categories=(4,))
    one = Selection(categories=(4,), conversations=("mini-1",))
    assert set(join_selections([drawn, every, one], load_mini())) == {drawn, every}


SELECTIONS = st.builds(
    Selection,
    conversations=st.sampled_from(((), ("mini-1",), ("mini-2",), ("mini-2", "mini-1"))),
    categories=st.sampled_from(((), (4,), (1, 2))),
    per_category=st.sampled_from((None, 1)),
    limit=st.sampled_from((None, 3)),
    adversarial=st.booleans(),
)


@given(st.lists(SELECTIONS, min_size=1, max_size=4))
def test_joined_selections_choose_the_same_questions(chosen: list[Selection]) -> None:
    dataset = load_mini()
    assert union(join_selections(chosen, dataset), dataset) == union(chosen, dataset)


def test_judges_are_joined_in_the_order_in_which_they_were_asked() -> None:
    both = [judge("graded", 3), judge("binary")]
    again = [judge("graded", 10)]
    expected = (judge("graded", 10), judge("binary"))
    assert join_judges([both, again]) == expected
    assert join_judges([again, both]) == expected
