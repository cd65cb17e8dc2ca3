import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from typing import Any

import pytest
from llm_judge import BINARY, GRADED, STRICT, JudgeProtocol, build_judge_prompt
from llm_judge.testing import (
    FakeMessagesAPI,
    FakeReply,
    FakeRequest,
    Fault,
    FaultPlan,
    Latency,
    default_reply,
)

HEADERS = {"x-api-key": "key", "anthropic-version": "2023-06-01"}
BODY: dict[str, Any] = {
    "model": "claude-sonnet-4-6",
    "max_tokens": 256,
    "messages": [{"role": "user", "content": "hello"}],
}


def call(
    api: FakeMessagesAPI,
    method: str,
    path: str,
    body: object = None,
    headers: dict[str, str] = HEADERS,
) -> tuple[int, Any]:
    with closing(connect(api)) as connection:
        connection.request(method, path, json.dumps(body), headers)
        reply = connection.getresponse()
        value = json.loads(reply.read())
    return reply.status, value if reply.status == 200 else value["error"]


def connect(api: FakeMessagesAPI, timeout: float = 5.0) -> HTTPConnection:
    return HTTPConnection(api.base_url.removeprefix("http://"), timeout=timeout)


def send(api: FakeMessagesAPI, **changes: object) -> tuple[int, Any]:
    return call(api, "POST", "/v1/messages", BODY | changes)


def test_a_message_has_the_shape_of_the_real_one() -> None:
    with FakeMessagesAPI(lambda _: "hi there") as api:
        status, body = send(api, system="be brief")

    assert status == 200
    assert body.pop("id").startswith("msg_")
    assert body == {
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-6",
        "content": [{"type": "text", "text": "hi there"}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 4,
            "output_tokens": 2,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    }


def test_a_reply_that_exceeds_max_tokens_is_cut() -> None:
    with FakeMessagesAPI(lambda _: "x" * 50) as api:
        _, body = send(api, max_tokens=10)

    assert body["content"][0]["text"] == "x" * 40
    assert body["stop_reason"] == "max_tokens"
    assert body["usage"]["output_tokens"] == 10


def test_a_reply_can_say_its_tokens_or_be_anything() -> None:
    replies = [FakeReply(text="a", input_tokens=5, output_tokens=9), FakeReply(raw={})]
    with FakeMessagesAPI(lambda request: replies[request.repeat]) as api:
        first, second = send(api)[1], send(api)[1]

    assert first["usage"]["input_tokens"] == 5
    assert first["usage"]["output_tokens"] == 9
    assert second == {}
    assert (api.counts.input_tokens, api.counts.output_tokens) == (5, 9)
    assert api.counts.bought == 2


def test_a_reply_function_that_fails_is_a_server_error_that_says_so() -> None:
    def broken(request: FakeRequest) -> str:
        raise KeyError(request.user)

    with FakeMessagesAPI(broken) as api:
        status, error = send(api)

    assert status == 500
    assert error["message"] == "the reply function raised KeyError: 'hello'"


def test_a_request_reads_texts_and_blocks() -> None:
    blocks = [{"type": "text", "text": "one"}, {"type": "image"}]
    request = FakeRequest({**BODY, "system": blocks, "messages": [{"content": blocks}]})

    assert (request.system, request.user) == ("one\n", "one\n")
    assert FakeRequest({**BODY, "messages": [{"content": None}]}).user == ""


@pytest.mark.parametrize(
    ("protocol", "prediction", "reply"),
    [
        (GRADED, "a cat", {"explanation": "Most of the words agree.", "score": 100}),
        (GRADED, "a dog", {"explanation": "Half of the words agree.", "score": 50}),
        (GRADED, "", {"explanation": "Few of the words agree.", "score": 0}),
        (
            BINARY,
            "a Cat!",
            {"explanation": "Most of the words agree.", "label": "CORRECT"},
        ),
        (STRICT, "dog", {"explanation": "Few of the words agree.", "label": "WRONG"}),
    ],
)
def test_a_judge_prompt_gets_a_verdict(
    protocol: JudgeProtocol, prediction: str, reply: dict[str, object]
) -> None:
    prompt = build_judge_prompt("Which?", "a cat", prediction, protocol=protocol)
    body = {"system": prompt.system, "messages": [{"content": prompt.user}]}

    assert json.loads(default_reply(FakeRequest(body))) == reply


def test_two_empty_answers_agree() -> None:
    prompt = build_judge_prompt("Which?", "", "")
    body = {"system": prompt.system, "messages": [{"content": prompt.user}]}

    assert json.loads(default_reply(FakeRequest(body)))["score"] == 100


def test_any_other_prompt_gets_a_text_of_its_own() -> None:
    first, again = default_reply(FakeRequest(BODY)), default_reply(FakeRequest(BODY, 1))
    other = default_reply(FakeRequest(BODY | {"max_tokens": 1}))

    assert first == again != other
    assert first.startswith("fake reply ")


@pytest.mark.parametrize(
    ("changes", "status", "said"),
    [
        ({"model": "no-such"}, 404, "model: no-such"),
        ({"model": None}, 404, "model: None"),
        ({"max_tokens": 0}, 400, "max_tokens"),
        ({"max_tokens": None}, 400, "max_tokens"),
        ({"messages": []}, 400, "messages"),
        ({"temperature": 1.5}, 400, "temperature"),
        ({"stream": True}, 400, "stream"),
    ],
)
def test_parameters_are_checked(
    changes: dict[str, object], status: int, said: str
) -> None:
    with FakeMessagesAPI() as api:
        answered, error = send(api, **changes)

    assert (answered, api.counts.bought) == (status, 0)
    assert said in error["message"]


def test_a_later_version_of_the_api_takes_no_temperature() -> None:
    headers = HEADERS | {"anthropic-version": "2026-10-21"}
    with FakeMessagesAPI() as api:
        body = BODY | {"temperature": 1.0}
        status, error = call(api, "POST", "/v1/messages", body, headers)

    assert status == 400
    assert "temperature" in error["message"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"x-api-key": "other"}, 401),
        ({"authorization": "Bearer other"}, 401),
        ({"x-api-key": "key"}, 400),
        ({"authorization": "Bearer key", "anthropic-version": "2023-06-01"}, 200),
        (HEADERS, 200),
    ],
)
def test_keys_and_the_version_are_checked(headers: dict[str, str], status: int) -> None:
    with FakeMessagesAPI(api_key="key") as api:
        assert call(api, "POST", "/v1/messages", BODY, headers)[0] == status


