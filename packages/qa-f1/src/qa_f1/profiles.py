"""The recipes behind published token F1 scores, by name.

Each is a frozen `qa_f1.Profile`; `dataclasses.replace` makes a variant. They give the
same answers different scores, so compare scores of one signature only.
"""

from dataclasses import replace

from qa_f1._profile import Profile

__all__ = [
    "LOCOMO",
    "LOCOMO_FIRST",
    "LOCOMO_LIST",
    "MEM0",
    "SQUAD",
    "SQUAD2",
    "STANDARD",
    "get",
    "names",
]

SQUAD = Profile(
    name="squad",
    articles=frozenset({"a", "an", "the"}),
    order="punctuation-first",
    boundary="re",
    punctuation="ascii",
    stemmer="none",
    count="multiset",
    empty=0,
    answers="whole",
)
"""SQuAD 1.1 (Rajpurkar et al. 2016), `evaluate-v1.1.py`."""

SQUAD2 = replace(SQUAD, name="squad2", empty=1)
"""SQuAD 2.0 (Rajpurkar et al. 2018): as 1.1, but nothing against nothing is right."""

STANDARD = replace(
    SQUAD2,
    name="standard",
    order="articles-first",
    punctuation="alnum-only",
    stemmer="snowball",
)
"""The default: stems, and keeps nothing but letters and numbers of any script."""

LOCOMO = replace(
    SQUAD,
    name="locomo",
    articles=SQUAD.articles | {"and"},
    boundary="regex",
    punctuation="commas-then-ascii",
    stemmer="nltk",
)
"""The LoCoMo benchmark (Maharana et al. 2024), `task_eval/evaluation.py`."""

LOCOMO_LIST = replace(LOCOMO, name="locomo-list", answers="comma-list")
"""LoCoMo's rule for golds that list several answers."""

LOCOMO_FIRST = replace(LOCOMO, name="locomo-first", answers="before-semicolon")
"""LoCoMo's rule for golds whose first alternative counts. Predictions are not cut."""

MEM0 = Profile(
    name="mem0",
    articles=frozenset(),
    order="punctuation-first",
    boundary="re",
    punctuation="marks-to-space",
    stemmer="none",
    count="set",
    empty=0,
    answers="whole",
)
"""The table of the Mem0 paper (Chhikara et al. 2025), `evaluation/metrics/utils.py`."""

_BY_NAME = {
    profile.name: profile
    for profile in (STANDARD, SQUAD, SQUAD2, LOCOMO, LOCOMO_LIST, LOCOMO_FIRST, MEM0)
}


def names() -> tuple[str, ...]:
    """List the names that `get` knows, the default first."""
    return tuple(_BY_NAME)


def get(name: str) -> Profile:
    """Return the profile of a name.

    Raises:
        ValueError: No profile has this name; the message lists those there are.

    Example:
        >>> get("squad2").empty
        1
    """
    try:
        return _BY_NAME[name]
    except KeyError:
        msg = f"unknown profile {name!r}: choose one of {', '.join(_BY_NAME)}"
        raise ValueError(msg) from None
