"""Join what several runs know, value by value: attempts, facts, selections.

Everything here is a union. It does not depend on the order of the runs, except where
they contradict each other: then what the first of them says holds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from locomo_dataset import Dataset

from locomo_run.judging.judge import Judge, merged
from locomo_run.ledger.entry import Json, Status, canonical
from locomo_run.selection import Selection


class Row(NamedTuple):
    """An attempt as the ledger's table has it, without key and number."""

    status: str
    reply: str
    reason: str
    latency_ms: float | None
    model: str
    usage: str | None
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The attempts of several runs at one request."""

    rows: tuple[Row, ...]
    """Each attempt once, in an order in which the reply that is kept comes last."""
    kept: int | None = None
    """Position of the run whose good reply is kept; None if none has one."""
    same: tuple[int, ...] = ()
    """Positions of the other runs with the same good reply."""
    others: tuple[int, ...] = ()
    """Positions of the runs whose good reply is another one."""


def join_attempts(runs: Sequence[tuple[int, Sequence[Row]]]) -> Joined:
    """Join the attempts of several runs at one request.

    Every attempt stays, since each was paid for; one that two runs share because one
    is a copy of the other stays once.

    Args:
        runs: Position of the run and its attempts in their order, first run first.
    """
    every: Counter[Row] = Counter()
    for _, rows in runs:
        every |= Counter(rows)
    good = [(at, reply) for at, rows in runs if (reply := _good_reply(rows))]
    reply = good[0][1] if good else None

    def last(row: Row) -> tuple[bool, str, str]:
        keeps = row.status == Status.OK and row.reply == reply
        return keeps, row.at, repr(row)

    return Joined(
        rows=tuple(sorted(every.elements(), key=last)),
        kept=good[0][0] if good else None,
        same=tuple(at for at, other in good[1:] if other == reply),
        others=tuple(at for at, other in good[1:] if other != reply),
    )


def join_facts(
    name: str, known: Json, more: Json, differing: list[str] | None = None
) -> Json:
    """Join two values of a fact; where they contradict each other the first one stays.

    Tables are joined entry by entry, lists without repeats; what one run says yes to
    is a yes.

    Args:
        name: Of the fact.
        known: What the runs so far say.
        more: What one more run says.
        differing: Takes the names of the values that contradict each other.

    >>> join_facts("workers", {"seen": [1], "late": False}, {"seen": [2], "late": True})
    {'seen': [1, 2], 'late': True}
    """
    if known is None or known == more:
        return more
    if more is None:
        return known
    if isinstance(known, bool) and isinstance(more, bool):
        return known or more
    if isinstance(known, Mapping) and isinstance(more, Mapping):
        return {
            part: join_facts(
                f"{name}.{part}", known.get(part), more.get(part), differing
            )
            for part in dict.fromkeys((*known, *more))
        }
    if isinstance(known, list) and isinstance(more, list):
        present = {canonical(one) for one in known}
        return [*known, *(one for one in more if canonical(one) not in present)]
    if differing is not None:
        differing.append(name)
    return known


def join_selections(
    selections: Iterable[Selection], dataset: Dataset
) -> tuple[Selection, ...]:
    """Return selections that choose the same questions, in as few as is easily said.

    Shards by conversation become one selection, and the whole data set where they
    cover it.
    """
    groups: defaultdict[Selection, list[Selection]] = defaultdict(list)
    joined: set[Selection] = set()
    for each in selections:
        if each.limit is None and each.per_category is None:
            groups[replace(each, conversations=())].append(each)
        else:
            joined.add(each)  # how many it draws depends on where it draws from
    names = [conversation.sample_id for conversation in dataset.conversations]
    for rest, group in groups.items():
        if all(each.conversations for each in group):
            chosen = {name for each in group for name in each.conversations}
            ordered = tuple(name for name in names if name in chosen)
            whole = ordered == tuple(names)
            joined.add(replace(rest, conversations=() if whole else ordered))
        else:
            joined.add(rest)
    return tuple(sorted(joined, key=lambda each: canonical(each.spec())))


def join_judges(runs: Sequence[Sequence[Judge]]) -> tuple[Judge, ...]:
    """Return every judge once, in the order in which the runs asked them."""
    first: dict[str, int] = {}
    for judges in runs:
        for position, judge in enumerate(judges):
            known = first.get(judge.signature, position)
            first[judge.signature] = min(known, position)
    every = merged((), (judge for judges in runs for judge in judges))
    return tuple(sorted(every, key=lambda j: (first[j.signature], j.signature)))


def _good_reply(rows: Sequence[Row]) -> str | None:
    good = [row.reply for row in rows if row.status == Status.OK]
    return good[-1] if good else None
