"""What a run tells about its claude-mem worker: one fact of the ledger.

```text
claude_mem
├── address, found_by   where the worker is, and who said so
├── workers             version and pid of every process that served the run, in order
├── mode                by its own word, else by its settings; None if neither tells
├── model               what its settings say, None where they cannot be read
├── mode_of_rows        code, other, or None: what the types of its rows say
├── vectors             whether it searched by vectors
├── reused              whether rows of another run were taken over
├── incomplete          whether questions were allowed although sessions were missing
├── index               ready, behind, or none
├── ingestion           sample_id → sessions, stored, observations, missing (numbers)
├── searches            question, keywords: how many questions were searched which way
├── without_hits        how many questions had no hit
└── remarks             what a reader must know first, in sentences
```
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from cmem_client import Health

from locomo_run.claude_mem.holdings import Holdings
from locomo_run.claude_mem.plain import not_in_the_memory, processes
from locomo_run.claude_mem.settings import DEFAULT_MODE
from locomo_run.ledger.entry import Json, Stage
from locomo_run.ledger.store import Ledger

FACT = "claude_mem"

Account = Mapping[str, Json]

CODE_MODE = (
    "The worker's mode is code, whose model is told to keep what was built and to skip "
    "talk: most of a conversation is lost. The command locomo-run worker-mode writes a "
    "mode for conversations."
)


def read_account(ledger: Ledger) -> dict[str, Json]:
    """Return what a run has told so far."""
    return dict(cast(Account, ledger.fact(FACT) or {}))


def tell(ledger: Ledger, **parts: Json) -> None:
    """Add to what a run tells, and put its remarks in line with it."""
    account = read_account(ledger) | parts
    account["remarks"] = remarks(account)
    ledger.set_facts({FACT: account})


def process_of(health: Health) -> dict[str, Json]:
    """Return what tells one process of a worker from another."""
    return {"version": health.version, "pid": health.pid}


def tell_worker(ledger: Ledger, process: Mapping[str, Json]) -> None:
    """Note the process that serves the run, if it is not the last one noted."""
    known = cast(list[Json], read_account(ledger).get("workers") or [])
    if known[-1:] != [process]:
        tell(ledger, workers=[*known, process])


def completeness(held: Iterable[Holdings]) -> dict[str, Json]:
    """Return how much of each conversation the worker holds."""
    return {
        each.sample_id: {
            "sessions": len(each.expected),
            "stored": len(each.expected) - len(each.missing),
            "observations": each.observations,
            "missing": list(each.missing),
        }
        for each in held
    }


def count_searches(ledger: Ledger) -> dict[str, Json]:
    """Count the questions by how they were searched, and those without a hit."""
    good = {e.request.item: e for e in ledger.entries(Stage.SEARCH) if e.ok}
    modes: dict[str, int] = {}
    without = 0
    for entry in good.values():
        memory = cast(Mapping[str, Json], entry.request.content["memory"])
        mode = str(memory.get("search"))
        modes[mode] = modes.get(mode, 0) + 1
        without += ledger.stored(str(entry.attempt.reply["hits"])) == "[]"
    return {"searches": modes, "without_hits": without}


def remarks(account: Account) -> list[Json]:
    """Say what a reader must know before any figure.

    >>> remarks({"via": "import", "vectors": True})[0][:28]
    'The turns were imported word'
    """
    ingestion = cast(Mapping[str, Mapping[str, Json]], account.get("ingestion") or {})
    missing = {
        name: cast(list[int], each["missing"])
        for name, each in ingestion.items()
        if each["missing"]
    }
    workers = cast(list[Mapping[str, Json]], account.get("workers") or [])
    said = {
        _incomplete(missing): bool(missing) and bool(account.get("incomplete")),
        "MEMORIES REUSED: rows that another run stored were taken as this run's.": bool(
            account.get("reused")
        ),
        "INDEX BEHIND: questions were asked before the vector index found every "
        "session.": account.get("index") == "behind",
        "The turns were imported word for word, without a model: storage and search "
        "alone are under test.": account.get("via") == "import",
        "The worker searched without vectors, by words alone.": (
            account.get("vectors") is False
        ),
        CODE_MODE: account.get("via") != "import" and is_code(account),
        f"The worker changed during the run: {processes(workers)}.": len(workers) > 1,
    }
    return [sentence for sentence, holds in said.items() if holds]


def is_code(account: Account) -> bool:
    """Tell whether the worker is known to be in its mode for programming.

    What its rows say wins over its own word and over its settings.
    """
    told = account.get("mode_of_rows") or account.get("mode")
    return told == DEFAULT_MODE


def _incomplete(missing: Mapping[str, list[int]]) -> str:
    shown = "; ".join(
        f"{name} session{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
        for name, numbers in missing.items()
    )
    count = sum(map(len, missing.values()))
    return f"NOT COMPLETE: {not_in_the_memory(count)} ({shown})."
