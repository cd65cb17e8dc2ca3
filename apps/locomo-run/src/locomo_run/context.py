"""What the answerer reads: the hits that fit the budget, whole, as one block."""

from __future__ import annotations

import re
from collections.abc import Sequence

from locomo_run.memory import Hit

SEPARATOR = "\n\n"

_OPENERS = dict.fromkeys(map(ord, "<＜﹤"), "‹")  # all that may be read as "<"
_UNREADABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters; tab and newline stay
    "\ud800-\udfff"  # lone surrogates, which no request can carry
    "\U000e0000-\U000e007f]"  # invisible copies of ASCII
)


def fit(hits: Sequence[Hit], budget: int | None) -> tuple[Hit, ...]:
    """Keep the best hits whose block fits; none is ever cut.

    Stops at the first that does not fit, so that a worse hit never takes the place of
    a better one.

    Args:
        hits: Best first.
        budget: Of the block, in characters; None for no limit.

    >>> [h.id for h in fit([Hit(id="a", text="12345"), Hit(id="b", text="67")], 15)]
    ['a']
    """
    if budget is None:
        return tuple(hits)
    kept: list[Hit] = []
    used = -len(SEPARATOR)
    for number, hit in enumerate(hits, 1):
        used += len(SEPARATOR) + len(_item(number, hit))
        if used > budget:
            break
        kept.append(hit)
    return tuple(kept)


def block(hits: Sequence[Hit]) -> str:
    r"""Write hits as they are read: numbered, dated, one below the other.

    >>> block([Hit(id="a", text="Tea.", date="3 May"), Hit(id="b", text="Miso.")])
    '[1 — 3 May]\nTea.\n\n[2]\nMiso.'
    """
    return SEPARATOR.join(_item(number, hit) for number, hit in enumerate(hits, 1))


def plain(text: str) -> str:
    """Keep data from closing or imitating the tags around it, and make it readable."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNREADABLE.sub("\ufffd", lines).translate(_OPENERS)


def _item(number: int, hit: Hit) -> str:
    date = f" — {plain(hit.date)}" if hit.date else ""
    return f"[{number}{date}]\n{plain(hit.text)}"
