"""The piece of a sentence that a question word asks for.

Each reader below is one plain rule, and returns None where its rule finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from qa_f1 import porter_stem

from locomo_run.answerers.relative_dates import resolve, spoken
from locomo_run.memory.terms import STOP_WORDS, words

_SENTENCE_END = re.compile(r"(?<=[.!?])\s|[\n\]]|\[(?:shares an image:)?")
_CLAUSE_END = re.compile(r"[,;:.!?()\"“”—–]|\s-+\s")
_OPENING = re.compile(
    r"\b(?:when|(?:what|which) (?:date|day|month|year)|how (?:many|much|old|long)"
    r"|who|whose|whom|where|why|what|which|how)\b"
)
_YES_OR_NO = re.compile(
    r"\s*(?:am|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b"
)
_PAST = re.compile(r"\b(?:did|was|were|had)\b")
_FUTURE = re.compile(r"\b(?:will|going to|planning to)\b")
_NEGATION = re.compile(r"\b(?:no|not|never|none|nobody|nothing)\b|n['’]t\b")
_FILLER = re.compile(
    r"\A(?:(?:oh|yeah|yes|wow|well|so|hey|hi|thanks|thank you|absolutely|definitely"
    r"|sure|totally|great|haha|aww?|actually|honestly|also|and|but)\b[\s,.!]*)+",
    re.IGNORECASE,
)
_WORD_NUMBERS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty"
    "|fifty|hundred|once|twice|a couple|a dozen"
)
_NUMBER = rf"(?:\$?(?<![\d.,])\d+(?:[.,]\d+)*|\b(?:one|{_WORD_NUMBERS})\b)"
_DURATION = re.compile(
    rf"(?:{_NUMBER}|\ban?|\ba few|\bseveral)(?: of)? "
    r"(?:year|month|week|weekend|day|night|hour|minute|second)s?\b",
    re.IGNORECASE,
)
_CAPITALISED = r"[A-Z][\w'’]*(?: (?:(?:of|the|de) )?[A-Z][\w'’]*)*"
_NAME = re.compile(rf"(?<=[a-z,] )(?!I\b){_CAPITALISED}")
_PLACE = re.compile(
    rf"\b(?:in|at|to|from|near|around) ((?:the )?(?!I\b){_CAPITALISED})"
)
_REASON = re.compile(r"\b(?:because(?: of)?|since|so that)\s+(.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    opening: str
    """The question word with the noun it measures, such as `how many`."""
    noun: str
    """Stem of the word after the opening."""
    terms: frozenset[str]
    said: date | None
    step: int
    """Whether it asks for the past (-1), the future (1), or does not tell (0)."""


def stems(text: str) -> list[str]:
    """Return the stem of each word of a text, in order.

    >>> stems("Two paintings, painted")
    ['two', 'paint', 'paint']
    """
    return [_stem(word) for word in words(text)]


def sentences(text: str) -> list[str]:
    """Cut a text into its sentences; a bracketed caption is one of its own.

    >>> sentences("We moved! It rains. [shares an image: a tram]")
    ['We moved!', 'It rains.', 'a tram']
    """
    return [piece.strip() for piece in _SENTENCE_END.split(text) if words(piece)]


def read_piece(
    question: str, terms: frozenset[str], best: Sequence[str], said: date | None
) -> str:
    """Read the piece that a question asks for from the sentences of one hit.

    A typed piece (date, number, name, place, reason) comes from the first sentence that
    has one; without any, a question for a date gets the day of the session, every other
    one what the first sentence adds to the question.

    Args:
        question: The question.
        terms: Stems of its content words.
        best: The best sentence, then the others of its hit.
        said: The day on which they were said, if known.

    >>> read_piece("When did Ana move?", frozenset({"move"}),
    ...     ["I moved yesterday."], date(2023, 5, 15))
    '14 May 2023'
    """
    lowered = question.lower()
    opening = _OPENING.search(lowered)
    asked = _Asked(
        opening=opening[0] if opening else "",
        noun=next(iter(stems(lowered[opening.end() :])), "") if opening else "",
        terms=terms,
        said=said,
        step=-1 if _PAST.search(lowered) else 1 if _FUTURE.search(lowered) else 0,
    )
    if _YES_OR_NO.match(lowered):
        return _yes_or_no(asked, best[0]) or _plain(best[0]) or best[0]
    reader = _READERS.get(asked.opening.rpartition(" ")[2], _rest)
    for sentence in best:
        if piece := reader(asked, sentence):
            return piece
    if reader is _date and said:
        return _as_asked(asked, spoken(said))
    return _rest(asked, best[0]) or _plain(best[0]) or best[0]


def _date(asked: _Asked, sentence: str) -> str | None:
    """Resolve the first date of the sentence."""
    found = asked.said and resolve(sentence, asked.said, step=asked.step)
    return _as_asked(asked, found) if found else None


def _as_asked(asked: _Asked, found: str) -> str:
    """Keep of a plain date the month or the year, if that is asked for."""
    parts = found.split()
    kept = {"month": 2, "year": 1}.get(asked.opening.rpartition(" ")[2], 3)
    return " ".join(parts[-kept:]) if len(parts) <= 3 else found


def _number(asked: _Asked, sentence: str) -> str | None:
    """Take the number that counts the noun asked for, else the first number."""
    first = None
    for match in re.finditer(_NUMBER, sentence, re.IGNORECASE):
        following = sentence[match.end() : match.end() + 40]
        if asked.noun in stems(following)[:3]:
            return match[0]
        if first is None and match[0].lower() != "one":  # "that one" counts nothing
            first = match[0]
    return first


def _amount(_asked: _Asked, sentence: str) -> str | None:
    """Take the first number with its unit, the word after it."""
    match = re.search(rf"{_NUMBER}(?: (\w+))?", sentence, re.IGNORECASE)
    if match is None or match[1] in STOP_WORDS:
        return match and match[0].rpartition(" ")[0]
    return match[0]


def _duration(_asked: _Asked, sentence: str) -> str | None:
    """Take the first number of days, weeks, years."""
    match = _DURATION.search(sentence)
    return match and match[0]


def _name(asked: _Asked, sentence: str) -> str | None:
    """Take the first capitalised name that the question does not hold."""
    names = (match[0] for match in _NAME.finditer(sentence))
    return next((n for n in names if asked.terms.isdisjoint(stems(n))), None)


def _place(asked: _Asked, sentence: str) -> str | None:
    """Take the first capitalised name after a preposition of place."""
    places = (match[1] for match in _PLACE.finditer(sentence))
    return next((p for p in places if asked.terms.isdisjoint(stems(p))), None)


def _reason(_asked: _Asked, sentence: str) -> str | None:
    """Take what follows "because", "since" or "so that"."""
    match = _REASON.search(sentence)
    return match and match[1].rstrip(" .!")


def _yes_or_no(asked: _Asked, sentence: str) -> str | None:
    """Say yes or no only to a sentence that holds every term of the question."""
    if not asked.terms.issubset(stems(sentence)):
        return None
    return "No" if _NEGATION.search(sentence.lower()) else "Yes"


def _rest(asked: _Asked, sentence: str) -> str | None:
    """Take what the sentence adds: the clause after the first shared word.

    In English the object follows its verb ("I painted a harbour"); where nothing
    follows, it is the clause before.
    """
    text = _plain(sentence)
    for match in re.finditer(r"[^\W_]+", text):
        if _stem(match[0]) in asked.terms:
            after = _CLAUSE_END.split(text[match.end() :])
            before = _CLAUSE_END.split(text[: match.start()])
            trimmed = (_trimmed(asked, c) for c in (*after, *reversed(before)))
            return next(filter(None, trimmed), None)
    return None


def _trimmed(asked: _Asked, clause: str) -> str:
    """Drop stop words and words of the question from both ends of a clause."""
    tokens = clause.split()
    idle = [_is_idle(asked, token) for token in tokens]
    if all(idle):
        return ""
    return " ".join(tokens[idle.index(False) : len(idle) - idle[::-1].index(False)])


def _is_idle(asked: _Asked, token: str) -> bool:
    return all(w in STOP_WORDS or _stem(w) in asked.terms for w in words(token))


def _stem(word: str) -> str:
    # NLTK's flavour keeps "one" and a lone "s" as they are
    return porter_stem(word, "nltk")


def _plain(sentence: str) -> str:
    return _FILLER.sub("", sentence).strip(" .!")


_READERS: dict[str, Callable[[_Asked, str], str | None]] = {
    "when": _date,
    "date": _date,
    "day": _date,
    "month": _date,
    "year": _date,
    "many": _number,
    "much": _amount,
    "old": _number,
    "long": _duration,
    "who": _name,
    "whose": _name,
    "whom": _name,
    "where": _place,
    "why": _reason,
}
