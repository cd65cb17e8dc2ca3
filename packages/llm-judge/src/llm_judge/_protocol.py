"""Judge protocols: versioned data that say what is asked and how a reply is read."""

import hashlib
import json
import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Annotated, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    ValidationError,
    model_validator,
)

from llm_judge._errors import ProtocolError
from llm_judge._scale import LabelScale, Scale

__all__ = [
    "BINARY",
    "DATA_FIELDS",
    "GENERAL",
    "GRADED",
    "PARSER_REVISION",
    "PLACEHOLDER",
    "STRICT",
    "JudgeProtocol",
    "load_protocol",
]

PARSER_REVISION = 1
"""Raised whenever some reply would be read differently than before."""

GENERAL = "general"
"""The category whose standard holds for categories without one of their own."""

DATA_FIELDS = ("question", "gold", "prediction", "category")
PLACEHOLDER = re.compile(r"\{([A-Za-z_]+)\}")

_REQUIRED_FIELDS = DATA_FIELDS[:3]
_KNOWN_FIELDS = (*DATA_FIELDS, "standard")
_ENCLOSED = re.compile(r"<([a-z][a-z_-]*)>\s*\{([A-Za-z_]+)\}\s*</\1>")

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
_Key = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]


class JudgeProtocol(BaseModel):
    """One way to judge: the prompt, the shape of the reply and the scale.

    The built-in protocols and a user's own have the same form, a TOML file.
    The user template must hold `{question}`, `{gold}` and `{prediction}`, and may hold
    `{category}` and `{standard}`.
    Each piece of data must stand alone between an opening tag and its closing tag, as
    in `<question>{question}</question>`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: _Word
    version: _Word
    description: _Text
    system: _Text
    """The system prompt, the same for every question."""
    user: _Text
    """The template of the user prompt."""
    verdict_key: _Key
    """The key of the reply's JSON object that holds the verdict."""
    explanation_key: _Key = "explanation"
    explain_first: bool = False
    """Whether the reply schema puts the explanation before the verdict."""
    scale: Scale
    standards: dict[str, _Text] = Field(default_factory=dict)
    """What `{standard}` becomes, by category; `general` serves all the others."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        used = PLACEHOLDER.findall(self.user)
        enclosed = [field for _, field in _ENCLOSED.findall(self.user)]
        for field in dict.fromkeys((*_REQUIRED_FIELDS, *used)):
            if field not in _KNOWN_FIELDS:
                msg = (
                    f"user: unknown placeholder {{{field}}}; known are {_KNOWN_FIELDS}"
                )
                raise ValueError(msg)
            if field not in used:
                msg = f"user: the placeholder {{{field}}} is missing"
                raise ValueError(msg)
            if field in DATA_FIELDS and used.count(field) != enclosed.count(field):
                msg = (
                    f"user: {{{field}}} must stand alone between tags, "
                    f"as in <{field}>{{{field}}}</{field}>"
                )
                raise ValueError(msg)
        if "standard" in used and GENERAL not in self.standards:
            msg = f"standards: {{standard}} needs an entry {GENERAL!r}"
            raise ValueError(msg)
        if set(PLACEHOLDER.findall(self.system)) & set(_KNOWN_FIELDS):
            msg = "system: placeholders belong into the user template"
            raise ValueError(msg)
        if self.verdict_key.casefold() == self.explanation_key.casefold():
            msg = "verdict_key and explanation_key must differ"
            raise ValueError(msg)
        return self

    @property
    def sha256(self) -> str:
        """Hash of all that can change a score.

        That is everything but name, version and description; comments and layout of a
        file do not enter it either.
        """
        fields = self.model_dump(exclude={"name", "version", "description"})
        content = json.dumps(fields, sort_keys=True)
        return hashlib.sha256(content.encode("utf-8")).hexdigest()

    @property
    def signature(self) -> str:
        """Name everything in the protocol and the parser that can change a score."""
        return (
            f"protocol:{self.name}|version:{self.version}"
            f"|sha256:{self.sha256[:12]}|parser:{PARSER_REVISION}"
        )

    @property
    def reply_schema(self) -> dict[str, JsonValue]:
        """JSON schema of the reply, for endpoints with structured output.

        Bounds stand in a description, since such endpoints refuse them as keywords.
        """
        verdict: dict[str, JsonValue]
        if isinstance(self.scale, LabelScale):
            verdict = {"type": "string", "enum": [*self.scale.labels]}
        else:
            verdict = {"type": "number", "description": self.scale.describe()}
        properties: dict[str, JsonValue] = {self.verdict_key: verdict}
        explanation: dict[str, JsonValue] = {self.explanation_key: {"type": "string"}}
        properties = (
            explanation | properties if self.explain_first else properties | explanation
        )
        return {
            "type": "object",
            "properties": properties,
            "required": [*properties],
            "additionalProperties": False,
        }

    def standard(self, category: str) -> str:
        """Return the standard of a category, or the general one.

        Case, spaces and underscores do not matter.

        >>> GRADED.standard("Open_Domain") == GRADED.standard("open-domain")
        True
        >>> GRADED.standard("riddles")
        'Apply the four criteria as they stand.'
        """
        named = {_category_key(name): text for name, text in self.standards.items()}
        return named.get(_category_key(category), named.get(GENERAL, ""))


def _category_key(name: str) -> str:
    return re.sub(r"[\s_]+", "-", name.strip().casefold())


def load_protocol(path: str | Path) -> JudgeProtocol:
    """Read a judge protocol from a TOML file.

    Raises:
        ProtocolError: The file cannot be read, is no TOML, or is no usable protocol.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        msg = f"{path}: cannot read the protocol: {error.strerror}"
        raise ProtocolError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{path}: the protocol is not UTF-8 text (byte {error.start})"
        raise ProtocolError(msg) from error
    return _read(text.removeprefix("\ufeff"), source=str(path))


def _read(text: str, *, source: str) -> JudgeProtocol:
    try:
        return JudgeProtocol.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        msg = f"{source}: not valid TOML: {error}"
        raise ProtocolError(msg) from error
    except ValidationError as error:
        problems = "; ".join(
            ".".join(map(str, problem["loc"])) + ": " + problem["msg"]
            if problem["loc"]
            else problem["msg"].removeprefix("Value error, ")
            for problem in error.errors(include_input=False, include_url=False)
        )
        msg = f"{source}: {problems}"
        raise ProtocolError(msg) from error


def _built_in(name: str) -> JudgeProtocol:
    file = resources.files("llm_judge") / "protocols" / f"{name}.toml"
    return _read(file.read_text(encoding="utf-8"), source=f"built-in protocol {name}")


GRADED = _built_in("graded")
"""0 to 100 over four criteria, with a standard for each category."""

BINARY = _built_in("binary")
"""CORRECT (1) or WRONG (0), generous."""

STRICT = _built_in("strict")
"""CORRECT (1) or WRONG (0), every key fact must match."""