@pytest.mark.parametrize("body", [[], "text"])
def test_a_body_that_is_no_object_is_refused(body: object) -> None:
    with FakeMessagesAPI() as api:
        status, error = call(api, "POST", "/v1/messages", body)

    assert (status, error["message"]) == (400, "the body must be a JSON object")


def test_a_body_that_is_no_json_is_refused() -> None:
    with FakeMessagesAPI() as api, closing(connect(api)) as connection:
        connection.request("POST", "/v1/messages", b"{", HEADERS)
        assert connection.getresponse().status == 400


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/v1/messages"),
        ("DELETE", "/v1/messages/batches/x"),
    ],
)
def test_an_unknown_address_is_not_found(method: str, path: str) -> None:
    with FakeMessagesAPI() as api:
        assert call(api, method, path)[0] == 404


@pytest.mark.parametrize(
    "requests",
    [
        None,
        [],
        [{"custom_id": "a", "params": {}}] * 2,
        [{"custom_id": "x" * 65, "params": {}}],
        [{"custom_id": "a"}],
        [{"params": {}}],
    ],
)
def test_a_batch_is_checked(requests: object) -> None:
    with FakeMessagesAPI() as api:
        path = "/v1/messages/batches"
        assert call(api, "POST", path, {"requests": requests})[0] == 400


def test_results_wait_for_the_end_and_lie_where_the_batch_says() -> None:
    row = {"custom_id": "a", "params": BODY}
    with FakeMessagesAPI() as api:
        _, made = call(api, "POST", "/v1/messages/batches", {"requests": [row]})
        path = f"/v1/messages/batches/{made['id']}"
        assert made["results_url"] is None
        assert call(api, "GET", f"{path}/results")[0] == 404
        ended = call(api, "GET", path)[1]
        assert ended["results_url"] == f"{api.base_url}{path}/results"
        assert call(api, "GET", f"{path}/results")[1]["custom_id"] == "a"
        assert call(api, "GET", path)[1] == ended


