"""What a recipe for token F1 consists of, and the string that names it."""

from dataclasses import dataclass
from typing import Literal, get_args

from qa_f1._stem import Flavour

SCORING_VERSION = 1
"""Rises whenever the same profile fields would give any text another number."""

Order = Literal["articles-first", "punctuation-first"]
Boundary = Literal["re", "regex"]
Punctuation = Literal["alnum-only", "ascii", "commas-then-ascii", "marks-to-space"]
Stemmer = Flavour | Literal["none"]
Count = Literal["multiset", "set"]
Answers = Literal["whole", "comma-list", "before-semicolon"]

_STEMMERS = {
    "none": "none",
    "snowball": "porter-snowball",
    "nltk": "porter-nltk",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A recipe for token F1: every choice that changes a number.

    Text is lower-cased and split at white space in every profile; the fields say the
    rest. Two profiles with equal fields (the name apart) give equal numbers, and have
    the same signature.

    Raises:
        TypeError: The articles are not a `frozenset`.
        ValueError: A field holds a value that it does not know.

    Example:
        >>> from dataclasses import replace
        >>> from qa_f1 import profiles, token_f1
        >>> bare = replace(profiles.STANDARD, name="bare", stemmer="none")
        >>> token_f1("running late", "run late", bare).f1
        0.5
    """

    name: str
    """How `qa_f1.profiles.get` and the command line call it."""

    articles: frozenset[str]
    """Lower-case words that do not count as tokens."""

    order: Order
    """Which goes first. `a-team` loses its `a` only if articles do."""

    boundary: Boundary
    """Whose idea of a word's edge ends an article.

    `re` is Python's (letters, numbers, underscore); `regex` is that of the package of
    this name, for which combining marks belong to words and fractions do not.
    """

    punctuation: Punctuation
    """What happens to characters that are not part of words.

    `alnum-only` deletes all that is neither alphanumeric nor white space; `ascii`
    deletes the 32 characters of `string.punctuation`; `commas-then-ascii` does so too,
    with commas gone before lower-casing; `marks-to-space` turns each of `. , ! ?` into
    a space.
    """

    stemmer: Stemmer
    """The flavour of `qa_f1.porter_stem`, or `none`."""

    count: Count
    """`multiset` counts a token as often as it occurs, `set` once."""

    empty: Literal[0, 1]
    """The score when neither text has a token left."""

    answers: Answers
    """How the gold is read.

    `whole` takes it as it is; `before-semicolon` cuts it at the first `;`;
    `comma-list` splits gold and prediction at commas and averages, over the parts of
    the gold, the best score that any part of the prediction reaches.
    """

    def __post_init__(self) -> None:
        if not isinstance(self.articles, frozenset):
            msg = f"articles must be a frozenset, got {type(self.articles).__name__}"
            raise TypeError(msg)
        for article in sorted(self.articles):
            if not article.isalpha() or article != article.lower():
                msg = f"article {article!r} is not a lower-case word"
                raise ValueError(msg)
        for field, value, known in (
            ("order", self.order, get_args(Order)),
            ("boundary", self.boundary, get_args(Boundary)),
            ("punctuation", self.punctuation, get_args(Punctuation)),
            ("stemmer", self.stemmer, tuple(_STEMMERS)),
            ("count", self.count, get_args(Count)),
            ("empty", self.empty, (0, 1)),
            ("answers", self.answers, get_args(Answers)),
        ):
            if value not in known:
                choices = ", ".join(map(str, known))
                msg = f"unknown {field} {value!r}: choose one of {choices}"
                raise ValueError(msg)

    @property
    def signature(self) -> str:
        """Name everything that changes a number, as `key:value|key:value`.

        The idea is sacreBLEU's (Post 2018, "A Call for Clarity in Reporting BLEU
        Scores"). Print it beside a score. `order` and `boundary` are left out where
        there are no articles; `qa-f1` is the version of the scoring rules, which stays
        when a release of the package changes no number.

        Example:
            >>> from qa_f1 import profiles
            >>> profiles.MEM0.signature.split("|")[:3]
            ['case:lower', 'articles:none', 'punctuation:marks-to-space']
        """
        fields = {"case": "lower", "articles": "+".join(sorted(self.articles))}
        if self.articles:
            fields |= {"order": self.order, "boundary": self.boundary}
        else:
            fields["articles"] = "none"
        fields |= {
            "punctuation": self.punctuation,
            "stem": _STEMMERS[self.stemmer],
            "count": self.count,
            "empty": f"{int(self.empty)}",
            "answers": self.answers,
            "qa-f1": f"{SCORING_VERSION}",
        }
        return "|".join(f"{key}:{value}" for key, value in fields.items())
