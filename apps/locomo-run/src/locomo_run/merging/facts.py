"""What a merge of runs knows about itself, from what the runs know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import cast

from locomo_run.dataset_source import MINI, dataset_path
from locomo_run.errors import UsageError
from locomo_run.identity import differences, with_known
from locomo_run.ledger.entry import Json, canonical
from locomo_run.ledger.store import Ledger
from locomo_run.merging.joining import join_facts, join_judges, join_selections
from locomo_run.run_directory import Facts, dataset_of, noted_source, read_facts, record

MERGED = "merged_from"
"""The fact that tells a merge from a run of its own: where its runs were."""

CLAUDE_MEM = "claude_mem"

JOINED_APART = frozenset(
    {"writer", "selections", "source", "judges", "versions", "answer_runs"}
)
"""Facts with a rule of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What one run knows about itself."""

    name: str
    facts: Facts
    every: Mapping[str, Json]
    """All its facts by name, those of other stages too."""


def read_all(sources: Sequence[Path]) -> list[Told]:
    """Read what runs know about themselves; all must have the same identity.

    Raises:
        UsageError: their identities differ (the message says where), or one of them
            waits for batches.
        RunError: one of them is no run.
    """
    told = []
    for path in sources:
        with Ledger.read(path) as ledger:
            if waiting := len(ledger.batches.open()):
                raise UsageError(
                    f"{path} still waits for {waiting} batches; repeat its command to "
                    "collect them, else the merge would buy the same again"
                )
            told.append(
                Told(name=str(path), facts=read_facts(ledger), every=ledger.facts())
            )
    first, identity = told[0], told[0].facts.identity
    for other in told[1:]:
        words = (f"{first.name} has", f"{other.name} has")
        if found := differences(identity, other.facts.identity, words=words):
            raise UsageError(
                "these are not parts of one run, and nothing was merged:\n"
                + "".join(f"  {difference}\n" for difference in found)
                + "`locomo-run compare` sets different runs side by side"
            )
        identity = with_known(identity, other.facts.identity)
    return told


def write_joined(
    ledger: Ledger, told: Sequence[Told], dataset: str | None = None
) -> tuple[str, ...]:
    """Note in the ledger of a merge what its runs know; return what they contradict.

    Raises:
        UsageError: the data set is not there, or it is another file.
    """
    first = told[0].facts
    source = noted_source(dataset) if dataset else _source(told)
    versions = {canonical(v): v for each in told for v in each.facts.versions}
    differing: list[str] = []
    every: Json = None
    for each in told:
        every = join_facts("", every, _carried(each), differing)
    carried = cast(dict[str, Json], every)
    record(
        ledger,
        replace(
            first,
            identity=reduce(with_known, (each.facts.identity for each in told)),
            source=source,
            selections=join_selections(
                (s for each in told for s in each.facts.selections),
                dataset_of(first, source),
            ),
            versions=tuple(versions[key] for key in sorted(versions)),
            judges=join_judges([each.facts.judges for each in told]),
            answer_runs=max(each.facts.answer_runs for each in told),
        ),
    )
    extra = {n: v for n, v in carried.items() if ledger.fact(n) is None}
    known = cast(Sequence[str], extra.get(MERGED) or [])
    names = [each.name for each in told if each.every.get(MERGED) is None]
    ledger.set_facts({**extra, MERGED: list(dict.fromkeys([*known, *names]))})
    if CLAUDE_MEM in extra:
        from locomo_run.claude_mem.account import count_searches, tell

        tell(ledger, **count_searches(ledger))
    return tuple(dict.fromkeys(name.lstrip(".") for name in differing))


def _carried(told: Told) -> dict[str, Json]:
    """Return the facts that are joined as they are."""
    facts = {n: v for n, v in told.every.items() if n not in JOINED_APART}
    if isinstance(account := facts.get(CLAUDE_MEM), Mapping):
        counted = ("searches", "without_hits", "remarks")  # made anew from the merge
        facts[CLAUDE_MEM] = {n: v for n, v in account.items() if n not in counted}
    return facts


def _source(told: Sequence[Told]) -> str:
    """Return the first place at which a run's data set is to be found here."""
    sources = [each.facts.source for each in told]
    for source in sources:
        if source == MINI:
            return source
        try:
            dataset_path(source)
        except UsageError:
            continue
        return source
    return sources[0]
