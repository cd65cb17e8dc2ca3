from functools import partial

import pytest
from qa_f1._lines import LineError, parse_jsonl, parse_tsv, read_pairs

parse = partial(parse_jsonl, prediction_field="p", gold_field="g")


def test_a_line_of_json_gives_its_two_fields() -> None:
    assert parse('{"g": "oak", "x": [1], "p": "\\u00e9lm"}') == ("élm", "oak")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "{",
            "not JSON: Expecting property name enclosed in double quotes at column 2",
        ),
        ("[" * 100_000, "not JSON that can be read"),
        ("1" * 5000, "not JSON that can be read"),
        ('["a", "b"]', "expected a JSON object, found a list"),
        ('"a"', "expected a JSON object, found a string"),
        ('{"g": "oak"}', "no field 'p': name the right one with --prediction-field"),
        ('{"p": "oak"}', "no field 'g': name the right one with --gold-field"),
        ('{"p": "oak", "g": 2022}', "field 'g' must be a string, found a number"),
        ('{"p": "oak", "g": 2.5}', "field 'g' must be a string, found a number"),
        ('{"p": "oak", "g": true}', "field 'g' must be a string, found a boolean"),
        ('{"p": null, "g": "oak"}', "field 'p' must be a string, found null"),
        ('{"p": {}, "g": "oak"}', "field 'p' must be a string, found an object"),
    ],
    ids=lambda value: value[:20],
)
def test_a_line_of_json_that_lacks_something_says_what(line: str, message: str) -> None:
    with pytest.raises(LineError) as error:
        parse(line)

    assert str(error.value) == message


@pytest.mark.parametrize(
    ("line", "pair"),
    [("an oak\toak", ("an oak", "oak")), ("\t", ("", "")), ('"oak\t', ('"oak', ""))],
)
def test_a_tab_parts_prediction_and_gold(line: str, pair: tuple[str, str]) -> None:
    assert parse_tsv(line) == pair


@pytest.mark.parametrize(("line", "n"), [("oak", 1), ("oak\telm\tfir", 3)])
def test_a_line_needs_just_two_columns(line: str, n: int) -> None:
    with pytest.raises(
        LineError, match=f"expected two columns, prediction and gold, found {n}"
    ):
        parse_tsv(line)


def test_lines_keep_their_numbers_where_empty_ones_are_passed_over() -> None:
    lines = [b"\xef\xbb\xbfoak\telm\r\n", b"\n", b"\r\n", b"fir\tyew"]

    assert list(read_pairs(lines, parse_tsv)) == [
        (1, ("oak", "elm")),
        (4, ("fir", "yew")),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"oak\n", "line 2: expected two columns, prediction and gold, found 1"),
        (b"oak\t\xff\n", "line 2: not UTF-8 at byte 5"),
    ],
)
def test_an_unreadable_line_is_named_by_its_number(line: bytes, message: str) -> None:
    pairs = read_pairs([b"oak\telm\n", line], parse_tsv)

    assert next(pairs) == (1, ("oak", "elm"))
    with pytest.raises(LineError) as error:
        next(pairs)
    assert str(error.value) == message
