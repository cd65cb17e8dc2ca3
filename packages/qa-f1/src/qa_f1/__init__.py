"""Token F1 for question answering with named, reproducible recipes.

`token_f1` scores a prediction against a gold under a profile; `profiles` holds the
recipes behind published scores, and each profile's `signature` names everything that
changes a number. `python -m qa_f1` scores a file.
"""

from qa_f1 import profiles
from qa_f1._abstain import locomo_abstain
from qa_f1._normalize import normalize_answer, tokenize
from qa_f1._profile import Profile
from qa_f1._score import Score, exact_match, score_many, token_f1
from qa_f1._stem import porter_stem

__all__ = [
    "Profile",
    "Score",
    "exact_match",
    "locomo_abstain",
    "normalize_answer",
    "porter_stem",
    "profiles",
    "score_many",
    "token_f1",
    "tokenize",
]
