import copy
import pickle

import pytest
from llm_judge import CompletionError
from llm_judge.anthropic import ErrorKind, ModelError


@pytest.mark.parametrize("kind", ErrorKind)
def test_an_error_is_worth_a_retry_or_fatal_or_its_own_fault(kind: ErrorKind) -> None:
    error = ModelError(kind, "why")
    own_fault = kind in (ErrorKind.INVALID_REQUEST, ErrorKind.TOO_LARGE)

    assert isinstance(error, CompletionError)
    assert [error.retryable, error.fatal, own_fault].count(True) == 1


def test_the_endpoint_may_know_better_whether_to_retry() -> None:
    assert not ModelError(ErrorKind.RATE_LIMITED, "", retryable=False).retryable


def test_an_error_survives_a_copy_and_a_process_boundary() -> None:
    error = ModelError(
        ErrorKind.RATE_LIMITED, "why", status=429, retry_after=2.0, request_id="r"
    )
    for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):  # noqa: S301 - ours
        assert str(other) == "why"
        assert vars(other) == vars(error)
