"""The seam to a model: what goes out, what comes back, and the callable between."""

from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

from llm_judge._prompt import Prompt

__all__ = ["Complete", "Completion", "JudgeSettings", "Usage"]

_FROZEN = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class JudgeSettings(BaseModel):
    """Which model judges, and how it samples.

    >>> JudgeSettings().signature
    'model:claude-sonnet-4-6|temperature:0.5|max_tokens:256'
    """

    model_config = _FROZEN

    model: str = Field(default="claude-sonnet-4-6", min_length=1)
    temperature: float | None = Field(default=0.5, ge=0)
    """None leaves it out of the request, so that the server's default holds."""
    max_tokens: int = Field(default=256, ge=1)

    @property
    def signature(self) -> str:
        """Name everything in the settings that can change a score."""
        temperature = "default" if self.temperature is None else f"{self.temperature:g}"
        return (
            f"model:{self.model}|temperature:{temperature}|max_tokens:{self.max_tokens}"
        )


class Usage(BaseModel):
    """Tokens that were billed, by kind; None where the endpoint does not say."""

    model_config = _FROZEN

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class Completion(BaseModel):
    """One reply of a model."""

    model_config = _FROZEN

    text: str
    stop_reason: str | None = None
    """Why the model stopped, in the endpoint's own word."""
    model: str | None = None
    """The model that answered, as the endpoint names it."""
    usage: Usage | None = None
    latency_ms: float | None = None
    withheld: tuple[str, ...] = ()
    """What was asked for and left out, since the endpoint refuses it.

    The words are `temperature` and `reply_schema`.
    """


class Complete(Protocol):
    """Ask a model once.

    Any async function of this shape will do.
    Retries, time limits and rate limits are its own affair.
    """

    async def __call__(self, prompt: Prompt, settings: JudgeSettings, /) -> Completion:
        """Send the prompt with these settings and return the reply.

        Raises:
            CompletionError: The call failed for good.
        """
        ...
