"""How far a run is: events in, a state out, nothing drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The questions are known."""

    questions: int
    stored: int
    """How many have an answer in the ledger already."""
    conversations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """A conversation is in the memory; its questions come next."""

    sample_id: str
    questions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionIngested:
    """A memory outside of this process has taken a session, or has failed to."""

    sample_id: str
    conversation: int
    """Its place among the conversations, from 1."""
    conversations: int
    session: int
    """Its place among the sessions, from 1."""
    sessions: int
    seconds: float | None
    """How long its rows took to come; None if they did not, or came with others."""
    reason: str = ""
    """Why it failed; empty otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """Something takes long, and this is how far it is."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A question has been dealt with, freshly or from the ledger."""

    question_id: str
    failed: bool
    """Whether a call failed, so that there is no prediction."""
    f1: float | None
    """Under the headline profile; None if it does not apply or the call failed."""
    search_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingStarted:
    """A judge begins; its runs come next."""

    protocol: str
    runs: int
    questions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One run of the judge over one question is there, freshly or from the ledger."""

    question_id: str
    run: int
    score: float | None
    """On the protocol's scale; None if the run has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """How the calls to models go at the moment."""

    in_flight: int
    overloads: int
    """How often an endpoint asked for fewer calls."""
    spent: float
    """Dollars, so far."""
    cap: float | None
    stalled: str = ""
    """The item that has been waiting longest, if that is too long."""
    batches: int = 0
    """Message batches in flight."""
    batched: int = 0
    """Requests in them."""


