"""From decoded JSON to the model. Strict about shapes, silent about quirks."""

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field

from ._dates import parse_date
from ._errors import quoted
from ._evidence import TurnRef, parse_turn_id, resolve_all
from ._model import (
    Conversation,
    Event,
    GhostDate,
    Observation,
    Question,
    Session,
    Turn,
)
from ._node import Node

_SESSION_KEY = re.compile(r"session_([1-9][0-9]{0,5})(_date_time)?")
_SAMPLE_KEYS = frozenset(
    {
        "conversation",
        "event_summary",
        "observation",
        "qa",
        "sample_id",
        "session_summary",
    }
)
_TURN_KEYS = frozenset(
    {"blip_caption", "dia_id", "img_url", "query", "re-download", "speaker", "text"}
)
_QUESTION_KEYS = frozenset(
    {"adversarial_answer", "answer", "category", "evidence", "question"}
)


def parse(root: Node) -> tuple[tuple[Conversation, ...], tuple[str, ...]]:
    """Read all conversations, and the paths of the members nobody knows.

    Raises:
        DatasetError: A place in the file has not the shape it should have.
    """
    conversations: dict[str, Conversation] = {}
    unread: list[str] = []
    for node in root.items("an array of conversations"):
        conversation = _Reader(node, unread).conversation()
        if conversation.sample_id in conversations:
            node.need("sample_id").fail("a sample_id that no other conversation has")
        conversations[conversation.sample_id] = conversation
    if not conversations:
        root.fail("at least one conversation")
    return tuple(conversations.values()), tuple(unread)


