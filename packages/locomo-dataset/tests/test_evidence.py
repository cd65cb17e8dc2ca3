import pytest
from hypothesis import given
from hypothesis import strategies as st
from locomo_dataset import TurnRef
from locomo_dataset._evidence import parse_turn_id, resolve, resolve_all

TURNS = frozenset(TurnRef(s, n) for s in range(1, 12) for n in range(1, 20))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("D1:3", [(1, 3)]),
        ("D3:11; D5:1", [(3, 11), (5, 1)]),
        ("D3:11;D5:1", [(3, 11), (5, 1)]),
        ("D5:1 D2:2 D2:3", [(5, 1), (2, 2), (2, 3)]),
        ("D5:1, D2:2", [(5, 1), (2, 2)]),
        (" D5:1 ", [(5, 1)]),
        ("D10:05", [(10, 5)]),
        ("D010:5", [(10, 5)]),
        ("D:11:7", [(11, 7)]),
    ],
)
def test_what_has_one_reading_is_read(
    text: str, expected: list[tuple[int, int]]
) -> None:
    assert resolve(text, TURNS) == tuple(expected)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "D",
        "D1",
        "D1:",
        "1:3",
        "d1:3",
        "D1:3:4",
        "D1-3",
        "D0:1",
        "D1:0",
        "D12:1",
        "D1:20",
        "D1:3 D1:20",
        "D1:3 and D1:4",
        "D1:٣",
        "D1:" + "9" * 5000,
    ],
)
def test_what_has_no_reading_gives_no_turn(text: str) -> None:
    assert resolve(text, TURNS) == ()


@pytest.mark.parametrize("text", ["D1:03", "D01:3", "D1:3 ", "D:1:3", "D1:3;", "D0:1"])
def test_a_turn_id_has_exactly_one_spelling(text: str) -> None:
    assert parse_turn_id(text) is None


@given(st.integers(1, 999_999), st.integers(1, 999_999))
def test_an_id_survives_the_round_trip(session: int, number: int) -> None:
    ref = TurnRef(session, number)

    assert parse_turn_id(str(ref)) == ref


@given(st.text(alphabet="D:0123 ;,"))
def test_only_turns_that_exist_are_found(text: str) -> None:
    assert set(resolve(text, TURNS)) <= TURNS


def test_a_turn_named_twice_counts_once_and_the_order_stays() -> None:
    texts = ["D5:1", "D2:2 D5:1", "nothing", "D1:1"]

    assert resolve_all(texts, TURNS) == ((5, 1), (2, 2), (1, 1))
