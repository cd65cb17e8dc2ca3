"""The one file the published numbers rest on, and what must be in it."""

from collections.abc import Mapping
from types import MappingProxyType

from ._category import Category

SHA256 = "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"
"""Checksum of `data/locomo10.json` at commit 3eb6f2c of snap-research/locomo."""

CONVERSATIONS = 10
SESSIONS = 272
TURNS = 5882
QUESTIONS: Mapping[Category, int] = MappingProxyType(
    {
        Category.MULTI_HOP: 282,
        Category.TEMPORAL: 321,
        Category.OPEN_DOMAIN: 96,
        Category.SINGLE_HOP: 841,
        Category.ADVERSARIAL: 446,
    }
)
