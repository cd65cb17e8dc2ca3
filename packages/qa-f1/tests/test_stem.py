import csv
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from qa_f1 import porter_stem
from qa_f1._stem import Flavour

PIECES = [
    *("al", "alli", "logi", "bli", "fulli", "ational", "tional", "enci", "anci"),
    *("izer", "entli", "eli", "ousli", "ization", "ation", "ator", "alism", "iveness"),
    *("fulness", "ousness", "aliti", "iviti", "biliti", "icate", "ative", "alize"),
    *("iciti", "ical", "ful", "ness", "ance", "ence", "er", "ic", "able", "ible"),
    *("ant", "ement", "ment", "ent", "sion", "tion", "ion", "ou", "ism", "ate", "iti"),
    *("ous", "ive", "ize", "ed", "eed", "ied", "ies", "ing", "s", "ss", "sses", "y"),
    *("yy", "e", "ll", "at", "bl", "iz", "tt", "zz", "kk", "day", "sk", "new", "in"),
    *("out", "how", "proc", "succ", "tr", "fl", "b", "c", "st", "ae", "qu"),
    *("é", "ß", "1", "_", "’", "東"),
]

WORDS = st.lists(st.sampled_from(PIECES), max_size=5).map("".join)


def _mismatches(table: Path, columns: dict[Flavour, str]) -> tuple[int, list[str]]:
    with table.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    wrong = [
        row["word"]
        for row in rows
        for flavour, column in columns.items()
        if porter_stem(row["word"], flavour) != row[column]
    ]
    return len(rows), wrong


COLUMNS: dict[Flavour, str] = {"nltk": "nltk_default", "snowball": "snowball_porter"}


def test_both_flavours_equal_the_word_list_on_which_they_differ(data: Path) -> None:
    table = data / "stems_scowl_where_snowball_differs.tsv"

    assert _mismatches(table, COLUMNS) == (4935, [])


@pytest.mark.golden
@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("stems_locomo_vocab.tsv", 6643),
        ("stems_scowl_where_snowball_differs.tsv", 4935),
    ],
)
def test_both_flavours_equal_the_recorded_stems(
    golden: Path, name: str, n: int
) -> None:
    assert _mismatches(golden / name, COLUMNS) == (n, [])


@settings(max_examples=1500, deadline=None)
@given(word=WORDS)
def test_the_nltk_flavour_equals_nltk_on_chains_of_suffixes(
    nltk_stem: Callable[[str], str], word: str
) -> None:
    assert porter_stem(word, "nltk") == nltk_stem(word.lower())


@settings(max_examples=300, deadline=None)
@given(word=st.text())
def test_the_nltk_flavour_equals_nltk_on_any_text(
    nltk_stem: Callable[[str], str], word: str
) -> None:
    assert porter_stem(word, "nltk") == nltk_stem(word.lower())


@pytest.mark.parametrize(
    ("word", "nltk", "snowball"),
    [
        ("", "", ""),
        ("s", "s", ""),
        ("is", "is", "i"),
        ("one", "one", "on"),
        ("day", "day", "dai"),
        ("fly", "fli", "fly"),
        ("used", "use", "us"),
        ("news", "news", "new"),
        ("dying", "die", "dy"),
        ("psychology", "psycholog", "psychologi"),
        ("possibly", "possibl", "possibli"),
        ("hopefully", "hope", "hopefulli"),
        ("emotionally", "emot", "emotion"),
        ("ties", "tie", "ti"),
        ("tied", "tie", "ti"),
        ("trekked", "trek", "trekk"),
        ("falling", "fall", "fall"),
        ("relational", "relat", "relat"),
        ("Running", "run", "run"),
    ],
)
def test_the_flavours_differ_by_the_known_rules(
    word: str, nltk: str, snowball: str
) -> None:
    assert (porter_stem(word, "nltk"), porter_stem(word, "snowball")) == (
        nltk,
        snowball,
    )


def test_the_default_flavour_is_that_of_the_standard_profile() -> None:
    assert porter_stem("days") == porter_stem("days", "snowball")


def test_an_unknown_flavour_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"flavour 'lancaster': .* snowball, nltk"):
        porter_stem("days", "lancaster")  # type: ignore[arg-type] # the point


def test_threads_do_not_disturb_each_other() -> None:
    words = [f"{letter}{n}xs" for n in range(400) for letter in "abcd"]
    wrong: list[str] = []

    def stem(flavour: Flavour) -> None:
        wrong.extend(w for w in words if porter_stem(w, flavour) != w[:-1])

    threads = [
        threading.Thread(target=stem, args=(flavour,))
        for flavour in get_args(Flavour)
        for _ in range(4)
    ]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)

    assert wrong == []