Event = (
    Started
    | Ingested
    | SessionIngested
    | Noted
    | Answered
    | JudgingStarted
    | Judged
    | Traffic
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What a display shows."""

    questions: int = 0
    stored: int = 0
    conversations: int = 0
    ingested: int = 0
    sample_id: str = ""
    sample_questions: int = 0
    sample_asked: int = 0
    asked: int = 0
    failed: int = 0
    scored: int = 0
    f1_sum: float = 0.0
    search_ms: float | None = None
    protocol: str = ""
    judge_calls: int = 0
    judged: int = 0
    judge_failed: int = 0
    j_sum: float = 0.0
    traffic: Traffic | None = None

    @property
    def j(self) -> float | None:
        """Mean score of the judge runs so far, None before the first."""
        good = self.judged - self.judge_failed
        return self.j_sum / good if good else None

    @property
    def in_batches(self) -> str:
        """What is in flight in message batches, empty if nothing is.

        >>> traffic = Traffic(
        ...     in_flight=0, overloads=0, spent=0, cap=None, batches=2, batched=1400
        ... )
        >>> Progress(traffic=traffic).in_batches
        '1,400 in 2 batches'
        """
        if self.traffic is None or not self.traffic.batches:
            return ""
        plural = "batch" if self.traffic.batches == 1 else "batches"
        return f"{self.traffic.batched:,} in {self.traffic.batches:,} {plural}"

    @property
    def f1(self) -> float | None:
        """Mean F1 of the questions scored so far, None before the first."""
        return self.f1_sum / self.scored if self.scored else None


def advance(state: Progress, event: Event) -> Progress:
    """Return the state after an event."""
    match event:
        case Started():
            return Progress(
                questions=event.questions,
                stored=event.stored,
                conversations=event.conversations,
            )
        case Ingested():
            return replace(
                state,
                ingested=state.ingested + 1,
                sample_id=event.sample_id,
                sample_questions=event.questions,
                sample_asked=0,
            )
        case SessionIngested() | Noted():
            return state
        case Answered():
            return replace(
                state,
                asked=state.asked + 1,
                sample_asked=state.sample_asked + 1,
                failed=state.failed + event.failed,
                scored=state.scored + (event.f1 is not None),
                f1_sum=state.f1_sum + (event.f1 or 0.0),
                search_ms=event.search_ms,
            )
        case JudgingStarted():
            return replace(
                state,
                protocol=event.protocol,
                judge_calls=event.questions * event.runs,
                judged=0,
                judge_failed=0,
                j_sum=0.0,
            )
        case Judged():
            return replace(
                state,
                judged=state.judged + 1,
                judge_failed=state.judge_failed + (event.score is None),
                j_sum=state.j_sum + (event.score or 0.0),
            )
        case Traffic():
            return replace(state, traffic=event)


def line(state: Progress, elapsed: float) -> str:
    """Put a state into one line.

    Args:
        state: As far as the run is.
        elapsed: Seconds since it began.

    >>> state = advance(Progress(), Started(questions=9, stored=0, conversations=2))
    >>> state = advance(state, Ingested(sample_id="conv-1", questions=4))
    >>> state = advance(
    ...     state, Answered(question_id="conv-1:0", failed=False, f1=0.5, search_ms=1.2)
    ... )
    >>> line(state, 72)
    '[QA 1/2] conv-1 — Q 1/4 — F1: 0.500 — search: 1.2ms — Elapsed: 1m12s'
    """
    if state.in_batches:
        what, far = state.in_batches, f"{state.asked}/{state.questions}"
    else:
        what, far = state.sample_id, f"{state.sample_asked}/{state.sample_questions}"
    parts = [
        f"[QA {state.ingested}/{state.conversations}] {what}",
        f"Q {far}",
        f"F1: {'n/a' if state.f1 is None else format(state.f1, '.3f')}",
    ]
    if state.search_ms is not None:
        parts.append(f"search: {state.search_ms:.1f}ms")
    if state.failed:
        parts.append(f"failed: {state.failed}")
    return " — ".join([*parts, f"Elapsed: {duration(elapsed)}"])


def judge_line(state: Progress, elapsed: float) -> str:
    """Put the judge stage into one line.

    Args:
        state: As far as the run is.
        elapsed: Seconds since it began.

    >>> state = advance(
    ...     Progress(), JudgingStarted(protocol="graded", runs=2, questions=3)
    ... )
    >>> state = advance(state, Judged(question_id="conv-1:0", run=0, score=70.0))
    >>> judge_line(state, 5)
    '[JUDGE graded] run 1/6 — J: 70.00 — Elapsed: 5s'
    """
    parts = [
        f"[JUDGE {state.protocol}] run {state.judged}/{state.judge_calls}",
        f"J: {'n/a' if state.j is None else format(state.j, '.2f')}",
    ]
    if state.in_batches:
        parts.append(state.in_batches)
    if state.judge_failed:
        parts.append(f"without score: {state.judge_failed}")
    if state.traffic is not None:
        parts.append(f"spent: ${state.traffic.spent:.2f}")
    return " — ".join([*parts, f"Elapsed: {duration(elapsed)}"])


def notice(event: Event, elapsed: float) -> str:
    """Return the lines that an event is worth by itself, empty for most.

    Args:
        event: What has happened.
        elapsed: Seconds since the run began.

    >>> print(notice(SessionIngested(sample_id="conv-30", conversation=2,
    ...     conversations=10, session=5, sessions=19, seconds=4.24), 72))
    Conversation 2/10 [conv-30] — Session 5/19 — Elapsed: 1m12s
    Session 5/19 ingested, processing took 4.2s
    """
    if isinstance(event, Noted):
        return f"{event.text} — Elapsed: {duration(elapsed)}"
    if not isinstance(event, SessionIngested):
        return ""
    place = f"Session {event.session}/{event.sessions}"
    where = f"Conversation {event.conversation}/{event.conversations}"
    if event.reason:
        how = f"{place} not ingested: {event.reason}"
    elif event.seconds is None:
        how = f"{place} ingested"
    else:
        how = f"{place} ingested, processing took {event.seconds:.1f}s"
    head = f"{where} [{event.sample_id}] — {place} — Elapsed: {duration(elapsed)}"
    return f"{head}\n{how}"


def duration(seconds: float) -> str:
    """Write a time span as people say it.

    >>> duration(4.2), duration(72), duration(3700)
    ('4s', '1m12s', '1h01m')
    """
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    return f"{whole // 3600}h{whole % 3600 // 60:02d}m"
