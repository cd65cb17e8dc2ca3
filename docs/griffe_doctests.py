"""Show the doctests of a docstring as code, wherever they stand in it.

Markdown takes `>>>` for three quotations. This extension of griffe, which reads the
docstrings for the reference, puts a fence around each doctest.
"""

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"^( *)>>> .*(?:\n *\S.*)*", re.MULTILINE)
"""From a prompt to the next empty line, as doctest itself reads it."""


def fenced(docstring: str) -> str:
    """Put a fence around each doctest."""
    return DOCTEST.sub(r"\1```pycon\n\g<0>\n\1```", docstring)


class Doctests(griffe.Extension):
    """Fence the doctests of everything that is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change a docstring before it is taken apart."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
