"""The page on judge protocols shows the prompts that are really sent.

`python tests/test_judge_docs.py` prints the part of the page that comes from the code.
"""

import json
from pathlib import Path

import pytest
from llm_judge import (
    BINARY,
    GRADED,
    STRICT,
    JudgeProtocol,
    JudgeSettings,
    LabelScale,
)

PAGE = Path(__file__).parent.parent / "docs" / "methodology" / "judge-protocols.md"
PROTOCOLS = (GRADED, BINARY, STRICT)


def section(protocol: JudgeProtocol) -> str:
    """Return what the page has to say about a protocol, all of it from the code."""
    lines = [
        f"### `{protocol.name}`, version {protocol.version}",
        "",
        protocol.description,
        f"Signature: `{protocol.signature}`.",
        f"The verdict is {protocol.scale.describe()}.",
    ]
    if isinstance(protocol.scale, LabelScale):
        lines += [
            f"`{name}` scores {label.score:g}."
            + (" The same in other words: " if label.aliases else "")
            + ", ".join(f"`{alias}`" for alias in label.aliases)
            + ("." if label.aliases else "")
            for name, label in protocol.scale.labels.items()
        ]
    lines += ["", "System prompt:", "", "```text", protocol.system, "```"]
    lines += ["", "User prompt:", "", "```text", protocol.user, "```"]
    lines += ["", "`{standard}` becomes, by category (`general` for any other):", ""]
    lines += [f"- `{name}`: {text}" for name, text in protocol.standards.items()]
    schema = json.dumps(protocol.reply_schema, indent=2)
    lines += ["", "Schema of the reply:", "", "```json", schema, "```", ""]
    return "\n".join(lines)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_the_page_shows_the_protocol_as_it_is_in_the_code(
    protocol: JudgeProtocol,
) -> None:
    assert section(protocol) in PAGE.read_text(encoding="utf-8")


def test_the_page_shows_no_protocol_that_is_not_built_in() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert page.count("Signature: `protocol:") == len(PROTOCOLS)
    assert page.count("System prompt:") == len(PROTOCOLS)


def test_the_page_names_the_default_settings() -> None:
    assert f"`{JudgeSettings().signature}`" in PAGE.read_text(encoding="utf-8")


if __name__ == "__main__":
    print("\n".join(map(section, PROTOCOLS)))  # noqa: T201 - that is its job
