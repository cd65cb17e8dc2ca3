import pytest
from hypothesis import given
from hypothesis import strategies as st
from locomo_run.identity import Identity, differences, run_name, with_known

ONE: Identity = {
    "dataset": {"sha256": "79fa"},
    "memory": {"name": "embedded", "neighbours": 0},
    "search": {"limit": 10},
}


def test_the_order_of_parts_and_settings_does_not_matter() -> None:
    other: Identity = {
        "search": {"limit": 10},
        "memory": {"neighbours": 0, "name": "embedded"},
        "dataset": {"sha256": "79fa"},
    }

    assert run_name("offline", ONE) == run_name("offline", other)
    assert differences(ONE, other) == []


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({**ONE, "search": {"limit": 5}}, ["search.limit: the run has 10, asked is 5"]),
        (
            {**ONE, "search": {"limit": None}},
            ["search.limit: the run has 10, asked is nothing"],
        ),
        (
            {**ONE, "memory": {"name": "none"}},
            [
                "memory.name: the run has embedded, asked is none",
                "memory.neighbours: the run has 0, asked is nothing",
            ],
        ),
        (
            {**ONE, "context": {"chars": 9}},
            ["context.chars: the run has nothing, asked is 9"],
        ),
    ],
    ids=["value", "none", "gone", "new"],
)
def test_each_difference_is_named_with_both_values(
    asked: Identity, said: list[str]
) -> None:
    assert differences(ONE, asked) == said
    assert run_name("offline", asked) != run_name("offline", ONE)


def worker(mode: str | None, name: str = "claude-mem") -> Identity:
    return {"memory": {"name": name, "mode": mode}}


def test_a_mode_that_cannot_be_read_contradicts_none() -> None:
    assert differences(worker(None), worker("code")) == []
    assert differences(worker("code"), worker(None)) == []
    assert differences(worker("code"), worker("talk")) == [
        "memory.mode: the run has code, asked is talk"
    ]


def test_a_setting_of_another_memory_is_none_where_there_is_none() -> None:
    assert differences(worker(None, "mine"), worker("code", "mine")) == [
        "memory.mode: the run has nothing, asked is code"
    ]
    assert len(differences(worker(None), worker("code", "mine"))) == 2


def test_what_is_known_is_kept_and_what_is_learnt_is_added() -> None:
    assert with_known(worker("code"), worker(None)) == worker("code")
    assert with_known(worker(None), worker("code")) == worker("code")
    assert with_known(worker(None, "mine"), worker("code")) == worker(None, "mine")


def test_the_name_starts_with_the_recipe_and_is_safe_in_a_path() -> None:
    name = run_name("offline", {"memory": {"name": "../\n é"}})

    assert name.startswith("offline-")
    assert name.isascii()
    assert name.replace("-", "").isalnum()


settings = st.dictionaries(
    st.sampled_from(["a", "b"]), st.one_of(st.integers(0, 2), st.text(max_size=2))
)
identities = st.dictionaries(st.sampled_from(["x", "y"]), settings)


@given(identities, identities)
def test_two_runs_differ_both_ways_or_not_at_all(
    one: dict[str, dict[str, int | str]], other: dict[str, dict[str, int | str]]
) -> None:
    assert bool(differences(one, other)) is bool(differences(other, one))
    assert differences(one, one) == []
