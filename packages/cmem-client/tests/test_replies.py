import pytest
from cmem_client import Observation
from cmem_client._replies import excerpt, printable
from cmem_client._wire import Reply
from hypothesis import given
from hypothesis import strategies as st


@given(st.text(), st.integers(1, 50))
def test_a_printed_text_is_one_printable_line_within_its_limit(
    text: str, limit: int
) -> None:
    shown = printable(text, limit)

    assert shown.isprintable()
    assert len(shown) <= limit + 1
    assert shown.endswith("…") or len(shown) <= limit


@given(body=st.binary(max_size=300), html=st.booleans())
def test_any_body_can_be_quoted(body: bytes, html: bool) -> None:
    kind = "text/html" if html else "application/json"
    reply = Reply(status=500, content_type=kind, body=body, latency_ms=1)

    assert excerpt(reply).isprintable()
    assert repr(body) not in repr(reply)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('["a", "b"]', ("a", "b")),
        ("[]", ()),
        ("", ()),
        (None, ()),
        (["a"], ("a",)),
        ('[1, {"b": 2}]', ("1", '{"b": 2}')),
        ("plain words", ("plain words",)),
        ('{"a": 1}', ('{"a": 1}',)),
        ("[broken", ("[broken",)),
        ("[" * 200_000, ("[" * 200_000,)),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_list_in_a_string_is_decoded_and_anything_else_kept(
    value: object, expected: tuple[str, ...]
) -> None:
    row = Observation.model_validate({"id": 1, "project": "notes", "facts": value})

    assert row.facts == expected


def test_a_list_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="facts"):
        Observation.model_validate({"id": 1, "project": "notes", "facts": 7})
