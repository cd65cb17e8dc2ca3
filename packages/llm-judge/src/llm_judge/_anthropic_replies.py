"""What the endpoint answers, validated: odd replies are errors, never empty answers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
)

from llm_judge._anthropic_errors import Translator
from llm_judge._completion import Completion, Usage
from llm_judge._model_error import ErrorKind

__all__ = ["ModelInfo", "read_completion", "read_count", "read_model", "read_shape"]


class Shape(BaseModel):
    """A part of an answer that we rely on; what else is there is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _TextBlock(Shape):
    type: Literal["text"]
    text: str


class _OtherBlock(Shape):
    type: str


def _block_kind(value: Any) -> str:
    is_text = isinstance(value, dict) and value.get("type") == "text"
    return "text" if is_text else "other"


_Block = Annotated[
    Annotated[_TextBlock, Tag("text")] | Annotated[_OtherBlock, Tag("other")],
    Discriminator(_block_kind),
]


class _Usage(Shape):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Message(Shape):
    type: Literal["message"]
    content: list[_Block]
    stop_reason: str = Field(min_length=1)
    model: str | None = None
    usage: _Usage | None = None


class _Count(Shape):
    input_tokens: int


class _Support(Shape):
    supported: bool


class _Capabilities(Shape):
    structured_outputs: _Support | None = None


class _Model(Shape):
    id: str
    display_name: str | None = None
    lifecycle: str | None = None
    retires_at: datetime | None = Field(default=None, strict=False)
    max_input_tokens: int | None = None
    max_tokens: int | None = None
    capabilities: _Capabilities | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """What the endpoint says of a model; None where it does not say."""

    id: str
    display_name: str | None = None
    lifecycle: str | None = None
    """`active`, `deprecated` (still answers) or `retired` (does not)."""
    retires_at: datetime | None = None
    max_input_tokens: int | None = None
    max_tokens: int | None = None
    """The longest reply."""
    schema_output: bool | None = None
    """Whether it can be held to a JSON schema."""


_Shape = TypeVar("_Shape", bound=Shape)


def read_shape(shape: type[_Shape], value: object, errors: Translator) -> _Shape:
    """Read a part of an answer.

    Raises:
        ModelError: It has another shape; the message names the first difference.
    """
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, problem["loc"])) or "answer"
        raise errors.error(ErrorKind.BAD_REPLY, f"{place}: {problem['msg']}") from None


def read_completion(
    value: object,
    errors: Translator,
    *,
    withheld: tuple[str, ...] = (),
    latency_ms: float | None = None,
) -> Completion:
    """Read a message; its text is that of its text blocks.

    A message without a stop reason or a list of blocks is an error; one whose list is
    empty is a reply without text, since models send that.

    Raises:
        ModelError: It is no message.
    """
    message = read_shape(_Message, value, errors)
    usage = message.usage
    return Completion(
        text="".join(
            block.text for block in message.content if isinstance(block, _TextBlock)
        ),
        stop_reason=message.stop_reason,
        model=message.model,
        usage=None if usage is None else Usage(**usage.model_dump()),
        latency_ms=latency_ms,
        withheld=withheld,
    )


def read_count(value: object, errors: Translator) -> int:
    """Read the answer of the token counter."""
    return read_shape(_Count, value, errors).input_tokens


def read_model(value: dict[str, Any], errors: Translator) -> ModelInfo:
    """Read the description of a model."""
    model = read_shape(_Model, value, errors)
    known = model.capabilities
    outputs = None if known is None else known.structured_outputs
    return ModelInfo(
        **model.model_dump(exclude={"capabilities"}),
        schema_output=None if outputs is None else outputs.supported,
    )
