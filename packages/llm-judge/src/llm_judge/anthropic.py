"""Models behind the Messages API: calls, token counts, look-ups and batches.

`AnthropicModel` is a `llm_judge.Complete`.
It needs `pip install 'llm-judge[anthropic]'` and works with both majors of the SDK.
Importing this module does not import the SDK, which takes seconds; the first call does.
What goes wrong is a `ModelError` with a `kind` to act on, whatever the SDK raised.
`Retrying` repeats failed calls for callers that have no retry loop of their own.
`llm_judge.testing.FakeMessagesAPI` is an endpoint for tests.
"""

from llm_judge._anthropic_batches import (
    BatchCounts,
    BatchInfo,
    BatchOutcome,
    BatchRequest,
    BatchResult,
    BatchStatus,
)
from llm_judge._anthropic_model import AnthropicModel
from llm_judge._anthropic_replies import ModelInfo
from llm_judge._model_error import ErrorKind, ModelError
from llm_judge._retrying import Retrying

__all__ = [
    "AnthropicModel",
    "BatchCounts",
    "BatchInfo",
    "BatchOutcome",
    "BatchRequest",
    "BatchResult",
    "BatchStatus",
    "ErrorKind",
    "ModelError",
    "ModelInfo",
    "Retrying",
]