@dataclass(slots=True)
class _Reader:
    """Reads one conversation; remembers its turns, which evidence refers to."""

    sample: Node
    unread: list[str]
    sample_id: str = ""
    refs: set[TurnRef] = field(default_factory=set)

    def conversation(self) -> Conversation:
        self._note_unread(self.sample, _SAMPLE_KEYS)
        name = self.sample.need("sample_id")
        self.sample_id = name.text()
        if not (self.sample_id.strip() and self.sample_id.isprintable()):
            name.fail("a name of printable characters")
        body = self.sample.need("conversation")
        dates, turn_lists = self._session_keys(body)
        turns = {number: self._turns(n, number) for number, n in turn_lists.items()}
        numbers = sorted(number for number, group in turns.items() if group)
        if not numbers:
            body.fail("at least one session with turns", "none")
        return Conversation(
            sample_id=self.sample_id,
            speaker_a=body.need("speaker_a").text(),
            speaker_b=body.need("speaker_b").text(),
            sessions=self._sessions(body, {n: turns[n] for n in numbers}),
            ghost_dates=tuple(
                GhostDate(number=number, date_text=date.text())
                for number, date in sorted(dates.items())
                if number not in numbers
            ),
            qa=self._questions(),
        )

    def _session_keys(self, body: Node) -> tuple[dict[int, Node], dict[int, Node]]:
        """Sort the numbered members of the dialogue into dates and turns."""
        dates: dict[int, Node] = {}
        turns: dict[int, Node] = {}
        for key in body.members():
            match = _SESSION_KEY.fullmatch(key)
            if match is not None:
                (dates if match[2] else turns)[int(match[1])] = body.need(key)
            elif key.startswith("session"):
                # Read past it, and a whole session would be missing in silence.
                body.fail(
                    "keys like session_1 and session_1_date_time",
                    f"the key {quoted(key)}",
                )
            elif key not in {"speaker_a", "speaker_b"}:
                self.unread.append(body.path_of(key))
        return dates, turns

    def _turns(self, node: Node, session: int) -> tuple[Turn, ...]:
        return tuple(
            self._turn(item, session) for item in node.items("an array of turns")
        )

    def _turn(self, node: Node, session: int) -> Turn:
        self._note_unread(node, _TURN_KEYS)
        id_node = node.need("dia_id")
        ref = parse_turn_id(id_node.text())
        if ref is None or ref.session != session:
            id_node.fail(f"a turn id of session {session}, such as 'D{session}:1'")
        if ref in self.refs:
            id_node.fail("a turn id that no other turn has")
        self.refs.add(ref)
        urls = node.get("img_url")
        return Turn(
            id=str(ref),
            session=session,
            number=ref.number,
            speaker=node.need("speaker").text(),
            text=node.need("text").text(),
            caption=_optional_text(node, "blip_caption"),
            image_urls=() if urls is None else urls.texts(),
            image_query=_optional_text(node, "query"),
        )

    def _sessions(
        self, body: Node, turns: dict[int, tuple[Turn, ...]]
    ) -> tuple[Session, ...]:
        observations = self._parts("observation", "session_{}_observation", turns)
        summaries = self._parts("session_summary", "session_{}_summary", turns)
        events = self._parts("event_summary", "events_session_{}", turns)
        sessions: list[Session] = []
        for number, group in turns.items():
            date = body.need(f"session_{number}_date_time")
            parsed = parse_date(date.text())
            if parsed is None:
                date.fail("a date like '6:40 pm on 4 March, 2024'")
            summary = summaries.get(number)
            sessions.append(
                Session(
                    number=number,
                    date_text=date.text(),
                    date=parsed,
                    turns=group,
                    observations=self._observations(observations.get(number)),
                    summary=None if summary is None else summary.text(),
                    events=_events(events.get(number)),
                )
            )
        return tuple(sessions)

    def _parts(self, key: str, pattern: str, numbers: Iterable[int]) -> dict[int, Node]:
        """Find the members of an optional object that belong to sessions."""
        node = self.sample.get(key)
        if node is None:
            return {}
        names = {pattern.format(number): number for number in numbers}
        self._note_unread(node, names)
        return {names[key]: node.need(key) for key in node.members() if key in names}

    def _observations(self, node: Node | None) -> tuple[Observation, ...]:
        return tuple(
            self._observation(speaker, item)
            for speaker, facts in _by_speaker(node)
            for item in facts.items("an array of observations")
        )

    def _observation(self, speaker: str, node: Node) -> Observation:
        parts = tuple(node.items("an array of a text and its turn ids"))
        if len(parts) != 2:
            node.fail("an array of a text and its turn ids")
        text, ids = parts
        raw = ids.texts() if isinstance(ids.value, list) else (ids.text(),)
        return Observation(
            speaker=speaker,
            text=text.text(),
            evidence_raw=raw,
            evidence=resolve_all(raw, self.refs),
        )

    def _questions(self) -> tuple[Question, ...]:
        nodes = self.sample.need("qa").items("an array of questions")
        return tuple(self._question(node, index) for index, node in enumerate(nodes))

    def _question(self, node: Node, index: int) -> Question:
        self._note_unread(node, _QUESTION_KEYS)
        answer = node.get("answer")
        raw = node.need("evidence").texts()
        return Question(
            id=f"{self.sample_id}:{index}",
            sample_id=self.sample_id,
            index=index,
            text=node.need("question").text(),
            category=node.need("category").category(),
            gold=None if answer is None else _gold(answer),
            gold_was_integer=answer is not None and isinstance(answer.value, int),
            adversarial_answer=_optional_text(node, "adversarial_answer"),
            evidence_raw=raw,
            evidence=resolve_all(raw, self.refs),
        )

    def _note_unread(self, node: Node, known: Container[str]) -> None:
        self.unread.extend(
            node.path_of(key) for key in node.members() if key not in known
        )


def _gold(node: Node) -> str:
    if isinstance(node.value, str):
        return node.text()
    return str(node.integer("a string or an integer"))


def _optional_text(node: Node, key: str) -> str | None:
    member = node.get(key)
    return None if member is None else member.text()


def _by_speaker(node: Node | None) -> Iterator[tuple[str, Node]]:
    if node is not None:
        for speaker in node.members("an object by speaker"):
            yield Node(speaker, node.path, node.file).text(), node.need(speaker)


def _events(node: Node | None) -> tuple[Event, ...]:
    return tuple(
        Event(speaker=speaker, text=text)
        for speaker, texts in _by_speaker(node)
        if speaker != "date"
        for text in texts.texts()
    )
