import re
from pathlib import Path
from typing import get_args

import pytest
from qa_f1 import _profile, profiles

PAGE = Path(__file__).parents[1] / "docs" / "methodology" / "f1-signatures.md"


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_the_page_shows_the_current_signature_of_every_profile(page: str) -> None:
    shown = re.findall(r"^([a-z0-9-]+)\n  (case:\S+)$", page, flags=re.MULTILINE)

    assert shown == [(name, profiles.get(name).signature) for name in profiles.names()]


def _explained(page: str) -> dict[str, str]:
    """Return the cells of values by key; a row without a key continues the last one."""
    values: dict[str, str] = {}
    key = ""
    for line in re.findall(r"^\| (?:`.*)?\| .* \|$", page, flags=re.MULTILINE):
        first, cell = (part.strip(" `") for part in line.split("|")[1:3])
        key = first or key
        values[key] = values.get(key, "") + cell + " "
    return values


def test_the_page_explains_every_key_of_every_signature(page: str) -> None:
    keys = {
        part.partition(":")[0]
        for name in profiles.names()
        for part in profiles.get(name).signature.split("|")
    }

    assert keys == set(_explained(page))


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("order", get_args(_profile.Order)),
        ("boundary", get_args(_profile.Boundary)),
        ("punctuation", get_args(_profile.Punctuation)),
        ("stem", tuple(_profile._STEMMERS.values())),
        ("count", get_args(_profile.Count)),
        ("answers", get_args(_profile.Answers)),
    ],
)
def test_the_page_explains_every_value_that_a_field_can_have(
    page: str, key: str, values: tuple[str, ...]
) -> None:
    assert sorted(_explained(page)[key].split()) == sorted(values)
