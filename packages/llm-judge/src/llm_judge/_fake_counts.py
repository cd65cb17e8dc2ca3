"""What a fake endpoint was asked for, and what it sold."""

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from llm_judge._fake_faults import Fault

__all__ = ["FakeCounts", "Tally"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeCounts:
    """What a `FakeMessagesAPI` has seen so far."""

    received: int
    """Requests of all kinds."""
    completed: int
    """Requests that got a whole reply, be it an error."""
    bought: int
    """Messages that would be billed, those in batches and those cut short included."""
    input_tokens: int
    """Of the messages that were bought."""
    output_tokens: int
    peak_in_flight: int
    by_path: dict[str, int]
    """Requests by method and path."""
    by_status: dict[int, int]
    by_fault: dict[Fault, int]


@dataclass(slots=True)
class Tally:
    """Counts while a server runs; readable from other threads."""

    received: int = 0
    completed: int = 0
    bought: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    in_flight: int = 0
    peak_in_flight: int = 0
    by_path: Counter[str] = field(default_factory=Counter)
    by_status: Counter[int] = field(default_factory=Counter)
    by_fault: Counter[Fault] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def receive(self, path: str) -> None:
        """Count a request that has come in."""
        with self.lock:
            self.received += 1
            self.by_path[path] += 1
            self.in_flight += 1
            self.peak_in_flight = max(self.peak_in_flight, self.in_flight)

    def leave(self) -> None:
        """Count a request as no longer in flight."""
        with self.lock:
            self.in_flight -= 1

    def fault(self, fault: Fault) -> None:
        """Count a fault."""
        with self.lock:
            self.by_fault[fault] += 1

    def complete(self, status: int) -> None:
        """Count a whole reply, before it is written: its reader may look at once."""
        with self.lock:
            self.completed += 1
            self.by_status[status] += 1

    def buy(self, message: dict[str, Any]) -> None:
        """Count a message that is billed."""
        usage = message.get("usage")
        tokens = usage if isinstance(usage, dict) else {}
        with self.lock:
            self.bought += 1
            self.input_tokens += tokens.get("input_tokens", 0)
            self.output_tokens += tokens.get("output_tokens", 0)

    def snapshot(self) -> FakeCounts:
        """Return the counts as they are now."""
        with self.lock:
            return FakeCounts(
                received=self.received,
                completed=self.completed,
                bought=self.bought,
                input_tokens=self.input_tokens,
                output_tokens=self.output_tokens,
                peak_in_flight=self.peak_in_flight,
                by_path=dict(self.by_path),
                by_status=dict(self.by_status),
                by_fault=dict(self.by_fault),
            )
