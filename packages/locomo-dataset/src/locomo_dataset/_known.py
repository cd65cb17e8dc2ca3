"""The files this package knows how to fetch, and how to recognise them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from . import _pinned


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFile:
    """A public file, pinned to one commit."""

    name: str
    filename: str
    """Under which name it is stored."""
    url: str
    sha256: str
    size: int
    """Bytes."""
    licence: str
    source: str
    """The page of its authors."""


KNOWN: Mapping[str, KnownFile] = MappingProxyType(
    {
        file.name: file
        for file in (
            KnownFile(
                name="locomo10",
                filename="locomo10.json",
                url="https://raw.githubusercontent.com/snap-research/locomo/"
                "3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376/data/locomo10.json",
                sha256=_pinned.SHA256,
                size=2_805_274,
                licence="CC BY-NC 4.0",
                source="https://github.com/snap-research/locomo",
            ),
            KnownFile(
                name="errata",
                filename="locomo-audit-errors.json",
                url="https://raw.githubusercontent.com/dial481/locomo-audit/"
                "9493fb4b4af4256ed17a18e8fd0b3cfdeec29539/errors.json",
                sha256="f298ef46263fada20688a1d672be37d4f488c6da3b19343eea55ae5c1b5fe55e",
                size=150_552,
                licence="CC BY-NC 4.0",
                source="https://github.com/dial481/locomo-audit",
            ),
        )
    }
)
