"""The extractive answerer: no model, no key, the same answer every time.

It takes the sentence that shares most with the question, and of that sentence the piece
that the question word asks for.
It is a floor that shows what word overlap alone is worth, not a system.

- A term of the question counts ln(1 + n / df) over the n sentences read, so that a rare
  word tells more; the sentence's hit as a whole counts half on top.
- A sentence that asks something answers nothing.
- If no sentence shares a term with the question, the answer is `unanswerable`.
- So it is if the question names exactly one of the hits' speakers and the best sentence
  is another's: the question then puts one person's doings on the other.
  Only a hit that is one turn has a speaker; anything else may speak of anybody.

None of this was fitted to LoCoMo.
The last rule was weighed against leaving out what the other speaker said on the
synthetic data set that `locomo_dataset.load_mini` holds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from locomo_run.answerers import UNANSWERABLE
from locomo_run.answerers.pieces import read_piece, sentences, stems
from locomo_run.answerers.relative_dates import session_day
from locomo_run.memory import Hit, Setting
from locomo_run.memory.terms import content_terms, words

_VERSION = 1
"""Raise it with every change of an answer: it is part of a run's identity."""


class ExtractiveAnswerer:
    """Answers with a piece of the best sentence among the hits."""

    def answer(self, question: str, hits: Sequence[Hit]) -> str:
        """Answer from the hits, or with exactly `unanswerable`.

        >>> hit = Hit(id="D1:1", text="Ana: We moved to Lisbon.", turns=("D1:1",))
        >>> ExtractiveAnswerer().answer("Where did Ana move?", [hit])
        'Lisbon'
        """
        terms, speaker = _terms_and_speaker(question, hits)
        best = _best(list(_candidates(terms, speaker, hits)))
        if not best or not best[0].fits:
            return UNANSWERABLE
        said = session_day(best[0].hit.date)
        return read_piece(question, terms, [s.text for s in best], said)

    def describe(self) -> Mapping[str, Setting]:
        """Return the fingerprint: the name and the version of the reader."""
        return {"name": "extractive", "version": _VERSION}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    hit: Hit
    text: str
    shared: frozenset[str]
    """The question's terms that it holds."""
    fits: bool
    """Whether it can be of the speaker whom the question names."""


def _terms_and_speaker(
    question: str, hits: Iterable[Hit]
) -> tuple[frozenset[str], str | None]:
    """Return the stems to look for, and the one speaker whom the question names."""
    asked = set(words(question))
    speakers = {speaker for hit in hits if (speaker := _speaker(hit))}
    named = [each for each in speakers if not asked.isdisjoint(words(each))]
    names = {word for each in named for word in words(each)}
    content = set(content_terms(question))
    terms = stems(" ".join(content - names or content))
    return frozenset(terms), named[0] if len(named) == 1 else None


def _speaker(hit: Hit) -> str | None:
    if hit.turns is None or len(hit.turns) != 1:
        return None
    name, colon, _ = hit.text.partition(": ")
    return name if colon else None


def _candidates(
    terms: frozenset[str], named: str | None, hits: Iterable[Hit]
) -> Iterator[_Candidate]:
    for hit in hits:
        speaker = _speaker(hit)
        fits = named is None or speaker is None or speaker == named
        for text in sentences(hit.text.removeprefix(f"{speaker}: ")):
            if not text.endswith("?"):
                shared = terms.intersection(stems(text))
                yield _Candidate(hit=hit, text=text, shared=shared, fits=fits)


def _best(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Return the best sentence, then the others of its hit.

    Of equal sentences that of the named speaker is best, then the earlier one.
    """
    holders = Counter(term for each in candidates for term in each.shared)
    weights = {t: math.log1p(len(candidates) / n) for t, n in holders.items()}
    in_hit: dict[str, set[str]] = {}
    for each in candidates:
        in_hit.setdefault(each.hit.id, set()).update(each.shared)

    def score(each: _Candidate) -> tuple[float, bool]:
        # fsum, since the order of a set of strings differs from process to process
        own = math.fsum(weights[term] for term in each.shared)
        around = math.fsum(weights[term] for term in in_hit[each.hit.id])
        return own + around / 2, each.fits

    best = max(candidates, key=score, default=None)
    if best is None or not in_hit[best.hit.id]:
        return []
    others = (s for s in candidates if s.hit.id == best.hit.id and s is not best)
    return [best, *others]
