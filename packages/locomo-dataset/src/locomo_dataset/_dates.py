"""Session dates, as the file writes them and in no other form."""

import re
from datetime import datetime

_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

# Not strptime: its month names and am/pm follow the locale of the process.
_DATE = re.compile(
    r"([0-9]{1,2}):([0-9]{2}) (am|pm) on ([0-9]{1,2}) "
    rf"({'|'.join(_MONTHS)}), ([0-9]{{4}})"
)


def parse_date(text: str) -> datetime | None:
    """Read a session date such as `6:40 pm on 4 March, 2024`.

    The result has no time zone, since the file names none. Anything else, a day
    that does not exist included, is None.

    Example:
        >>> parse_date("12:05 am on 3 May, 2024")
        datetime.datetime(2024, 5, 3, 0, 5)
    """
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    hour, minute, half, day, month, year = match.groups()
    if not 1 <= int(hour) <= 12:
        return None
    try:
        return datetime(  # noqa: DTZ001 - the file names no time zone
            int(year),
            _MONTHS.index(month) + 1,
            int(day),
            int(hour) % 12 + (12 if half == "pm" else 0),
            int(minute),
        )
    except ValueError:
        return None
