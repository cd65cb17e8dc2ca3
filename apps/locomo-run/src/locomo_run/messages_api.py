"""The Messages API as a model of a run."""

from __future__ import annotations

from llm_judge.anthropic import AnthropicModel, ModelError

from locomo_run.errors import RunError


def messages_model() -> AnthropicModel:
    """Return the endpoint that the environment names.

    Raises:
        RunError: there is no key.
    """
    try:
        return AnthropicModel()
    except ModelError as error:
        raise RunError(f"the model cannot be asked: {error}") from error
    except ImportError as error:
        raise RunError(
            "models of the Messages API need the package anthropic: "
            "pip install 'locomo-run[anthropic]'"
        ) from error
