"""What a fake endpoint does wrong, and how slow it is: decided by seed, not by luck."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["Fault", "FaultPlan", "Latency"]


class Fault(StrEnum):
    """One way in which a call of the Messages API goes wrong."""

    RATE_LIMITED = "rate_limited"
    """429 with `retry-after`."""
    RATE_LIMITED_BARE = "rate_limited_bare"
    """429 without it."""
    OVERLOADED = "overloaded"
    """529."""
    SERVER_ERROR = "server_error"
    """500."""
    DROPPED = "dropped"
    """The connection breaks before the reply; nothing is billed."""
    CUT_SHORT = "cut_short"
    """The connection breaks within the reply, which is billed all the same."""
    HANG = "hang"
    """No reply, ever."""
    TRUNCATED = "truncated"
    """A reply that ran into `max_tokens`: half of the text."""
    REFUSED = "refused"
    """A reply without text and with the stop reason `refusal`."""
    HTML = "html"
    """A web page under status 200."""
    WRONG_JSON = "wrong_json"
    """JSON that is no message under status 200."""
    UNAUTHORIZED = "unauthorized"
    """401."""
    NO_CREDIT = "no_credit"
    """402."""
    FORBIDDEN = "forbidden"
    """403."""
    UNKNOWN_MODEL = "unknown_model"
    """404."""
    INVALID = "invalid"
    """400."""
    TOO_LARGE = "too_large"
    """413."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultPlan:
    """Which calls go wrong, and how.

    The chance of a fault depends on the seed, the request's body and how often that
    body came before, so the order in which concurrent calls arrive changes nothing.

    Raises:
        ValueError: Rates that are no shares of one whole.

    >>> plan = FaultPlan(script=[Fault.OVERLOADED, None])
    >>> [plan.choose(arrival, "a body", 0, 0) for arrival in range(3)]
    [<Fault.OVERLOADED: 'overloaded'>, None, None]
    """

    script: Sequence[Fault | None] = ()
    """What happens to the first calls, in the order in which they arrive."""
    rates: Mapping[Fault, float] = field(default_factory=dict)
    """The share of calls that go wrong, by fault; holds after the script."""
    seed: int = 0
    per_body: int | None = None
    """At most so many faults by rate for one distinct body.

    A caller that tries each call more often than this loses none for good.
    """
    retry_after: float = 0.01
    """Seconds in the `retry-after` header."""

    def __post_init__(self) -> None:
        shares = self.rates.values()
        if any(share < 0 for share in shares) or sum(shares) > 1:
            msg = f"rates must be shares that add up to at most 1, not {self.rates}"
            raise ValueError(msg)

    def choose(self, arrival: int, body: str, repeat: int, faults: int) -> Fault | None:
        """Decide about one call.

        Args:
            arrival: How many calls came before.
            body: The request's body or a hash of it.
            repeat: How often this body came before.
            faults: How many faults this body has met.
        """
        if arrival < len(self.script):
            return self.script[arrival]
        if not self.rates or (self.per_body is not None and faults >= self.per_body):
            return None
        drawn = _random(self.seed, "fault", body, repeat).random()
        for fault, share in self.rates.items():
            drawn -= share
            if drawn < 0:
                return fault
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """How long a call takes, in seconds: constant, or with a long tail (log-normal).

    >>> Latency(median=0.5).seconds("a body", 0)
    0.5
    """

    median: float = 0.0
    spread: float = 0.0
    """The standard deviation of the logarithm; 0 is constant, 1 has a long tail."""
    seed: int = 0

    def seconds(self, body: str, repeat: int) -> float:
        """Decide about one call, by the seed, its body and how often it came before."""
        if not self.spread:
            return self.median
        drawn = _random(self.seed, "latency", body, repeat).gauss(0.0, self.spread)
        return self.median * math.exp(drawn)


def _random(*key: object) -> random.Random:
    return random.Random(":".join(map(str, key)))  # noqa: S311 - decides test data
