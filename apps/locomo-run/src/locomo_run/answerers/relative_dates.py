"""Dates that a speaker gives relative to the day of speaking.

A result is as exact as the words: a day where they fix a day ("yesterday"), a month or
a year where they fix no more (`June 2023`, `2022`), and an honest distance where they
fix a week or count loosely (`the week before 15 May 2023`).
Weeks start on Monday.
Two English habits are ambiguous and settled here: "next Friday" is the first Friday
after today, and a day or month without a year is the one nearest to today.
Which Friday a bare "on Friday" is, only the tense tells: the caller has to know it.
"""

from __future__ import annotations

import re
from calendar import isleap
from datetime import date, timedelta

_MONTH_NAMES = (
    "January|February|March|April|May|June|July|August|September|October|November"
    "|December"
)
_WEEKDAY_NAMES = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_NUMBER_NAMES = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_MONTHS = _MONTH_NAMES.split("|")
_WEEKDAYS = _WEEKDAY_NAMES.split("|")
_NUMBERS = _NUMBER_NAMES.split("|")
_NAMED_DAYS = {
    "the day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "tomorrow": 1,
    "the day after tomorrow": 2,
}
_STEPS = {"last": -1, "this past": -1, "this": 0, "next": 1, "this coming": 1}

# Case matters for month names alone: "may" and "march" are verbs.
_MONTH = f"(?-i:(?P<month>{_MONTH_NAMES}))"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_SIDE = f"(?P<side>{'|'.join(_STEPS)})"
_SPAN = (
    rf"(?P<count>\d{{1,3}}|an?|{_NUMBER_NAMES}|a couple(?: of)?|a few|several) "
    r"(?P<unit>day|week|weekend|month|year)s?"
)

_ON_WEEKDAY = re.compile(rf"\bon(?= (?:{_WEEKDAY_NAMES})\b)", re.IGNORECASE)


def session_day(text: str) -> date | None:
    """Read the day from a session date as the data set prints it.

    >>> session_day("9:15 am on 15 May, 2023")
    datetime.date(2023, 5, 15)
    >>> session_day("some time ago") is None
    True
    """
    match = re.search(rf"\b{_DAY} {_MONTH},? {_YEAR}\b", text)
    try:
        return match and date(int(match["year"]), _month(match), int(match["day"]))
    except ValueError:  # 31 June
        return None


def spoken(day: date) -> str:
    """Write a day as answers do.

    >>> spoken(date(2023, 5, 14))
    '14 May 2023'
    """
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def resolve(sentence: str, said: date, *, step: int = 0) -> str | None:
    """Resolve the first date in a sentence against the day on which it was said.

    Args:
        sentence: What was said.
        said: The day on which it was said.
        step: Whether it tells of the past (-1) or the future (1), which decides which
            Friday "on Friday" is; with 0 that stays unresolved.

    Returns:
        The date in words, or None if the sentence holds no date that can be resolved.

    >>> resolve("I met her two days ago.", date(2023, 5, 1))
    '29 April 2023'
    >>> resolve("We fly to Oslo next month!", date(2023, 12, 20))
    'January 2024'
    """
    text = " ".join(sentence.split())
    if step:
        text = _ON_WEEKDAY.sub("next" if step > 0 else "last", text)
    found = [
        (match.start(), -match.end(), rule, match)
        for pattern, rule in _RULES
        for match in pattern.finditer(text)
    ]
    for _, _, rule, match in sorted(found, key=lambda each: each[:2]):
        try:
            return rule(match, said)
        except (ValueError, OverflowError):  # 31 June, the year 0
            continue
    return None


def _named_day(match: re.Match[str], said: date) -> str:
    return spoken(said + timedelta(days=_NAMED_DAYS[match[0].lower()]))


def _away(match: re.Match[str], said: date) -> str:
    count, unit = match["count"].lower(), match["unit"].lower()
    sign = 1 if match[0].lower().startswith("in ") else -1
    if count in _NUMBERS:
        number = _NUMBERS.index(count) + 1
    elif count in {"a", "an"}:
        number = 1
    else:
        number = int(count) if count.isdecimal() else 0
    if not number or unit in {"week", "weekend"}:
        plural = "" if number == 1 else "s"
        side = "after" if sign > 0 else "before"
        return f"{count} {unit}{plural} {side} {spoken(said)}"
    if unit == "day":
        return spoken(said + timedelta(days=sign * number))
    return _shifted(said, unit, sign * number)


def _beside(match: re.Match[str], said: date) -> str:
    unit, step = match["unit"].lower(), _STEPS[match["side"].lower()]
    if unit in {"month", "year"}:
        return _shifted(said, unit, step)
    if step:
        return f"the {unit} {'after' if step > 0 else 'before'} {spoken(said)}"
    first = 5 if unit == "weekend" else 0
    return f"the {unit} of {spoken(said + timedelta(days=first - said.weekday()))}"


def _weekday(match: re.Match[str], said: date) -> str:
    ahead = (_WEEKDAYS.index(match["weekday"].lower()) - said.weekday()) % 7
    step = _STEPS[match["side"].lower()]
    return spoken(said + timedelta(days=_wrapped(ahead, step, 7)))


def _month_beside(match: re.Match[str], said: date) -> str:
    step = _STEPS[match["side"].lower()]
    return _shifted(said, "month", _wrapped(_month(match) - said.month, step, 12))


def _month_alone(match: re.Match[str], said: date) -> str:
    if match["year"]:
        return f"{match['month']} {match['year']}"
    return _shifted(said, "month", (_month(match) - said.month + 6) % 12 - 6)


def _day_of_month(match: re.Match[str], said: date) -> str:
    month, day = _month(match), int(match["day"])
    if match["year"]:
        return spoken(date(int(match["year"]), month, day))
    years = range(said.year - 1, said.year + 2)
    leap_day = (month, day) == (2, 29)
    near = [date(y, month, day) for y in years if isleap(y) or not leap_day]
    return spoken(min(near, key=lambda each: abs(each - said)))


def _year(match: re.Match[str], _said: date) -> str:
    return match["year"]


def _wrapped(ahead: int, step: int, period: int) -> int:
    if step < 0:
        return ahead % period - period
    return (ahead - 1) % period + 1 if step > 0 else ahead


def _shifted(said: date, unit: str, by: int) -> str:
    year, month = divmod(said.month - 1 + by * (12 if unit == "year" else 1), 12)
    first = date(said.year + year, month + 1, 1)
    return str(first.year) if unit == "year" else spoken(first).partition(" ")[2]


def _month(match: re.Match[str]) -> int:
    return _MONTHS.index(match["month"]) + 1


_RULES = [
    (re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), rule)
    for pattern, rule in (
        ("|".join(_NAMED_DAYS), _named_day),
        (rf"{_SPAN} ago", _away),
        (rf"in {_SPAN}", _away),
        (rf"{_SIDE} (?P<unit>week|weekend|month|year)", _beside),
        (rf"{_SIDE} (?P<weekday>{_WEEKDAY_NAMES})", _weekday),
        (rf"{_SIDE} {_MONTH}", _month_beside),
        (rf"(?:in|since|until|by|during|of) {_MONTH}(?:,? {_YEAR})?", _month_alone),
        (rf"(?:the )?{_DAY} (?:of )?{_MONTH}(?:,? {_YEAR})?", _day_of_month),
        (rf"{_MONTH} (?:the )?{_DAY}(?:,? {_YEAR})?", _day_of_month),
        (rf"(?:in|since|until|by|from|of) {_YEAR}", _year),
    )
]
