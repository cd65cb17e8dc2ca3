import pickle
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest
from qa_f1 import Profile, profiles, token_f1
from qa_f1._profile import SCORING_VERSION

ALL = [profiles.get(name) for name in profiles.names()]

OTHER_VALUES: dict[str, object] = {
    "articles": frozenset({"le", "la"}),
    "order": "articles-first",
    "boundary": "regex",
    "punctuation": "marks-to-space",
    "stemmer": "nltk",
    "count": "set",
    "empty": 1,
    "answers": "comma-list",
}


def test_a_signature_spells_out_every_choice() -> None:
    assert profiles.LOCOMO.signature == (
        "case:lower|articles:a+an+and+the|order:punctuation-first|boundary:regex"
        "|punctuation:commas-then-ascii|stem:porter-nltk|count:multiset|empty:0"
        f"|answers:whole|qa-f1:{SCORING_VERSION}"
    )


def test_a_signature_names_the_algorithm_behind_snowball() -> None:
    assert "|stem:porter-snowball|" in profiles.STANDARD.signature


@pytest.mark.parametrize("field", OTHER_VALUES)
def test_every_field_changes_the_signature(field: str) -> None:
    changes: dict[str, Any] = {field: OTHER_VALUES[field]}
    other = replace(profiles.SQUAD, **changes)

    assert other.signature != profiles.SQUAD.signature


def test_the_list_of_fields_above_is_complete() -> None:
    assert {field.name for field in fields(Profile)} == {"name", *OTHER_VALUES}


def test_the_name_is_no_part_of_the_signature() -> None:
    renamed = replace(profiles.SQUAD, name="mine")

    assert renamed.signature == profiles.SQUAD.signature


def test_the_built_in_profiles_have_signatures_of_their_own() -> None:
    assert len({profile.signature for profile in ALL}) == len(ALL) == 7


def test_articles_may_come_in_any_order() -> None:
    assert replace(profiles.SQUAD, articles=frozenset(["the", "an", "a"])) == (
        profiles.SQUAD
    )


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("stemmer", "porter", "stemmer 'porter': choose one of none, snowball, nltk"),
        ("order", "", "order '': choose one of articles-first, punctuation-first"),
        ("boundary", "icu", "boundary 'icu'"),
        ("punctuation", "all", "punctuation 'all'"),
        ("count", "bag", "count 'bag': choose one of multiset, set"),
        ("empty", 0.5, "empty 0.5: choose one of 0, 1"),
        ("answers", "list", "answers 'list'"),
        ("articles", frozenset({"The"}), "article 'The' is not a lower-case word"),
        ("articles", frozenset({"l'"}), 'article "l\'" is not a lower-case word'),
    ],
)
def test_a_value_that_a_field_does_not_know_is_refused(
    field: str, value: object, message: str
) -> None:
    changes: dict[str, Any] = {field: value}

    with pytest.raises(ValueError, match=message):
        replace(profiles.SQUAD, **changes)


def test_articles_must_be_frozen() -> None:
    with pytest.raises(TypeError, match="articles must be a frozenset, got set"):
        replace(profiles.SQUAD, articles={"a"})  # type: ignore[arg-type] # the point


def test_a_profile_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        profiles.SQUAD.count = "set"  # type: ignore[misc] # the point


def test_a_profile_survives_pickling_after_use() -> None:
    token_f1("a cat", "cat", profiles.LOCOMO)

    assert pickle.loads(pickle.dumps(profiles.LOCOMO)) == profiles.LOCOMO  # noqa: S301 # our own bytes
