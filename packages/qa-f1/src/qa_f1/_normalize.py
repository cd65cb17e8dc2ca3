"""From text to tokens, as a profile says."""

import string
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import chain, groupby

from qa_f1._memo import Memo
from qa_f1._profile import Boundary, Profile, Punctuation
from qa_f1._stem import porter_stem
from qa_f1.profiles import STANDARD

_ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)
_MARKS_TO_SPACE = str.maketrans(".,!?", "    ")


def _alnum_only(text: str) -> str:
    return "".join(char for char in text if char.isalnum() or char.isspace())


_PUNCTUATION: dict[Punctuation, Callable[[str], str]] = {
    "alnum-only": _alnum_only,
    "ascii": lambda text: text.translate(_ASCII_PUNCTUATION),
    "commas-then-ascii": lambda text: text.translate(_ASCII_PUNCTUATION),
    "marks-to-space": lambda text: text.translate(_MARKS_TO_SPACE),
}


def _is_re_word(char: str) -> bool:
    return char.isalnum() or char == "_"


# Unicode calls these symbols alphabetic: letters in circles and squares.
_ENCLOSED_LETTERS = tuple(
    map(
        range,
        (0x24B6, 0x1F130, 0x1F150, 0x1F170),
        (0x24EA, 0x1F14A, 0x1F16A, 0x1F18A),
    )
)
_JOINERS = "\u200c\u200d"


def _is_regex_word(char: str) -> bool:
    category = unicodedata.category(char)
    return (
        category[0] in "LM"
        or category in ("Nd", "Nl", "Pc")
        or char in _JOINERS
        or any(ord(char) in letters for letters in _ENCLOSED_LETTERS)
    )


_WORD: dict[Boundary, Callable[[str], bool]] = {
    "re": _is_re_word,
    "regex": _is_regex_word,
}


class Analyser:
    """The steps from a text to the tokens that a profile compares.

    After lower-casing, every step works inside one white-space-separated piece of the
    text, so each piece needs to be worked out only once.
    """

    def __init__(self, profile: Profile) -> None:
        self._articles = profile.articles
        self._is_word = _WORD[profile.boundary]
        self._commas_first = profile.punctuation == "commas-then-ascii"
        steps = (_PUNCTUATION[profile.punctuation], self._drop_articles)
        self._steps = steps[::-1] if profile.order == "articles-first" else steps
        self._stemmer = profile.stemmer
        self._tokens = Memo(self._work_out).__getitem__

    def words(self, text: str) -> list[str]:
        """Return the normalised words of a text, not stemmed."""
        return list(chain.from_iterable(map(self._clean, self._pieces(text))))

    def tokens(self, text: str) -> list[str]:
        """Return the words of a text, stemmed if the profile says so."""
        return list(chain.from_iterable(map(self._tokens, self._pieces(text))))

    def _pieces(self, text: str) -> list[str]:
        # Not only for order's sake: a sigma before a comma ends its word and is
        # lower-cased as such.
        if self._commas_first:
            text = text.replace(",", "")
        return text.lower().split()

    def _clean(self, piece: str) -> list[str]:
        for step in self._steps:
            piece = step(piece)
        return piece.split()

    def _work_out(self, piece: str) -> tuple[str, ...]:
        words = self._clean(piece)
        if self._stemmer == "none":
            return tuple(words)
        return tuple(porter_stem(word, self._stemmer) for word in words)

    def _drop_articles(self, piece: str) -> str:
        if piece.isascii() and piece.isalnum():
            return "" if piece in self._articles else piece
        runs = ("".join(run) for _, run in groupby(piece, self._is_word))
        return "".join(" " if run in self._articles else run for run in runs)


@lru_cache(maxsize=16)
def analyser(profile: Profile) -> Analyser:
    """Return the analyser of a profile, with what it has worked out so far."""
    return Analyser(profile)


def normalize_answer(text: str, profile: Profile = STANDARD) -> str:
    """Lower-case a text, drop articles and punctuation, single its spaces.

    Stemming and the rule for answers (lists, alternatives) play no part here. Nothing
    changes when the result is normalised again, with one exception: where articles go
    first, deleting punctuation may leave a new one behind (`t.he`), which the next pass
    drops.

    Example:
        >>> normalize_answer("The cat, at last!")
        'cat at last'
    """
    return " ".join(analyser(profile).words(text))


def tokenize(text: str, profile: Profile = STANDARD) -> list[str]:
    """Normalise a text and return its tokens in order, stemmed as the profile says.

    Example:
        >>> tokenize("The cats were running!")
        ['cat', 'were', 'run']
    """
    return analyser(profile).tokens(text)
