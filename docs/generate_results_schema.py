"""Write the reference of `results.json` from its model: a page and a JSON Schema.

uv run python docs/generate_results_schema.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from locomo_run.reporting.results_file import ResultsFile

DOCS = Path(__file__).parent
PAGE = DOCS / "reference" / "results_file.md"
SCHEMA = DOCS / "reference" / "results.schema.json"

ANY = "JsonValue"
"""What the model calls a value of any shape."""

HEAD = """# results.json

Every run has one, and `locomo-run report RUN --json` prints it.
`null` is a value that does not exist, and never a 0.
Each question stands in a line of its own.

For programs in other languages there is a [JSON Schema](results.schema.json).
Its number is raised when a field comes, goes or changes its meaning.

```python
from pathlib import Path

from locomo_run.reporting.results_file import read_results_file

results = read_results_file(Path("runs/first/results.json"))
print(results.overall_f1["locomo"].mean, results.questions[0].prediction)
```

This page is written by `docs/generate_results_schema.py`; a test compares the two."""


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **ResultsFile.model_json_schema(by_alias=True),
    }


def schema_text() -> str:
    """Return the schema as it is published."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def page() -> str:
    """Return the page, in Markdown."""
    whole = schema()
    parts = {whole["title"]: whole, **whole["$defs"]}
    blocks = [HEAD]
    for name in _in_order(parts, whole["title"]):
        part = parts[name]
        blocks += [f"## {name}", part["description"], _table(part, parts)]
    return "\n\n".join(blocks) + "\n"


def _in_order(parts: Mapping[str, Any], name: str) -> list[str]:
    """The parts, each behind the first one that refers to it."""
    order = [name]
    for one in order:
        for field in parts[one]["properties"].values():
            order += [r for r in _refs(field) if r not in order and r != ANY]
    return order


def _refs(value: Any) -> Iterator[str]:  # any piece of a schema
    if isinstance(value, Mapping):
        if "$ref" in value:
            yield value["$ref"].rpartition("/")[2]
        for each in value.values():
            yield from _refs(each)
    elif isinstance(value, list):
        for each in value:
            yield from _refs(each)


def _table(part: Mapping[str, Any], parts: Mapping[str, Any]) -> str:
    lines = ["| field | type | what it is |", "| --- | --- | --- |"]
    for name, field in part["properties"].items():
        described = field if "description" in field else _referred(field, parts)
        what = " ".join(described.get("description", "").split())
        lines.append(f"| `{name}` | {_type(field)} | {what} |")
    return "\n".join(lines)


def _referred(field: Mapping[str, Any], parts: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part that a field holds one or several of, if that says what it is."""
    names = {name for name in _refs(field) if name != ANY}
    found: Mapping[str, Any] = parts[names.pop()] if len(names) == 1 else {}
    return found


def _type(field: Mapping[str, Any]) -> str:
    if "$ref" in field:
        name = next(_refs(field))
        if name == ANY:
            return "any"
        return f"[{name}](#{name.lower()})"
    if "anyOf" in field:
        return " or ".join(_type(each) for each in field["anyOf"])
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        return " or ".join(f"`{json.dumps(each)}`" for each in field["enum"])
    if field.get("type") == "array":
        items = field.get("items") or field["prefixItems"][0]
        return f"list of {_type(items)}"
    if field.get("type") == "object":
        return f"object of {_type(field['additionalProperties'])}"
    return str(field.get("type", "any"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    SCHEMA.write_text(schema_text(), encoding="utf-8")
