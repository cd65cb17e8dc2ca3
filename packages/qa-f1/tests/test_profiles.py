import pytest
from qa_f1 import Profile, profiles


def test_every_name_leads_to_the_profile_that_bears_it() -> None:
    assert [profiles.get(name).name for name in profiles.names()] == [
        "standard",
        "squad",
        "squad2",
        "locomo",
        "locomo-list",
        "locomo-first",
        "mem0",
    ]


def test_every_profile_of_the_module_can_be_had_by_name() -> None:
    constants = {
        value for value in vars(profiles).values() if isinstance(value, Profile)
    }

    assert {profiles.get(name) for name in profiles.names()} == constants


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        ValueError,
        match=r"unknown profile 'LoCoMo': choose one of standard, .*, locomo-list,",
    ):
        profiles.get("LoCoMo")
