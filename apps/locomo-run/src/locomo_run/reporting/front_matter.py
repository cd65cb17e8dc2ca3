"""The head of a document that a note-taking program reads."""

from __future__ import annotations

import json
from collections.abc import Sequence

from locomo_run.reporting.results import Results


def front_matter(
    results: Results, *, title: str, tags: Sequence[str], related: str
) -> str:
    """Return YAML front matter; every value is written as JSON, which YAML contains.

    Args:
        results: The run; the day of its last entry becomes `created`.
        title: Of the document.
        tags: Of the document.
        related: Title of the document that belongs to it.
    """
    created = results.times[1][:10] if results.times else None
    fields: dict[str, object] = {
        "type": "report",
        "title": title,
        "created": created,
        "tags": list(tags),
        "related": [f"[[{related}]]"],
    }
    lines = [f"{name}: {_yaml(value)}" for name, value in fields.items()]
    return "\n".join(["---", *lines, "---", "", ""])


def _yaml(value: object) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)
