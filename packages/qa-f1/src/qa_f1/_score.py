"""Token F1 of a prediction against a gold, as a profile says."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from qa_f1._normalize import Analyser, analyser, normalize_answer
from qa_f1._overlap import multiset_overlap
from qa_f1._profile import Profile
from qa_f1.profiles import STANDARD


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How far the tokens of a prediction and of a gold agree.

    With `answers="comma-list"` each part of the gold is paired with the part of the
    prediction that scores highest against it (the first of equals). Precision, recall
    and F1 are then means over these pairs, and the three counts are sums over them: a
    part of the prediction counts as often as it is paired, one that is never paired
    not at all, and F1 is not the harmonic mean of the other two.
    """

    precision: float
    """Share of the prediction's tokens that the gold has too, 0 to 1."""

    recall: float
    """Share of the gold's tokens that the prediction has too, 0 to 1."""

    f1: float
    """Harmonic mean of precision and recall, 0 to 1; not rounded."""

    overlap: int
    """Number of common tokens."""

    n_prediction: int
    """Number of tokens of the prediction; of different ones with `count="set"`."""

    n_gold: int
    """Number of tokens of the gold; of different ones with `count="set"`."""


def token_f1(prediction: str, gold: str, profile: Profile = STANDARD) -> Score:
    """Score a prediction by the tokens that it shares with the gold.

    F1 is 2·overlap / (n_prediction + n_gold). With no token on one side precision,
    recall and F1 are 0; with none on either side they are the profile's `empty`.

    Args:
        prediction: The answer given.
        gold: The reference answer. A data set's number is not a text: whether 3 is "3"
            or "3.0" is the caller's to say.
        profile: The recipe; see `qa_f1.profiles`.

    Raises:
        TypeError: The prediction or the gold is not a `str`.

    Example:
        >>> token_f1("the big cat sat", "the cat sat").f1
        0.8
    """
    if not (isinstance(prediction, str) and isinstance(gold, str)):
        raise _not_text(prediction, gold)
    texts = analyser(profile)
    if profile.answers == "comma-list":
        return _list_score(prediction, gold, profile, texts)
    if profile.answers == "before-semicolon":
        gold = gold.partition(";")[0]
    return _compare(texts.tokens(prediction), texts.tokens(gold), profile)


def score_many(
    pairs: Iterable[tuple[str, str]], profile: Profile = STANDARD
) -> Iterator[Score]:
    """Score pairs of prediction and gold one after the other, in constant memory.

    Raises:
        TypeError: A prediction or a gold is not a `str`.

    Example:
        >>> [score.f1 for score in score_many([("a dog", "dog"), ("cat", "dog")])]
        [1.0, 0.0]
    """
    for prediction, gold in pairs:
        yield token_f1(prediction, gold, profile)


def exact_match(prediction: str, gold: str, profile: Profile = STANDARD) -> bool:
    """Tell whether two texts are equal once normalised, as SQuAD's exact match does.

    Only normalisation matters: no stemming, no rule for lists or alternatives, and two
    texts of which nothing is left are equal.

    Raises:
        TypeError: The prediction or the gold is not a `str`.

    Example:
        >>> exact_match("The Cat!", "cat"), exact_match("cats", "cat")
        (True, False)
    """
    if not (isinstance(prediction, str) and isinstance(gold, str)):
        raise _not_text(prediction, gold)
    return normalize_answer(prediction, profile) == normalize_answer(gold, profile)


def _not_text(prediction: object, gold: object) -> TypeError:
    name, value = (
        ("gold", gold) if isinstance(prediction, str) else ("prediction", prediction)
    )
    return TypeError(
        f"{name} must be a str, got {type(value).__name__}: "
        "convert it first, for example with str()"
    )


def _list_score(prediction: str, gold: str, profile: Profile, texts: Analyser) -> Score:
    given = [texts.tokens(part) for part in prediction.split(",")]

    def best(wanted: list[str]) -> Score:
        scores = (_compare(tokens, wanted, profile) for tokens in given)
        return max(scores, key=lambda score: score.f1)

    pairs = [best(texts.tokens(part)) for part in gold.split(",")]
    return Score(
        precision=sum(pair.precision for pair in pairs) / len(pairs),
        recall=sum(pair.recall for pair in pairs) / len(pairs),
        f1=sum(pair.f1 for pair in pairs) / len(pairs),
        overlap=sum(pair.overlap for pair in pairs),
        n_prediction=sum(pair.n_prediction for pair in pairs),
        n_gold=sum(pair.n_gold for pair in pairs),
    )


def _compare(prediction: list[str], gold: list[str], profile: Profile) -> Score:
    if profile.count == "set":
        given, wanted = set(prediction), set(gold)
        return _from_counts(len(given & wanted), len(given), len(wanted), profile)
    overlap = multiset_overlap(prediction, gold)
    return _from_counts(overlap, len(prediction), len(gold), profile)


def _from_counts(
    overlap: int, n_prediction: int, n_gold: int, profile: Profile
) -> Score:
    if n_prediction and n_gold:
        precision = overlap / n_prediction
        recall = overlap / n_gold
        f1 = 2 * overlap / (n_prediction + n_gold)
    else:
        neither = not n_prediction and not n_gold
        precision = recall = f1 = float(profile.empty) if neither else 0.0
    return Score(
        precision=precision,
        recall=recall,
        f1=f1,
        overlap=overlap,
        n_prediction=n_prediction,
        n_gold=n_gold,
    )
