"""A failed model call, in terms that a caller can act on."""

from enum import StrEnum
from typing import Any

from llm_judge._errors import CompletionError

__all__ = ["ErrorKind", "ModelError"]


class ErrorKind(StrEnum):
    """What went wrong with a model call."""

    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    SERVER = "server"
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    BAD_REPLY = "bad_reply"
    """The endpoint reported success and sent something that is no reply."""
    AUTHENTICATION = "authentication"
    PERMISSION = "permission"
    NOT_FOUND = "not_found"
    """Of a model call: there is no such model, or no Messages API at this address."""
    CREDIT = "credit"
    """The money or the allowance of the account is used up."""
    INVALID_REQUEST = "invalid_request"
    TOO_LARGE = "too_large"


_RETRYABLE = frozenset(
    {
        ErrorKind.RATE_LIMITED,
        ErrorKind.OVERLOADED,
        ErrorKind.SERVER,
        ErrorKind.CONNECTION,
        ErrorKind.TIMEOUT,
        ErrorKind.BAD_REPLY,
    }
)
_FATAL = frozenset(
    {
        ErrorKind.AUTHENTICATION,
        ErrorKind.PERMISSION,
        ErrorKind.NOT_FOUND,
        ErrorKind.CREDIT,
    }
)


class ModelError(CompletionError):
    """A model call failed; `kind` says how, the message says what to do.

    >>> error = ModelError(ErrorKind.RATE_LIMITED, "too many requests", retry_after=3)
    >>> error.retryable, error.fatal, error.retry_after
    (True, False, 3)
    """

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        request_id: str | None = None,
        retryable: bool | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status
        """The HTTP status, None where no answer came or it came in a batch."""
        self.retry_after = retry_after
        """Seconds that the endpoint asks to wait."""
        self.request_id = request_id
        self.retryable = kind in _RETRYABLE if retryable is None else retryable
        """Whether the same request may succeed later."""

    def __reduce__(self) -> tuple[Any, ...]:
        # by default a copy calls the class with the message alone, which fails
        return ModelError, (self.kind, str(self)), self.__dict__

    @property
    def fatal(self) -> bool:
        """Whether every other call will fail in the same way, so that one can stop."""
        return self.kind in _FATAL
