import re

import pytest
from eval_report import (
    Section,
    Table,
    escape_markdown,
    format_full_report,
    render_markdown,
)
from hypothesis import given
from hypothesis import strategies as st

ESCAPED = re.compile(r"\\[!-/:-@\[-`{-~]")
ACTIVE = re.compile(r"[\\`*_\[\]|~$#<>]")

any_text = st.text(st.characters(exclude_categories=[]), max_size=60)
nasty_text = st.text("|\\`*_[]()<>&#~$\n\r\t\x0b\x1b\u2028 :/w.a1-+=!@{}", max_size=40)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain", "plain"),
        ("a|b", r"a\|b"),
        (r"a\|b", r"a\\\|b"),
        ("two\nlines\r\n", "two lines"),
        ("`code`", r"\`code\`"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("&lt;", "&amp;lt;"),
        ("[text](http://x.y)", r"\[text\](http\://x.y)"),
        ("https://a.b www.c.d", r"https\://a.b www\.c.d"),
        ("*a* _b_ ~~c~~ $d$ # e", r"\*a\* \_b\_ \~\~c\~\~ \$d\$ \# e"),
        ("a\x1b[31m\x00b", "a\ufffd\\[31m\ufffdb"),
        ("abc\u202edef", "abc\ufffddef"),
        ("\ud800", "\ufffd"),
        ("66.9 ±0.15", "66.9 ±0.15"),
        ("日本語 👩‍👧", "日本語 👩‍👧"),
    ],
)
def test_text_is_escaped_by_hand(text: str, escaped: str) -> None:
    assert escape_markdown(text) == escaped


@given(any_text | nasty_text)
def test_any_text_becomes_one_inert_line(text: str) -> None:
    escaped = escape_markdown(text)
    bare = ESCAPED.sub("", escaped)

    assert len(escaped.splitlines()) <= 1
    assert not ACTIVE.search(bare)
    assert re.sub("&(amp|lt|gt);", "", bare).count("&") == 0
    assert "://" not in escaped
    assert "www." not in escaped.lower()
    escaped.encode("utf-8")


@given(any_text | nasty_text, any_text | nasty_text)
def test_a_table_keeps_its_shape_whatever_the_cells_hold(one: str, two: str) -> None:
    table = Table(
        title=one, columns=(one, two), rows=((two, one), (one, two)), notes=(one,)
    )

    lines = render_markdown(table).split("\n")

    assert lines[0].startswith("###")
    grid = lines[2:6]
    assert [ESCAPED.sub("", line).count("|") for line in grid] == [3, 3, 3, 3]
    assert lines[6] == ""
    assert lines[7].startswith("- ")
    assert lines[8:] == [""]


def test_numbers_are_set_to_the_right() -> None:
    table = Table(title="T", columns=("name", "n"), rows=(("x", "1"), ("y", "–")))

    assert render_markdown(table) == (
        "### T\n\n| name | n |\n| --- | ---: |\n| x | 1 |\n| y | – |\n"
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("1. one", r"1\. one"),
        ("12) one", r"12\) one"),
        ("- one", r"\- one"),
        ("+ one", r"\+ one"),
        ("=== x", r"\=== x"),
        ("1.5 points", r"1\.5 points"),
        ("one - two", "one - two"),
    ],
)
def test_a_paragraph_cannot_start_a_list_or_a_heading(text: str, line: str) -> None:
    report = format_full_report("T", [Section(heading="H", paragraphs=(text,))])

    assert report == f"# T\n\n## H\n\n{line}\n"
