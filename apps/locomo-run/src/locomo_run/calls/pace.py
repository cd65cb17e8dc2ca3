"""How many calls may be in flight, and when the next may start: pure arithmetic.

Additive increase, multiplicative decrease, as TCP does it: every good reply widens the
window a little, every sign of overload halves it, at most once per cool-down. The
cool-down is shared, so that all calls wait once and not each by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

DECREASE = 0.5
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
"""Seconds; a server that asks for more is asked again after this long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The state of a window."""

    ceiling: int
    """The most calls that may ever be in flight."""
    window: float
    """How many may be in flight now; the whole part counts, and at least one."""
    not_before: float = 0.0
    """Clock time at which the next call may start."""
    pause: float = FIRST_PAUSE
    """Seconds of the next cool-down for which the server names no time."""

    @property
    def width(self) -> int:
        """Calls that may be in flight now.

        >>> Pace(ceiling=8, window=2.9).width
        2
        """
        return max(1, min(self.ceiling, int(self.window)))


def pause_after(failures: int) -> float:
    """Return the seconds before a call is repeated that failed so many times.

    >>> [pause_after(n) for n in (1, 2, 3, 10)]
    [1.0, 2.0, 4.0, 60.0]
    """
    return min(FIRST_PAUSE * 2.0 ** min(failures - 1, 30), LONGEST_PAUSE)


def start(ceiling: int) -> Pace:
    """Begin with the whole window.

    >>> start(8).width
    8
    """
    return Pace(ceiling=ceiling, window=float(ceiling))


def after_reply(pace: Pace) -> Pace:
    """Widen the window by about one per window of good replies.

    >>> after_reply(Pace(ceiling=8, window=4.0)).window
    4.25
    """
    wider = min(float(pace.ceiling), pace.window + 1 / max(pace.window, 1.0))
    return replace(pace, window=wider, pause=FIRST_PAUSE)


def after_overload(pace: Pace, now: float, retry_after: float | None) -> Pace:
    """Halve the window and cool down.

    While a cool-down lasts, further signs of the same overload prolong it at the most.

    Args:
        pace: The state before.
        now: Clock time, in seconds.
        retry_after: Seconds that the server asks for, if it does.

    >>> overloaded = after_overload(start(8), 100.0, None)
    >>> overloaded.width, overloaded.not_before
    (4, 101.0)
    >>> after_overload(overloaded, 100.5, 30.0).width
    4
    """
    cooling = now < pace.not_before
    if cooling and retry_after is None:
        return pace
    wait = min(pace.pause if retry_after is None else retry_after, LONGEST_PAUSE)
    until = max(pace.not_before, now + wait)
    if cooling:
        return replace(pace, not_before=until)
    return replace(
        pace,
        window=max(1.0, pace.window * DECREASE),
        not_before=until,
        pause=min(pace.pause * 2, LONGEST_PAUSE),
    )
