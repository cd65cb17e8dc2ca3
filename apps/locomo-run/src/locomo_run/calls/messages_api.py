"""The Messages API as a model of a run."""

from __future__ import annotations

from llm_judge.anthropic import AnthropicModel, ModelError

from locomo_run.errors import RunError, UsageError

SCHEMA_OUTPUT = False
"""Whether the schema of a judge's reply is sent along; every protocol also says in
words what it wants, and only some models take a schema."""


def messages_model(timeout: float) -> AnthropicModel:
    """Return the endpoint that the environment names.

    Args:
        timeout: Seconds that a call may take.

    Raises:
        RunError: there is no key, or the package anthropic is missing.
        UsageError: the address is none.
    """
    try:
        return AnthropicModel(timeout=timeout, schema_output=SCHEMA_OUTPUT)
    except ModelError as error:
        raise RunError(f"the model cannot be asked: {error}") from error
    except ValueError as error:
        raise UsageError(f"ANTHROPIC_BASE_URL cannot be used: {error}") from error
    except ImportError as error:
        raise RunError(
            "models of the Messages API need the package anthropic: "
            "pip install 'locomo-run[anthropic]'"
        ) from error
