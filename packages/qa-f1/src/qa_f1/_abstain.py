"""The official LoCoMo check of answers to questions that have none."""

_PHRASES = ("no information available", "not mentioned")


def locomo_abstain(prediction: str) -> bool:
    """Tell whether a prediction says that there is no answer, in LoCoMo's two phrases.

    The official scorer gives 1 to an adversarial question if the lower-cased answer
    contains `no information available` or `not mentioned`, and 0 otherwise; other
    wordings of the same do not count (`task_eval/evaluation.py`).

    Example:
        >>> locomo_abstain("That is Not Mentioned."), locomo_abstain("I do not know")
        (True, False)
    """
    lowered = prediction.lower()
    return any(phrase in lowered for phrase in _PHRASES)
