"""What makes two runs the same run."""

from __future__ import annotations

from collections.abc import Mapping

from locomo_run.ledger.entry import Json, canonical, digest

Identity = Mapping[str, Mapping[str, Json]]
"""Data set, memory, search, context, answerer: each with what changes its results."""


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

    >>> differences({"search": {"limit": 10}}, {"search": {"limit": 20}})
    ['search.limit: the run has 10, asked is 20']
    """
    old, new = flat(stored), flat(asked)
    return [
        f"{name}: {words[0]} {_shown(old.get(name))}, "
        f"{words[1]} {_shown(new.get(name))}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


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
