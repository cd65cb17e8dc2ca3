"""Visible text: what a reader sees is what is there, on one line."""

import re

_BREAKS = re.compile(r"[\s\x1c-\x1f\x85\u2028\u2029]+")
# controls (a terminal obeys them), overrides of the text direction (they reorder
# what the reader sees), lone surrogates (they cannot be written as UTF-8)
_UNSAFE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""Return text on one line without characters that act instead of being seen.

    Runs of white space become one space and the ends are trimmed; unsafe
    characters become U+FFFD.

    Example:
        >>> visible(" two\n lines \x1b[31m")
        'two lines �[31m'
    """
    return _UNSAFE.sub("\ufffd", _BREAKS.sub(" ", text)).strip()
