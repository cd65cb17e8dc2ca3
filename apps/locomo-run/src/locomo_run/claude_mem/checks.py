"""What the doctor's checks say: one line each, with what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum

from locomo_run.claude_mem.plain import plain
from locomo_run.ledger.entry import Json


class Grade(StrEnum):
    """How a check ended."""

    PASS = "PASS"  # noqa: S105  # no password
    WARN = "WARN"
    FAIL = "FAIL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    name: str
    grade: Grade
    found: str
    advice: str = ""
    """What to do; empty where all is well."""

    def line(self) -> str:
        """Return the check for a terminal."""
        advice = f"\n      {self.advice}" if self.advice else ""
        return f"{self.grade}  {self.name}: {plain(self.found)}{advice}"

    def spec(self) -> dict[str, Json]:
        """Return the check as plain values."""
        return asdict(self)


def passed(name: str, found: str) -> Check:
    """Say that all is well."""
    return Check(name=name, grade=Grade.PASS, found=found)


def warned(name: str, found: str, advice: str) -> Check:
    """Say that a run is possible but its number may suffer."""
    return Check(name=name, grade=Grade.WARN, found=found, advice=advice)


def failed(name: str, found: str, advice: str) -> Check:
    """Say that a run cannot go well."""
    return Check(name=name, grade=Grade.FAIL, found=found, advice=advice)


def failures(checks: Iterable[Check]) -> tuple[str, ...]:
    """Return the names of the checks that failed."""
    return tuple(check.name for check in checks if check.grade is Grade.FAIL)