def test_a_script_of_faults_is_served_and_counted() -> None:
    script = [Fault.SERVER_ERROR, Fault.REFUSED, Fault.TRUNCATED, Fault.DROPPED, None]
    with FakeMessagesAPI(lambda _: "eight it", faults=FaultPlan(script=script)) as api:
        assert send(api)[0] == 500
        assert send(api)[1]["stop_reason"] == "refusal"
        assert send(api)[1]["content"] == [{"type": "text", "text": "eigh"}]
        with pytest.raises((HTTPException, OSError)):
            send(api)
        assert send(api)[0] == 200

    counts = api.counts
    assert (counts.received, counts.completed, counts.bought) == (5, 4, 3)
    assert counts.by_status == {500: 1, 200: 3}
    assert counts.by_fault == dict.fromkeys(script[:-1], 1)
    assert counts.by_path == {"POST /v1/messages": 5}


def test_a_reply_that_is_cut_short_was_bought_all_the_same() -> None:
    plan = FaultPlan(script=[Fault.CUT_SHORT])
    with FakeMessagesAPI(faults=plan) as api, pytest.raises(HTTPException):
        send(api)

    assert (api.counts.completed, api.counts.bought) == (0, 1)


def test_faults_by_rate_spare_a_body_that_has_met_enough() -> None:
    plan = FaultPlan(rates={Fault.OVERLOADED: 1.0}, per_body=2)
    with FakeMessagesAPI(faults=plan) as api:
        statuses = [send(api)[0] for _ in range(4)]
        other = send(api, max_tokens=9)[0]

    assert statuses == [529, 529, 200, 200]
    assert other == 529


def test_only_the_latest_bodies_are_kept() -> None:
    with FakeMessagesAPI(keep_bodies=2) as api:
        for tokens in (1, 2, 3):
            send(api, max_tokens=tokens)

    assert [body["max_tokens"] for body in api.bodies] == [2, 3]


def test_calls_at_once_are_served_at_once() -> None:
    everyone = threading.Barrier(4, timeout=5)

    def send_together(_: int) -> int:
        everyone.wait()
        return send(api)[0]

    slow = Latency(median=0.2)
    with FakeMessagesAPI(latency=slow) as api, ThreadPoolExecutor(4) as threads:
        assert [*threads.map(send_together, range(4))] == [200] * 4

    assert api.counts.peak_in_flight > 1


def test_a_connection_is_kept_alive() -> None:
    with FakeMessagesAPI() as api, closing(connect(api)) as connection:
        ports = set()
        for _ in range(3):
            connection.request("POST", "/v1/messages", json.dumps(BODY), HEADERS)
            connection.getresponse().read()
            ports.add(connection.sock.getsockname()[1])

    assert len(ports) == 1


def test_the_end_does_not_wait_for_a_call_that_hangs() -> None:
    plan = FaultPlan(script=[Fault.HANG])
    with FakeMessagesAPI(faults=plan) as api, closing(connect(api, 0.1)) as connection:
        connection.request("POST", "/v1/messages", json.dumps(BODY), HEADERS)
        with pytest.raises(TimeoutError):
            connection.getresponse()

    assert api.counts.by_fault == {Fault.HANG: 1}


def test_a_status_without_a_name_is_served() -> None:
    plan = FaultPlan(script=[Fault.OVERLOADED])
    with FakeMessagesAPI(faults=plan) as api, closing(connect(api)) as connection:
        connection.request("POST", "/v1/messages", json.dumps(BODY), HEADERS)
        reply = connection.getresponse()

    assert (reply.status, reply.reason) == (529, "Unnamed")


def test_the_sdk_itself_is_served(sdk: Any) -> None:
    row = {"custom_id": "a", "params": BODY}
    with (
        FakeMessagesAPI(lambda _: "hi") as api,
        sdk.Anthropic(api_key="key", base_url=api.base_url, max_retries=0) as client,
    ):
        message = client.messages.create(**BODY)
        asked = {"model": BODY["model"], "messages": BODY["messages"]}
        tokens = client.messages.count_tokens(**asked)
        models = [model.id for model in client.models.list()]
        model = client.models.retrieve("claude-opus-4-6")
        batches = client.messages.batches
        made = batches.create(requests=[row])
        ended = batches.retrieve(made.id)
        listed = [batch.id for batch in batches.list()]
        (result,) = batches.results(made.id)
        with pytest.raises(sdk.BadRequestError, match="has ended"):
            batches.cancel(made.id)

    assert message.content[0].text == result.result.message.content[0].text == "hi"
    assert (message.usage.input_tokens, tokens.input_tokens) == (2, 2)
    assert models == ["claude-opus-4-6", "claude-sonnet-4-6", "claude-haiku-4-5"]
    assert model.lifecycle == "active"
    assert (ended.processing_status, listed) == ("ended", [made.id])
