"""The words of a question that can tell one turn from another.

Stop words carry no topic, yet joined by OR they make every turn a match and fill the
ranking with chatter.
The list is Snowball's published English stop list
(https://snowballstem.org/algorithms/english/stop.txt); its contractions are entered as
the pieces into which a tokenizer cuts them at the apostrophe.
Of "won't", "let's" and "don't" only the "t" and "s" are, since "won", "let" and "don"
are words and names of their own.
"""

from __future__ import annotations

import re

_PRONOUNS = (
    "i me my myself we our ours ourselves you your yours yourself yourselves "
    "he him his himself she her hers herself it its itself "
    "they them their theirs themselves what which who whom this that these those"
)
_AUXILIARIES = (
    "am is are was were be been being have has had having do does did doing "
    "would should could ought can cannot"
)
_JOINTS = (
    "a an the and but if or because as until while of at by for with about against "
    "between into through during before after above below to from up down in out on "
    "off over under"
)
_ADVERBS = (
    "again further then once here there when where why how all any both each few more "
    "most other some such no nor not only own same so than too very"
)
_PIECES = (
    "s t d ll m re ve isn aren wasn weren hasn haven hadn doesn didn wouldn shan "
    "shouldn couldn mustn"
)

STOP_WORDS = frozenset(
    " ".join((_PRONOUNS, _AUXILIARIES, _JOINTS, _ADVERBS, _PIECES)).split()
)

_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """Cut a text into lower-case words at everything but letters and digits.

    >>> words("What's Ana's new_job?")
    ['what', 's', 'ana', 's', 'new', 'job']
    """
    return _WORD.findall(text.lower())


def content_terms(text: str) -> tuple[str, ...]:
    """Return the distinct words of a text that are not stop words, in their order.

    >>> content_terms("What did Ana do after Ana's move to Lisbon?")
    ('ana', 'move', 'lisbon')
    """
    return tuple(dict.fromkeys(w for w in words(text) if w not in STOP_WORDS))
