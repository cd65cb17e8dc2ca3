"""One short talk through a worker's own compression, until its row is there.

A worker's health check is green for weeks while its queue is dead.
The worker asks its model twice for it: it opens every session with a call of its own,
and no observation is compressed without that.
"""

from __future__ import annotations

from collections.abc import Mapping

from cmem_client import Cause, Client, CmemError, TimedOut, WaitExpired

from locomo_run.claude_mem.checks import Check, failed, passed
from locomo_run.claude_mem.naming import project_name, session_name
from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.claude_mem.posting import TOOL
from locomo_run.claude_mem.provider import MEND

SAMPLE = "doctor"
START = "start the worker, or name it with --worker"

CANARY_SECONDS = 60.0
"""For all of it, the posts included."""

CANARY_REST = 10.0
"""What is left of that when a queue that stands still is given up; what comes before is
longer than a model call with its time limit."""

CANARY_POLL = 1.0
LEAST_WAIT = 1.0
PROMPT = "Conversation between Ada and Bo on 9:00 am on 3 May, 2024"


def canary(client: Client, options: ClaudeMemOptions, *, name: str) -> Check:
    """Send one observation through the worker's compression and wait for its row.

    Args:
        client: The worker; its budget should be `CANARY_SECONDS`.
        options: The namespace.
        name: Of the session; unique, so that no earlier row is taken for this one's.
    """
    project = project_name(options.namespace, SAMPLE)
    session = session_name(options.namespace, f"{SAMPLE}-{name}", 1)
    said = (
        "[Session 1 — 9:00 am on 3 May, 2024]\n[Conversation between Ada and Bo]\n\n"
        f"Ada: I moved to Porto last week and adopted a dog named Canary {name}.\n"
        "Bo: Congratulations! Is Canary a puppy?\nAda: Yes, three months old."
    )
    try:
        opened = client.init_session(session, project, PROMPT)
        posted = client.queue_observation(
            session, TOOL, {"file_path": "conversation-transcript/doctor.txt"}, said
        )
        if not posted.queued:
            reason = posted.reason or opened.reason
            return failed("canary", f"the worker skipped it: {reason}", _NOTHING)
        spent = (opened.latency_ms + posted.latency_ms) / 1000
        report = client.wait_for_processing(
            project,
            [session],
            timeout=max(CANARY_SECONDS - spent, LEAST_WAIT),
            stall=max(CANARY_SECONDS - spent - CANARY_REST, LEAST_WAIT),
            poll=CANARY_POLL,
        )
    except WaitExpired as expired:
        (missing,) = expired.report.missing
        found, advice = _SEEN[missing.cause]
        waited = f"no row came within {spent + expired.report.elapsed_s:.0f} s"
        return failed("canary", f"{missing.cause}: {waited}; {found}", advice)
    except TimedOut as error:
        return failed("canary", f"no answer in time: {error}", _SLOW)
    except CmemError as error:
        return failed("canary", str(error), START)
    rows = report.sessions[0].rows
    noun = "row" if rows == 1 else "rows"
    return passed("canary", f"{rows} {noun} after {spent + report.elapsed_s:.1f} s")


_NOTHING = (
    "a run would store nothing; check the worker's model, its key and quota, its mode, "
    "and the logs in its data directory"
)
_SLOW = (
    "see whether the worker's model answers within seconds, and the logs in the "
    "worker's data directory; a run with a slow model needs a longer --session-timeout "
    "and --stall"
)
_AGAIN = "run the doctor once more in a minute"

_DROPPED = (
    "the worker took it and stored nothing, so its model found nothing worth keeping, "
    "or failed"
)
_PARKED = "by its log a call of its model failed, and it does not try again by itself"
_STALLED = (
    "nothing moves, and the worker's log does not say why: its model is slow, or has "
    "failed"
)
_COOLDOWN = (
    "by its log the quota of its model is used up, and it makes no calls for up to 30 "
    "minutes"
)
_RESTARTED = "another process of the worker answers now, and its queue may be lost"

_SEEN: Mapping[Cause, tuple[str, str]] = {
    Cause.DROPPED: (_DROPPED, _NOTHING),
    Cause.PARKED: (_PARKED, _NOTHING),
    Cause.STALLED: (_STALLED, _SLOW),
    Cause.COOLDOWN: (_COOLDOWN, MEND),
    Cause.RESTARTED: (_RESTARTED, _AGAIN),
    Cause.INDEX_BEHIND: ("a search does not find its row", _AGAIN),
    Cause.WORKING: ("the worker is still busy with it", _SLOW),
}
"""What each cause looks like, and what to do about it."""
