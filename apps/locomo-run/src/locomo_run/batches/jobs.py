"""What is to be bought in batches, and what of it is left to be posted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from llm_judge import JudgeSettings, Prompt

from locomo_run.calls.models import Read
from locomo_run.ledger.entry import Entry, Json, Request, Stage, Status
from locomo_run.ledger.store import Ledger

ROUNDS = 3
"""Batches that one request may be in, in one command, before it counts as failed."""

LARGEST_TEXT = 100_000_000
"""Characters of the prompts of a batch, well below what endpoints take in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One entry to be bought."""

    request: Request
    prompt: Prompt
    cost: float
    """The most that it may cost live, in dollars."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lot:
    """Entries to be bought that are alike but for their prompts."""

    stage: Stage
    purpose: str
    """What they are for: `answer`, or the signature of a judge."""
    settings: JudgeSettings
    jobs: Sequence[Job]
    read: Read
    """Makes an attempt of a reply, also of those that earlier commands asked for."""
    done: Callable[[Entry], None]
    """Called with the entry of each job once there is no more to be had."""
    about: Callable[[Request], Mapping[str, Json]] = lambda _: {}
    """Tells what else is to stand in the reply to a request."""


class Todo:
    """The jobs of a lot that no batch holds.

    Args:
        lot: The jobs.
        ledger: What is known of them.
        expected: Keys of requests that a batch in flight may bring a reply to.
        unusable: Replies to one job that may be cut off or unreadable.
        retry_failed: Whether to ask again what ended unusable or refused.
    """

    def __init__(
        self,
        lot: Lot,
        ledger: Ledger,
        expected: Collection[str],
        *,
        unusable: int,
        retry_failed: bool,
    ) -> None:
        self._done = lot.done
        self._unusable = unusable
        self._retry_failed = retry_failed
        self._jobs = {job.request.key: job for job in lot.jobs}
        self._copies = Counter(job.request.key for job in lot.jobs)
        self._made: Counter[str] = Counter()
        self._hopeless: set[str] = set()
        self._keys: list[str] = []
        for key, job in list(self._jobs.items()):
            if key not in expected:
                self.sort(key, ledger.entry(job.request))

    def __bool__(self) -> bool:
        return bool(self._keys)

    def __getitem__(self, key: str) -> Job:
        return self._jobs[key]

    def first(self, size: int) -> list[str]:
        """Return the keys of a batch of at most so many jobs, not too large to send."""
        keys: list[str] = []
        text = 0
        for key in self._keys[:size]:
            prompt = self._jobs[key].prompt
            text += len(prompt.system) + len(prompt.user)
            if keys and text > LARGEST_TEXT:
                break
            keys.append(key)
        return keys

    def take(self, count: int) -> None:
        """Take away the first jobs, which are about to be posted."""
        del self._keys[:count]

    def sort(self, key: str, entry: Entry | None) -> None:
        """Put a job to those to be posted, or be done with it.

        Jobs of commands with another selection are none of ours.
        """
        if key not in self._jobs:
            return
        if entry is None or self._wanted(key, entry):
            self._keys.append(key)
            return
        del self._jobs[key]
        for _ in range(self._copies[key]):
            self._done(entry)

    def tried(self, key: str, entry: Entry, *, hopeless: bool = False) -> None:
        """Count an attempt that this command has made.

        Args:
            key: Of the job.
            entry: What the ledger has of it now.
            hopeless: Whether the same request cannot go well in another batch.
        """
        self._made[key] += 1
        if hopeless:
            self._hopeless.add(key)
        self.sort(key, entry)

    def _wanted(self, key: str, entry: Entry) -> bool:
        """Tell whether one more attempt is to be made.

        Unlike live calls, which repeat an unusable reply at once, batches do so over
        several commands: there the attempts of all of them count.
        """
        made = self._made[key]
        if key in self._hopeless:
            return False
        match entry.attempt.status:
            case Status.OK:
                return False
            case Status.INFRA_ERROR:
                return made < ROUNDS
            case Status.REFUSED:
                return self._retry_failed and not made
        return (made if self._retry_failed else entry.attempts) < self._unusable
