"""Scores on a number scale, as JSON values and as written in a sentence."""

import math
import re
from collections.abc import Iterator

from pydantic import JsonValue

from llm_judge._clause import starts_clause
from llm_judge._reading import Reading, Rejected, Verdict
from llm_judge._scale import NumberScale

__all__ = ["declared_numbers", "number_value"]

_NOT_A_NUMBER = Rejected("the verdict is not a number")

_PERCENT_SCALE = 100
"""From this maximum on, 0.85 may be meant as a share."""

# A number and what belongs to it: "85", "85/100", "85 out of 100", "85%", "70-80".
# Whatever follows may not make another number or word of it ("85th", "8,5", "70-80x").
_NUMBER = r"""
(?P<number>[-+−]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+))
(?:
    [ \t]{0,3}\(?(?:/|out[ ]of\b|of\b)[ \t]{0,3}(?P<whole>[0-9]+(?:\.[0-9]+)?)
  | [ \t]{0,3}(?P<percent>%|percent\b)
  | [ \t]{0,3}(?P<range>(?:-|–|—|to\b|or\b|and\b)[ \t]{0,3}[0-9]+)
)?+
(?![\w%]|[.,/][0-9])
"""

# "score: 85", "**Score (0-100):** 85/100", '"score": 85', "the score is 85"
_AFTER_NOUN = r"""
(?<![\w"'“‘`])
(?P<quote>["'`])?
\b(?:score|rating|grade|{key})\b
(?(quote)(?P=quote))[*_]{{0,3}}
(?:[ \t]{{0,9}}\([^)\n]{{0,30}}\))?
\s{{0,9}}(?:(?:is[ \t]?)?[:=]|[-–—](?=\s)|is\b)
[\s"'`*_]{{0,9}}
"""

# "I would give this a 70", "The answer deserves a score of 85 out of 100"
_AFTER_VERB = r"""
\b(?:
    I(?:['’]d|['’]ll|[ ]would|[ ]will)?[ ](?:give|rate|assign|award|score|grade)
  | (?:answer|prediction|response|it)[ ](?:deserves|merits)
)
(?:[ ](?:it|this|that|(?:the|this)[ ](?:predicted[ ])?(?:answer|response)))?
(?:[ ](?:(?:with[ ])?a[ ](?:score|rating|grade)[ ]of|a|as|at))?
[ *_]{1,4}
"""

_FLAGS = re.IGNORECASE | re.VERBOSE
_ALONE = re.compile(
    r"^[ \t*_`\"'>#]{0,9}" + _NUMBER + r"(?:[ \t]?points?)?[ \t)*_`\"'.!]{0,9}\r?$",
    _FLAGS | re.MULTILINE,
)
_VERB_FORM = re.compile(_AFTER_VERB + _NUMBER, _FLAGS)


def number_value(value: JsonValue, scale: NumberScale) -> Reading:
    """Read the value that stands under the verdict key of a JSON object.

    >>> scale = NumberScale(minimum=0, maximum=100)
    >>> number_value(85, scale).score, number_value("85/100", scale).score
    (85.0, 85.0)
    >>> number_value(120, scale).reason
    'the score 120 is not a number from 0 to 100'
    """
    if isinstance(value, str):
        alone = _ALONE.fullmatch(value.strip())
        return _read_match(alone, scale) if alone else _NOT_A_NUMBER
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _NOT_A_NUMBER
    return _on_scale(value, scale, decimal=isinstance(value, float))


def declared_numbers(
    text: str, key: str, scale: NumberScale
) -> Iterator[tuple[int, Reading]]:
    """Yield what the text calls its score, or puts on a line of its own.

    Any other number in the text is not read.

    >>> scale = NumberScale(minimum=0, maximum=100)
    >>> text = "Score: 40. It names 2 of 3 facts, so the final score is 65/100."
    >>> [found.score for _, found in declared_numbers(text, "score", scale)]
    [40.0, 65.0]
    """
    noun_form = re.compile(_AFTER_NOUN.format(key=re.escape(key)) + _NUMBER, _FLAGS)
    for form in (noun_form, _VERB_FORM, _ALONE):
        for match in form.finditer(text):
            if starts_clause(text, match.start()):
                yield match.start(), _read_match(match, scale)


def _read_match(match: re.Match[str], scale: NumberScale) -> Reading:
    if match["range"]:
        return Rejected("the verdict is a range, not a score")
    if match["whole"] and float(match["whole"]) != scale.maximum:
        return Rejected("the score is out of another total than the scale's maximum")
    if match["percent"] and (scale.minimum, scale.maximum) != (0, _PERCENT_SCALE):
        return Rejected("the score is a percentage, and the scale is not")
    marked = bool(match["whole"] or match["percent"])
    number = match["number"].replace("−", "-")
    return _on_scale(float(number), scale, decimal="." in number and not marked)


def _on_scale(number: float, scale: NumberScale, *, decimal: bool) -> Reading:
    try:
        score = float(number)
    except OverflowError:
        score = math.inf
    if not scale.minimum <= score <= scale.maximum:  # NaN fails this too
        return Rejected(f"the score {score:g} is not {scale.describe()}")
    if decimal and 0 < score <= 1 and scale.maximum >= _PERCENT_SCALE:
        return Rejected(
            f"the score {score:g} may be meant as a share or as points of "
            f"{scale.maximum:g}"
        )
    return Verdict(score)
