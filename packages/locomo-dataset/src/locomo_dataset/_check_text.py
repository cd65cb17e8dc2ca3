"""Checks of single texts: characters a reader does not see."""

import unicodedata
from collections import Counter
from collections.abc import Iterator

from ._issue import Issue, IssueCode, Place


def check_text(text: str, place: Place) -> Iterator[Issue]:
    """Report control and invisible characters, and white space at the ends."""
    if text != text.strip():
        yield place.issue(
            IssueCode.EDGE_WHITESPACE, "white space before or after the text"
        )
    if text.isprintable():
        return
    kinds = {"Cc": IssueCode.CONTROL_CHARACTER, "Cf": IssueCode.INVISIBLE_CHARACTER}
    for category, code in kinds.items():
        counts = Counter(c for c in text if unicodedata.category(c) == category)
        if counts:
            listed = ", ".join(
                f"U+{ord(char):04X}" + (f" {count} times" if count > 1 else "")
                for char, count in sorted(counts.items())
            )
            yield place.issue(code, f"the text holds {listed}")
