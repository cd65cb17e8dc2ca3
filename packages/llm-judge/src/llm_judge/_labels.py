"""Verdicts on a label scale, as JSON values and as written in a sentence."""

import re
from collections.abc import Iterator

from pydantic import JsonValue

from llm_judge._clause import starts_clause
from llm_judge._reading import Reading, Rejected, Verdict
from llm_judge._scale import LabelScale

__all__ = ["declared_labels", "label_value", "sentence_label"]

# "Label: CORRECT", "'label': 'CORRECT'", "**Verdict:** WRONG", "the verdict is WRONG"
_DECLARATION = r"""
(?<![\w"'“‘`])
(?P<quote>["'`])?
\b(?:label|verdict|judge?ment|{key})\b
(?(quote)(?P=quote))[*_]{{0,3}}
\s{{0,9}}(?P<link>(?:is[ \t]?)?[:=]|[-–—](?=\s)|is\b)[\s"'`*_]{{0,9}}
(?P<value>[^\n.,;!"'`*(){{}}\[\]]{{1,60}})
"""

# "The generated answer is incorrect." as a whole sentence: what follows "because",
# "but" or "whether" is no verdict, and neither is "partly correct".
_SENTENCE = re.compile(
    r"""
    (?:\A|[.!?\n])[\s*_]{0,9}
    (?:(?:so|thus|therefore|overall|hence),?[ ])?
    (?:(?:the|this)[ ]
       (?:(?:predicted|generated|given|proposed|candidate|model's|student's)[ ])?
       (?:answer|prediction|response)|it|this)
    [ ]is[ ][*_"']{0,3}
    (?P<value>[^.!?\n]{1,40})
    (?=[.!\n]|\Z)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CONTRACTED_NOT = re.compile(r"(?<=[^\W\d_])n['’]t\b", re.IGNORECASE)
_ASIDE = re.compile(r"\s[-–—]\s")


def label_value(value: JsonValue, scale: LabelScale) -> Reading:
    """Read the value that stands under the verdict key of a JSON object.

    >>> from llm_judge import BINARY
    >>> label_value("incorrect", BINARY.scale)
    Verdict(score=0.0, label='WRONG')
    >>> label_value("PARTIAL", BINARY.scale)
    Rejected(reason='the verdict is not one of CORRECT, WRONG')
    """
    name = scale.find(value) if isinstance(value, str) else None
    if name is None:
        return Rejected(f"the verdict is not {scale.describe()}")
    return Verdict(scale.labels[name].score, name)


def declared_labels(
    text: str, key: str, scale: LabelScale
) -> Iterator[tuple[int, Reading]]:
    r"""Yield what the text calls its verdict, or puts on a line of its own.

    >>> from llm_judge import BINARY
    >>> text = "Label: CORRECT\nOn second thoughts:\nWRONG"
    >>> [reading.label for _, reading in declared_labels(text, "label", BINARY.scale)]
    ['CORRECT', 'WRONG']
    """
    declaration = re.compile(
        _DECLARATION.format(key=re.escape(key)), re.IGNORECASE | re.VERBOSE
    )
    for match in declaration.finditer(text):
        if not starts_clause(text, match.start()):
            continue
        reading = label_value(_ASIDE.split(match["value"])[0], scale)
        if isinstance(reading, Rejected):
            reading = sentence_label(match["value"], scale) or reading
        # "the verdict is …" may go on with anything; "Label: …" names a verdict
        if isinstance(reading, Verdict) or match["link"][-1] in ":=":
            yield match.start(), reading
    position = 0
    for line in text.splitlines(keepends=True):
        if (name := scale.find(line)) is not None:
            yield position, label_value(name, scale)
        position += len(line)


def sentence_label(text: str, scale: LabelScale) -> Reading | None:
    """Read sentences that say "the answer is …" and nothing more.

    >>> from llm_judge import BINARY
    >>> sentence_label("The answer isn't correct.", BINARY.scale).label
    'WRONG'
    >>> sentence_label("The answer is correct in part.", BINARY.scale) is None
    True
    """
    spelled_out = _CONTRACTED_NOT.sub(" not", text)
    readings = {
        label_value(match["value"], scale)
        for match in _SENTENCE.finditer(spelled_out)
        if scale.find(match["value"]) is not None
    }
    if len(readings) > 1:
        return Rejected("the text holds different verdicts")
    return readings.pop() if readings else None
