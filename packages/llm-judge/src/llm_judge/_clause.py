"""Where in a sentence a verdict may be declared."""

import re

__all__ = ["starts_clause"]

_NEUTRAL = (
    "a|an|answer|final|its|judge|my|new|numeric|overall|predicted|revised|so|that|the"
    "|therefore|this|thus|total|updated|verdict"
)
_BEGINNING = re.compile(
    r"(?:\A|\n|[^\w\s'’])[ \t*_]{0,9}"
    rf"(?:\b(?:{_NEUTRAL})(?:['’]s)?[ \t*_]{{1,9}})*\Z",
    re.IGNORECASE,
)
_REACH = 60


def starts_clause(text: str, position: int) -> bool:
    """Say whether only words like "so the final" lie between a clause's start and here.

    Anything else before "score" or "verdict" makes it the score of one criterion, or
    something that somebody else said.

    >>> starts_clause("Two facts, so the final score: 40", 24)
    True
    >>> starts_clause("Relevance score: 40", 10)
    False
    >>> starts_clause("It says the score: 40", 12)
    False
    """
    return _BEGINNING.search(text, max(0, position - _REACH), position) is not None
