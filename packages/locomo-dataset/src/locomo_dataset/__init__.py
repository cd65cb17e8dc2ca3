"""Typed loader, validator and verified download for the LoCoMo benchmark.

`load` reads `locomo10.json` into frozen values and raises `DatasetError` when it
cannot; `load_mini` gives a small synthetic data set; `stats` counts; `validate`
lists what is odd. `locomo_dataset.fetch` downloads the file and
`locomo_dataset.errata` marks the questions a public audit found wrong.
"""

from ._category import Category
from ._errors import DatasetError
from ._evidence import TurnRef
from ._issue import Issue, IssueCode
from ._load import load
from ._mini import load_mini
from ._model import (
    Conversation,
    Dataset,
    Event,
    GhostDate,
    Observation,
    Question,
    Session,
    Turn,
)
from ._stats import ConversationStats, Stats, stats
from ._validate import validate

__all__ = [
    "Category",
    "Conversation",
    "ConversationStats",
    "Dataset",
    "DatasetError",
    "Event",
    "GhostDate",
    "Issue",
    "IssueCode",
    "Observation",
    "Question",
    "Session",
    "Stats",
    "Turn",
    "TurnRef",
    "load",
    "load_mini",
    "stats",
    "validate",
]
