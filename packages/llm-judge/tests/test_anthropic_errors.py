from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_judge._anthropic_errors import Translator, parse_retry_after
from llm_judge.anthropic import ErrorKind, ModelError

# Thu, 01 Jan 1970 00:16:40 GMT
NOW = 1000.0

STATUSES = {
    302: ErrorKind.BAD_REPLY,
    400: ErrorKind.INVALID_REQUEST,
    401: ErrorKind.AUTHENTICATION,
    402: ErrorKind.CREDIT,
    403: ErrorKind.PERMISSION,
    404: ErrorKind.NOT_FOUND,
    408: ErrorKind.TIMEOUT,
    409: ErrorKind.SERVER,
    412: ErrorKind.INVALID_REQUEST,
    413: ErrorKind.TOO_LARGE,
    422: ErrorKind.INVALID_REQUEST,
    429: ErrorKind.RATE_LIMITED,
    431: ErrorKind.INVALID_REQUEST,
    499: ErrorKind.INVALID_REQUEST,
    500: ErrorKind.SERVER,
    501: ErrorKind.SERVER,
    503: ErrorKind.SERVER,
    504: ErrorKind.TIMEOUT,
    529: ErrorKind.OVERLOADED,
}


def reported(kind: str, message: str, status: int | None = None) -> ModelError:
    body = {"type": "error", "error": {"type": kind, "message": message}}
    return Translator().reported(body, status=status)


@pytest.mark.parametrize(("status", "kind"), STATUSES.items())
def test_a_status_alone_has_a_kind(status: int, kind: ErrorKind) -> None:
    assert Translator().reported("<html>", status=status).kind is kind


@pytest.mark.parametrize(
    ("word", "status", "kind"),
    [
        ("overloaded_error", 500, ErrorKind.OVERLOADED),
        ("rate_limit_error", 403, ErrorKind.RATE_LIMITED),
        ("billing_error", 400, ErrorKind.CREDIT),
        ("invalid_request_error", 401, ErrorKind.AUTHENTICATION),
        ("api_error", 404, ErrorKind.NOT_FOUND),
        ("invalid_request_error", None, ErrorKind.INVALID_REQUEST),
        ("api_error", None, ErrorKind.SERVER),
        ("timeout_error", None, ErrorKind.TIMEOUT),
        ("something_new", None, ErrorKind.SERVER),
    ],
)
def test_an_exact_word_goes_before_the_status(
    word: str, status: int | None, kind: ErrorKind
) -> None:
    assert reported(word, "", status).kind is kind


@pytest.mark.parametrize(
    "message",
    [
        "Your credit balance is too low to access the API.",
        "You have reached your specified API usage limits.",
    ],
)
def test_used_up_credit_is_fatal_though_its_status_is_400(message: str) -> None:
    error = reported("invalid_request_error", message, 400)

    assert error.kind is ErrorKind.CREDIT
    assert error.fatal


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"type": "api_error", "message": "why"}}, ": why"),
        ({"error": {"type": "api_error"}}, ": api_error"),
        ({"error": "a sentence"}, ": a sentence"),
        ({"detail": "unread"}, "(status 500)"),
        ("<html>Bad gateway</html>", ": <html>Bad gateway</html>"),
        (None, "(status 500)"),
        ({"error": {"message": 5, "type": []}}, "(status 500)"),
    ],
)
def test_whatever_the_body_is_there_is_a_message(body: object, said: str) -> None:
    error = Translator().reported(body, status=500)

    assert str(error).startswith("the endpoint failed (status 500)")
    assert str(error).endswith(said)


def test_the_request_id_is_kept_from_the_header_or_the_body() -> None:
    translator = Translator()
    body = translator.reported({"request_id": "req_1"}, status=500)
    header = translator.reported("", status=500, headers={"request-id": "req_2"})

    assert (body.request_id, header.request_id) == ("req_1", "req_2")
    assert "request req_2" in str(header)


