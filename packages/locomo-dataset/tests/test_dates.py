from calendar import month_name
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locomo_dataset._dates import parse_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("6:40 pm on 4 March, 2024", "2024-03-04 18:40:00"),
        ("12:00 am on 29 February, 2024", "2024-02-29 00:00:00"),
        ("12:09 pm on 31 December, 1999", "1999-12-31 12:09:00"),
        ("11:59 pm on 01 July, 2025", "2025-07-01 23:59:00"),
    ],
)
def test_the_twelve_hour_clock_is_read(text: str, expected: str) -> None:
    assert str(parse_date(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "4 March, 2024",
        "6:40 pm on 4 march, 2024",
        "6:40 pm on 4 March 2024",
        "6:40 pm on 4 March, 24",
        "0:40 pm on 4 March, 2024",
        "13:40 pm on 4 March, 2024",
        "6:60 pm on 4 March, 2024",
        "6:40 pm on 30 February, 2024",
        "6:40 pm on 29 February, 2023",
        "6:40 pm on 4 March, 0000",
        "٦:٤٠ pm on ٤ March, ٢٠٢٤",
        "6:40 pm on 4 March, 2024\n",
        "2024-03-04T18:40",
    ],
)
def test_anything_else_is_no_date(text: str) -> None:
    assert parse_date(text) is None


@given(st.datetimes(min_value=datetime.fromisoformat("1000-01-01")))
def test_every_minute_survives_the_round_trip(moment: datetime) -> None:
    moment = moment.replace(second=0, microsecond=0)
    hour = moment.hour % 12 or 12
    half = "pm" if moment.hour >= 12 else "am"

    text = (
        f"{hour}:{moment.minute:02d} {half} on {moment.day}"
        f" {month_name[moment.month]}, {moment.year}"
    )

    assert parse_date(text) == moment
