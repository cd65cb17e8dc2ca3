from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locomo_run.answerers.relative_dates import resolve, session_day, spoken

MONDAY = date(2023, 5, 15)
FRIDAY = date(2024, 3, 1)  # the day after 29 February
SUNDAY = date(2023, 1, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9:15 am on 15 May, 2023", date(2023, 5, 15)),
        ("12:09 am on 29 February, 2024", date(2024, 2, 29)),
        ("15 May 2023", date(2023, 5, 15)),
        ("9:15 am on 31 June, 2023", None),
        ("Session 3", None),
        ("", None),
    ],
)
def test_a_session_date_is_read_or_unknown(text: str, expected: date | None) -> None:
    assert session_day(text) == expected


@pytest.mark.parametrize(
    ("sentence", "said", "expected"),
    [
        # days
        ("I saw her yesterday.", MONDAY, "14 May 2023"),
        ("Yesterday was long.", FRIDAY, "29 February 2024"),
        ("Last night we danced.", SUNDAY, "31 December 2022"),
        ("It was the day before yesterday.", FRIDAY, "28 February 2024"),
        ("We leave tomorrow", date(2023, 2, 28), "1 March 2023"),
        ("We leave the day after tomorrow", date(2024, 2, 28), "1 March 2024"),
        ("I ran this morning", MONDAY, "15 May 2023"),
        ("We meet\n tonight", MONDAY, "15 May 2023"),
        ("three days ago", date(2023, 3, 2), "27 February 2023"),
        ("I left 10 days ago", MONDAY, "5 May 2023"),
        ("A day ago it broke", MONDAY, "14 May 2023"),
        ("in 3 days", date(2023, 12, 30), "2 January 2024"),
        # weeks are no day
        ("last week", MONDAY, "the week before 15 May 2023"),
        ("next week", MONDAY, "the week after 15 May 2023"),
        ("two weeks ago", MONDAY, "two weeks before 15 May 2023"),
        ("a week ago", MONDAY, "a week before 15 May 2023"),
        ("In one week", MONDAY, "one week after 15 May 2023"),
        ("last weekend", MONDAY, "the weekend before 15 May 2023"),
        ("this week", SUNDAY, "the week of 26 December 2022"),
        ("this week", MONDAY, "the week of 15 May 2023"),
        ("this weekend", MONDAY, "the weekend of 20 May 2023"),
        ("this weekend", SUNDAY, "the weekend of 31 December 2022"),
        # loose counts stay loose
        ("a few days ago", MONDAY, "a few days before 15 May 2023"),
        ("a couple of years ago", MONDAY, "a couple of years before 15 May 2023"),
        ("in a couple months", MONDAY, "a couple months after 15 May 2023"),
        # months and years
        ("last month", SUNDAY, "December 2022"),
        ("this month", SUNDAY, "January 2023"),
        ("next month", date(2023, 12, 31), "January 2024"),
        ("a month ago", date(2023, 3, 31), "February 2023"),
        ("six months ago", MONDAY, "November 2022"),
        ("in two months", date(2023, 12, 31), "February 2024"),
        ("I painted it last year", MONDAY, "2022"),
        ("this year", MONDAY, "2023"),
        ("next year", MONDAY, "2024"),
        ("five years ago", date(2024, 2, 29), "2019"),
        # weekdays
        ("last Friday", MONDAY, "12 May 2023"),
        ("last Monday", MONDAY, "8 May 2023"),
        ("last friday", FRIDAY, "23 February 2024"),
        ("this past Sunday", MONDAY, "14 May 2023"),
        ("next Friday", MONDAY, "19 May 2023"),
        ("next Monday", MONDAY, "22 May 2023"),
        ("this Monday", MONDAY, "15 May 2023"),
        ("this coming Sunday", MONDAY, "21 May 2023"),
        # months by name: nearest without a year
        ("in June", MONDAY, "June 2023"),
        ("in December", SUNDAY, "December 2022"),
        ("in July", SUNDAY, "July 2022"),  # six months either way: the past
        ("since March 2021", MONDAY, "March 2021"),
        ("last June", MONDAY, "June 2022"),
        ("last May", MONDAY, "May 2022"),
        ("next April", MONDAY, "April 2024"),
        ("next May", MONDAY, "May 2024"),
        ("this April", MONDAY, "April 2023"),
        # written dates
        ("on 3rd of June, 2021 we wed", MONDAY, "3 June 2021"),
        ("on 3 June 2021", MONDAY, "3 June 2021"),
        ("on June 3rd", MONDAY, "3 June 2023"),
        ("on December 28", SUNDAY, "28 December 2022"),
        ("the 29th of February", FRIDAY, "29 February 2024"),
        ("in 2016", MONDAY, "2016"),
        # the first one wins, the longer one at the same place
        ("yesterday, and again last week", MONDAY, "14 May 2023"),
        ("in May 2020 and in June", MONDAY, "May 2020"),
    ],
)
def test_a_date_is_as_exact_as_the_words(
    sentence: str, said: date, expected: str
) -> None:
    assert resolve(sentence, said) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "I like trams.",
        "I may march on",  # verbs, not months
        "June called.",  # a person, unless a preposition says otherwise
        "on Friday",
        "31 June 2023",
        "29 February 2023",
        "on February 29",  # of 2021, 2022 or 2023: none
        "999 weeks",
    ],
)
def test_what_cannot_be_resolved_is_no_date(sentence: str) -> None:
    assert resolve(sentence, date(2022, 6, 1)) is None


def test_an_impossible_date_gives_way_to_the_next_one() -> None:
    assert resolve("on 31 June or yesterday", MONDAY) == "14 May 2023"


@pytest.mark.parametrize("sentence", ["tomorrow", "in 2 days", "next month"])
def test_a_date_after_the_calendar_ends_is_no_date(sentence: str) -> None:
    assert resolve(sentence, date(9999, 12, 31)) is None


def test_a_date_before_the_calendar_starts_is_no_date() -> None:
    assert resolve("999 years ago", date(500, 1, 1)) is None


@pytest.mark.parametrize(
    ("step", "expected"), [(-1, "12 May 2023"), (1, "19 May 2023"), (0, None)]
)
def test_the_tense_tells_which_friday_is_meant(step: int, expected: str | None) -> None:
    assert resolve("We met on Friday.", MONDAY, step=step) == expected


@given(said=st.dates(min_value=date(1, 3, 1), max_value=date(9999, 11, 1)))
def test_a_spoken_day_reads_back_as_itself(said: date) -> None:
    year = f"{said.year:04}"
    back = session_day(spoken(said))

    assert back == (said if year[:2] in {"19", "20"} else None)


@given(
    said=st.dates(min_value=date(1900, 2, 1), max_value=date(2099, 11, 1)),
    weekday=st.sampled_from(("monday", "thursday", "sunday")),
)
def test_last_and_next_weekday_are_a_week_apart_or_two(
    said: date, weekday: str
) -> None:
    last = session_day(resolve(f"last {weekday}", said) or "")
    coming = session_day(resolve(f"next {weekday}", said) or "")

    assert last is not None
    assert coming is not None
    assert last < said < coming
    assert (coming - last).days == (14 if last.weekday() == said.weekday() else 7)


@given(sentence=st.text(), said=st.dates())
def test_any_sentence_has_a_date_in_words_or_none(sentence: str, said: date) -> None:
    assert resolve(sentence, said) != ""
