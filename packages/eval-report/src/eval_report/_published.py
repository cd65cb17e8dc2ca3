"""Published overalls: whether a printed overall follows from the printed categories."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallCheck:
    """Say how far a printed overall is from the weighted mean of its categories."""

    weighted: float
    difference: float
    """Weighted mean minus printed overall."""

    agrees: bool


def weighted_overall(
    categories: Mapping[int, float | Decimal], counts: Mapping[int, int]
) -> float:
    """Return the mean over questions that category means imply.

    Raises:
        ValueError: There is no category, or one has no count.

    Example:
        >>> weighted_overall({1: 50.0, 2: 80.0}, {1: 1, 2: 2})
        70.0
    """
    unknown = sorted(set(categories) - set(counts))
    if unknown or not categories:
        what = f"no number of questions for {unknown}" if unknown else "no categories"
        msg = f"cannot weight the categories: {what}"
        raise ValueError(msg)
    total = sum(counts[category] for category in categories)
    return math.fsum(counts[c] * float(v) for c, v in categories.items()) / total


def check_published_overall(
    categories: Mapping[int, float | Decimal],
    overall: float | Decimal,
    counts: Mapping[int, int],
    *,
    tolerance: float = 0.01,
) -> OverallCheck:
    """Check a published table's category numbers by its own overall.

    A table whose columns are read under the wrong category numbers fails, because
    the categories differ in size. The default tolerance is the rounding bound of
    two printed decimals: 0.005 of the overall and 0.005 of the categories.

    Args:
        categories: Category of the data set to printed score.
        overall: Printed overall over exactly these categories.
        counts: Category of the data set to number of questions.
        tolerance: Largest difference that rounding can explain.

    Raises:
        ValueError: There is no category, or one has no count.

    Example:
        Mem0's J (arXiv 2504.19413, tables 1 and 2):

        >>> counts = {1: 282, 2: 321, 3: 96, 4: 841}
        >>> check_published_overall(
        ...     {1: 67.13, 2: 55.51, 3: 51.15, 4: 72.93}, 66.88, counts
        ... ).agrees
        True
        >>> check_published_overall(
        ...     {4: 67.13, 2: 55.51, 1: 51.15, 3: 72.93}, 66.88, counts
        ... ).agrees
        False
    """
    weighted = weighted_overall(categories, counts)
    difference = weighted - float(overall)
    return OverallCheck(
        weighted=weighted,
        difference=difference,
        agrees=abs(difference) <= tolerance,
    )
