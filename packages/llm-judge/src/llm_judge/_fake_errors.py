"""The errors of a fake endpoint, in the shape of the real one."""

from typing import Any

__all__ = ["FakeError"]

_TYPES = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


class FakeError(Exception):
    """An error status and what the endpoint says about it."""

    def __init__(
        self, status: int, message: str, *, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after

    def to_body(self) -> dict[str, Any]:
        """Return the error body."""
        return {
            "type": "error",
            "error": {
                "type": _TYPES.get(self.status, "invalid_request_error"),
                "message": str(self),
            },
            "request_id": "req_fake",
        }
