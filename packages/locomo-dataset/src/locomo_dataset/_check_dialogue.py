"""Checks of conversations: speakers, sessions, turns and what is told about them."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from ._check_text import check_text
from ._errors import quoted
from ._evidence import TurnRef, resolve
from ._issue import Issue, IssueCode, Place
from ._model import Conversation, Session, Turn


def check_dialogue(conversation: Conversation, sample: Place) -> Iterator[Issue]:
    """Report what is odd outside of the questions."""
    body = sample.member("conversation")
    names = {
        "speaker_a": conversation.speaker_a,
        "speaker_b": conversation.speaker_b,
    }
    for key, name in names.items():
        yield from check_text(name, body.member(key))
    if conversation.speaker_a == conversation.speaker_b:
        yield body.member("speaker_b").issue(
            IssueCode.SPEAKERS_ALIKE,
            f"both speakers are called {quoted(conversation.speaker_b)}",
        )
    refs = frozenset(turn.ref for s in conversation.sessions for turn in s.turns)
    for session in conversation.sessions:
        yield from _session(session, body, frozenset(names.values()))
        yield from _observations(session, sample, refs)
        yield from _retellings(session, sample)
    for earlier, later in pairwise(conversation.sessions):
        if later.date <= earlier.date:
            yield _date(body, later.number).issue(
                IssueCode.SESSION_ORDER, f"not later than session {earlier.number}"
            )
    for ghost in conversation.ghost_dates:
        yield _date(body, ghost.number).issue(
            IssueCode.GHOST_DATE, f"the date {quoted(ghost.date_text)} has no turns"
        )


def _date(body: Place, number: int) -> Place:
    place = body.about(f"{body.subject} session {number}")
    return place.member(f"session_{number}_date_time")


def _session(session: Session, body: Place, names: frozenset[str]) -> Iterator[Issue]:
    place = body.about(f"{body.subject} session {session.number}")
    place = place.member(f"session_{session.number}")
    numbers = [turn.number for turn in session.turns]
    if numbers != list(range(1, len(numbers) + 1)):
        yield place.issue(
            IssueCode.TURN_NUMBERS, "turns are not numbered 1, 2, 3 and so on"
        )
    for index, turn in enumerate(session.turns):
        here = place.item(index).about(f"{body.subject} {turn.id}")
        yield from _turn(turn, here, names)


def _turn(turn: Turn, place: Place, names: frozenset[str]) -> Iterator[Issue]:
    if turn.speaker not in names:
        yield place.member("speaker").issue(
            IssueCode.SPEAKER_UNKNOWN,
            f"the speaker {quoted(turn.speaker)} is not one of the two",
        )
    if not turn.text.strip():
        yield place.member("text").issue(IssueCode.TURN_EMPTY, "a turn without words")
    yield from check_text(turn.text, place.member("text"))
    if turn.caption is not None:
        yield from check_text(turn.caption, place.member("blip_caption"))
        if not turn.image_urls:
            yield place.issue(
                IssueCode.IMAGE_WITHOUT_ADDRESS, "an image caption without an address"
            )


def _observations(
    session: Session, sample: Place, refs: frozenset[TurnRef]
) -> Iterator[Issue]:
    place = _part(sample, session, "observation", "session_{}_observation")
    seen: Counter[str] = Counter()
    for fact in session.observations:
        here = place.member(fact.speaker).item(seen[fact.speaker])
        seen[fact.speaker] += 1
        yield from check_text(fact.text, here.item(0))
        for raw in fact.evidence_raw:
            read = resolve(raw, refs)
            if not read:
                yield here.item(1).issue(
                    IssueCode.OBSERVATION_IDS_UNRESOLVED,
                    f"{quoted(raw)} names no turn and is left out",
                )
            elif raw != str(read[0]):
                yield here.item(1).issue(
                    IssueCode.OBSERVATION_IDS_REPAIRED,
                    f"{quoted(raw)} is read as {', '.join(map(str, read))}",
                )


def _retellings(session: Session, sample: Place) -> Iterator[Issue]:
    if session.summary is not None:
        yield from check_text(
            session.summary,
            _part(sample, session, "session_summary", "session_{}_summary"),
        )
    place = _part(sample, session, "event_summary", "events_session_{}")
    seen: Counter[str] = Counter()
    for event in session.events:
        here = place.member(event.speaker).item(seen[event.speaker])
        seen[event.speaker] += 1
        if not event.text.strip():
            yield here.issue(IssueCode.EVENT_EMPTY, "an event without words")
        yield from check_text(event.text, here)


def _part(sample: Place, session: Session, key: str, pattern: str) -> Place:
    place = sample.about(f"{sample.subject} session {session.number}")
    return place.member(key).member(pattern.format(session.number))
