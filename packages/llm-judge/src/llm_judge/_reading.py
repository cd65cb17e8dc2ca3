"""The two things a piece of a judge reply can turn out to be."""

from dataclasses import dataclass

__all__ = ["Reading", "Rejected", "Verdict"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A usable verdict."""

    score: float
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """Something that is meant as a verdict but cannot be used."""

    reason: str


Reading = Verdict | Rejected
