"""What a worker's hits tell of the evidence: sessions always, turns where imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from locomo_dataset import TurnRef

from locomo_run.claude_mem.naming import session_of
from locomo_run.ledger.entry import Json


def tells_sessions(memory: Mapping[str, Json]) -> bool:
    """Say by a memory's description whether its hits tell their sessions.

    >>> tells_sessions({"name": "claude-mem", "via": "import"})
    True
    """
    return memory.get("name") == "claude-mem" and "via" in memory


def tells_no_turns(memory: Mapping[str, Json]) -> bool:
    """Say by a memory's description whether its hits are known to tell no turns.

    >>> tells_no_turns({"name": "claude-mem", "via": "import"})
    False
    """
    return tells_sessions(memory) and memory["via"] != "import"


def session_recall(hits: Sequence[str], evidence: Sequence[TurnRef]) -> float | None:
    """Return the share of a question's evidence sessions that its hits come from.

    Args:
        hits: Names of the hits.
        evidence: The turns that hold the answer.

    Returns:
        0 to 1; None if the question names no evidence or a hit names no session.

    >>> session_recall(["s3/120", "s3/121"], [TurnRef(3, 7), TurnRef(5, 1)])
    0.5
    >>> session_recall(["120"], [TurnRef(3, 7)]) is None
    True
    """
    wanted = {turn.session for turn in evidence}
    found = [session_of(name) for name in hits]
    if not wanted or None in found:
        return None
    return len(wanted.intersection(found)) / len(wanted)