@pytest.mark.parametrize(
    ("advice", "retryable"), [("true", True), ("false", False), ("maybe", True)]
)
def test_the_endpoint_can_say_whether_to_retry(advice: str, retryable: bool) -> None:
    headers = {"x-should-retry": advice}
    assert Translator().reported("", status=429, headers=headers).retryable is retryable


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:17:00 GMT"}, 20.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:17:00 -0000"}, 20.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "later"}, None),
        ({}, None),
    ],
)
def test_a_pause_is_read_from_either_header(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert parse_retry_after(headers, NOW) == seconds


@given(st.text(max_size=1000))
def test_a_message_is_short_and_one_printable_line(text: str) -> None:
    shown = str(Translator().error(ErrorKind.SERVER, text))

    assert shown.isprintable()
    assert len(shown) <= 330


@pytest.mark.parametrize(
    "said",
    ["gateway-secret-1", "sk-ant-api03-abc_DEF", "Bearer abc.def", "bearer  abc"],
)
def test_a_secret_is_blotted_out(said: str) -> None:
    error = Translator("gateway-secret-1").error(ErrorKind.SERVER, f"got {said} in")

    assert str(error) == "the endpoint failed: got [secret] in"


def test_a_secret_is_not_half_shown_by_the_cut() -> None:
    said = "x" * 290 + "gateway-secret-1"

    assert "gateway" not in str(
        Translator("gateway-secret-1").error(ErrorKind.SERVER, said)
    )


def test_every_exception_of_the_sdk_has_a_kind(sdk: Any) -> None:
    classes = {
        value
        for value in vars(sdk).values()
        if isinstance(value, type) and issubclass(value, sdk.AnthropicError)
    }
    assert len(classes) > 15
    translator = Translator()
    for cls in classes:
        translated = translator.upstream(_instance(sdk, cls), NOW)
        assert translated is not None
        assert translated.kind is _expected(sdk, cls), cls


def _instance(sdk: Any, cls: Any) -> Exception:
    import httpx2  # the SDK brings it

    request = httpx2.Request("POST", "http://localhost")
    if issubclass(cls, sdk.APIStatusError):
        status = getattr(cls, "status_code", 500)
        response = httpx2.Response(status, request=request)
        error = cls("what happened", response=response, body=None)
    elif issubclass(cls, sdk.APIResponseValidationError):
        error = cls(httpx2.Response(200, request=request), None)
    elif issubclass(cls, sdk.APIConnectionError):
        error = cls(request=request)
    elif issubclass(cls, sdk.APIError):
        error = cls("what happened", request, body=None)
    else:
        error = cls("what happened")
    assert isinstance(error, Exception)
    return error


def _expected(sdk: Any, cls: type[Exception]) -> ErrorKind:
    if issubclass(cls, sdk.APIStatusError):
        return STATUSES[getattr(cls, "status_code", 500)]
    if issubclass(cls, sdk.APIResponseValidationError):
        return ErrorKind.BAD_REPLY
    if issubclass(cls, sdk.APITimeoutError):
        return ErrorKind.TIMEOUT
    if issubclass(cls, sdk.APIConnectionError):
        return ErrorKind.CONNECTION
    return ErrorKind.INVALID_REQUEST


def test_every_exception_of_the_transport_has_a_kind(sdk: object) -> None:
    import httpx2  # the SDK brings it

    translator = Translator()
    kinds = {
        error: translator.upstream(error("gone"), NOW)
        for error in (httpx2.ReadError, httpx2.RemoteProtocolError, httpx2.ReadTimeout)
    }
    assert {cls.__name__: error and error.kind for cls, error in kinds.items()} == {
        "ReadError": ErrorKind.CONNECTION,
        "RemoteProtocolError": ErrorKind.CONNECTION,
        "ReadTimeout": ErrorKind.TIMEOUT,
    }


def test_a_foreign_exception_is_left_alone(sdk: object) -> None:
    assert Translator().upstream(KeyError("x"), NOW) is None
