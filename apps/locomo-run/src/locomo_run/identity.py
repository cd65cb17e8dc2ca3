"""What makes two runs the same run."""

from __future__ import annotations

from collections.abc import Mapping

from locomo_run.ledger.entry import Json, canonical, digest

Identity = Mapping[str, Mapping[str, Json]]
"""Data set, memory, search, context, answerer: each with what changes its results."""


AT_TIMES_UNKNOWN: Mapping[str, frozenset[str]] = {
    "claude-mem": frozenset({"mode", "model"})
}
"""By memory, settings that are None where they cannot be read: they then contradict
nothing."""


def run_name(recipe: str, identity: Identity) -> str:
    """Name the folder of a run after its recipe and its identity.

    >>> run_name("offline", {"dataset": {"sha256": "79fa"}})
    'offline-c0312e54a9'
    """
    return f"{recipe}-{digest(canonical(identity))[:10]}"


def differences(
    stored: Identity,
    asked: Identity,
    *,
    words: tuple[str, str] = ("the run has", "asked is"),
) -> list[str]:
    """Say in words where two identities differ; empty if they do not.

    What one of them does not know is no difference.

    >>> differences({"search": {"limit": 10}}, {"search": {"limit": 20}})
    ['search.limit: the run has 10, asked is 20']
    """
    old, new = flat(with_known(stored, asked)), flat(with_known(asked, stored))
    return [
        f"{name}: {words[0]} {_shown(old.get(name))}, "
        f"{words[1]} {_shown(new.get(name))}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


def with_known(identity: Identity, other: Identity) -> Identity:
    """Return an identity with what it does not know of its memory and another does.

    >>> one = {"memory": {"name": "claude-mem", "mode": None}}
    >>> with_known(one, {"memory": {"name": "claude-mem", "mode": "code"}})
    {'memory': {'name': 'claude-mem', 'mode': 'code'}}
    """
    memory, known = identity.get("memory", {}), other.get("memory", {})
    if memory.get("name") != known.get("name"):
        return identity
    names = AT_TIMES_UNKNOWN.get(str(memory.get("name")), frozenset())
    learnt = {
        name: known[name]
        for name in sorted(names & memory.keys() & known.keys())
        if memory[name] is None
    }
    return {**identity, "memory": {**memory, **learnt}} if learnt else identity


def flat(identity: Identity) -> dict[str, Json]:
    """Return the settings of an identity by their whole names.

    >>> flat({"search": {"limit": 10}})
    {'search.limit': 10}
    """
    return {
        f"{part}.{name}": value
        for part, settings in identity.items()
        for name, value in settings.items()
    }


def _shown(value: Json) -> str:
    return "nothing" if value is None else str(value)
