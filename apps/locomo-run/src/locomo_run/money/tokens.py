"""How many tokens a text has, as far as that can be said without asking the model."""

from __future__ import annotations

from math import ceil

CHARS_PER_TOKEN = 3.5
"""English prose under the vendor's tokenizers: measured figures lie around 3.5 to 4."""

FEWEST_BYTES_PER_TOKEN = 2.0
"""For the ceiling that a cost cap must not be passed by."""


def estimated(text: str) -> int:
    """Estimate the tokens of a text.

    >>> estimated("four words of text.")
    6
    """
    return ceil(len(text) / CHARS_PER_TOKEN)


def at_most(text: str) -> int:
    """Return a number of tokens that a text stays below.

    Counted in bytes, since what is not English has more tokens per character.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    return ceil(size / FEWEST_BYTES_PER_TOKEN) + 16
