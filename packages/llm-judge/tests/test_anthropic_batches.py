import json
from collections.abc import Callable
from typing import Any

import pytest
from llm_judge import JudgeSettings, Prompt
from llm_judge import _anthropic_batches as batches
from llm_judge._fake_http import HttpReply
from llm_judge.anthropic import (
    AnthropicModel,
    BatchCounts,
    BatchInfo,
    BatchOutcome,
    BatchRequest,
    BatchResult,
    BatchStatus,
    ErrorKind,
    ModelError,
)
from llm_judge.testing import FakeMessagesAPI, FakeModel

PROMPT, SETTINGS = Prompt("system", "user"), JudgeSettings()
REQUESTS = [BatchRequest(name, Prompt("system", name)) for name in ("a", "b", "c")]

Use = Callable[..., Any]
Serve = Callable[..., Any]


async def results(
    model: AnthropicModel, batch_id: str, **options: Any
) -> dict[str, BatchResult]:
    return {row.custom_id: row async for row in model.results(batch_id, **options)}


def test_a_batch_is_sent_watched_and_read(use: Use) -> None:
    async def job(model: AnthropicModel) -> list[Any]:
        created = await model.create_batch(REQUESTS, SETTINGS)
        watched = [await model.batch(created.id) for _ in range(3)]
        return [created, watched, await results(model, created.id)]

    with FakeMessagesAPI(lambda request: request.user, batch_polls=2) as api:
        created, watched, rows = use(api.base_url, job)

    assert created.status is BatchStatus.IN_PROGRESS
    assert created.counts == BatchCounts(
        processing=3, succeeded=0, errored=0, canceled=0, expired=0
    )
    assert (created.expires_at - created.created_at).total_seconds() == 86_400
    assert [info.status.value for info in watched] == ["in_progress"] * 2 + ["ended"]
    assert watched[-1].counts.succeeded == 3
    assert watched[-1].ended_at is not None
    assert {name: row.completion.text for name, row in rows.items()} == {
        "a": "a",
        "b": "b",
        "c": "c",
    }
    assert api.counts.bought == 3


def test_requests_carry_the_settings(use: Use, endpoint: Serve) -> None:
    server = endpoint(HttpReply(status=200, body=json.dumps(batch()).encode()))
    use(server.base_url, lambda model: model.create_batch(REQUESTS[:1], SETTINGS))

    (request,) = server.requests
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert json.loads(request.body) == {
        "requests": [
            {
                "custom_id": "a",
                "params": {
                    "model": "claude-sonnet-4-6",
                    "max_tokens": 256,
                    "messages": [{"role": "user", "content": "a"}],
                    "system": "system",
                    "temperature": 0.5,
                },
            }
        ]
    }


def test_a_batch_leaves_out_what_a_call_saw_refused(use: Use) -> None:
    settings = JudgeSettings(model="new")

    async def job(model: AnthropicModel) -> tuple[BatchInfo, dict[str, BatchResult]]:
        await model(PROMPT, settings)
        info = await model.create_batch(REQUESTS, settings)
        await model.batch(info.id)
        return info, await results(model, info.id, withheld=info.withheld)

    with FakeMessagesAPI(models=[FakeModel(id="new", takes_temperature=False)]) as api:
        info, rows = use(api.base_url, job)

    assert info.withheld == ("temperature",)
    assert {row.completion.withheld for row in rows.values()} == {("temperature",)}


def test_without_such_a_call_the_rows_are_errors(use: Use) -> None:
    async def job(model: AnthropicModel) -> dict[str, BatchResult]:
        info = await model.create_batch(REQUESTS, JudgeSettings(model="new"))
        await model.batch(info.id)
        return await results(model, info.id)

    with FakeMessagesAPI(models=[FakeModel(id="new", takes_temperature=False)]) as api:
        rows = use(api.base_url, job)

    errors = [row.error for row in rows.values()]
    assert {error.kind for error in errors} == {ErrorKind.INVALID_REQUEST}
    assert "temperature" in str(errors[0])
    assert api.counts.bought == 0


def test_every_outcome_is_a_value_of_its_own(use: Use) -> None:
    outcomes = {"a": "errored", "b": "canceled", "c": "expired", "d": "succeeded"}

    async def job(model: AnthropicModel) -> tuple[BatchInfo, dict[str, BatchResult]]:
        requests = [BatchRequest(name, PROMPT) for name in outcomes]
        info = await model.create_batch(requests, SETTINGS)
        info = await model.batch(info.id)
        return info, await results(model, info.id)

    with FakeMessagesAPI(batch_outcome=outcomes.__getitem__) as api:
        info, rows = use(api.base_url, job)

    assert {name: row.outcome.value for name, row in rows.items()} == outcomes
    assert info.counts == BatchCounts(
        processing=0, succeeded=1, errored=1, canceled=1, expired=1
    )
    assert rows["a"].error is not None
    assert rows["a"].error.kind is ErrorKind.SERVER
    assert [row.completion is None for row in rows.values()].count(True) == 3


def test_a_batch_can_be_held_canceled_and_ended(use: Use) -> None:
    async def job(model: AnthropicModel) -> list[Any]:
        held = await model.create_batch(REQUESTS, SETTINGS)
        canceled = await model.create_batch(REQUESTS, SETTINGS)
        before = await model.batch(held.id)
        with pytest.raises(
            ModelError, match="has not ended, it is in_progress"
        ) as early:
            await results(model, held.id)
        api.end_batch(held.id)
        after = await model.batch(held.id)
        canceling = await model.cancel(canceled.id)
        await model.batch(canceled.id)
        rows = await results(model, canceled.id)
        with pytest.raises(ModelError, match="has ended") as late:
            await model.cancel(canceled.id)
        assert early.value.kind is late.value.kind is ErrorKind.INVALID_REQUEST
        return [before, after, canceling, rows]

    with FakeMessagesAPI(batch_polls=None) as api:
        before, after, canceling, rows = use(api.base_url, job)

    assert (before.status, after.status) == (BatchStatus.IN_PROGRESS, BatchStatus.ENDED)
    assert canceling.status is BatchStatus.CANCELING
    assert {row.outcome for row in rows.values()} == {BatchOutcome.CANCELED}
    assert api.counts.bought == 3


def test_all_pages_of_batches_are_listed_newest_first(use: Use) -> None:
    async def job(model: AnthropicModel) -> list[BatchInfo]:
        for _ in range(101):
            await model.create_batch(REQUESTS[:1], SETTINGS)
        listed: list[BatchInfo] = await model.list_batches()
        return listed

    with FakeMessagesAPI() as api:
        listed = use(api.base_url, job)

    names = [info.id for info in listed]
    assert len(set(names)) == len(names) == 101
    assert names == sorted(names, reverse=True)
    assert api.counts.by_path["GET /v1/messages/batches"] == 2


def test_no_batches_are_an_empty_list(use: Use) -> None:
    with FakeMessagesAPI() as api:
        assert use(api.base_url, lambda model: model.list_batches()) == []


def test_a_list_that_repeats_itself_ends(use: Use, endpoint: Serve) -> None:
    page = {"data": [batch()], "has_more": True, "last_id": "b"}
    server = endpoint(HttpReply(status=200, body=json.dumps(page).encode()))

    assert len(use(server.base_url, lambda model: model.list_batches())) == 2


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "holds 1 to 100,000 requests, not 0"),
        (["a", "b", "a"], "request 2: custom_id 'a' is used twice"),
        ([""], "request 0: custom_id must be"),
        (["x" * 65], "request 0: custom_id must be"),
        (["conv-26:1"], "letters, digits, _ or -, not 'conv-26:1'"),
        (["a\n"], "request 0: custom_id must be"),
        (["ä"], "request 0: custom_id must be"),
    ],
)
def test_bad_names_are_found_before_any_request(
    use: Use, names: list[str], message: str
) -> None:
    requests = [BatchRequest(name, PROMPT) for name in names]
    with FakeMessagesAPI() as api, pytest.raises(ValueError, match=message):
        use(api.base_url, lambda model: model.create_batch(requests, SETTINGS))

    assert api.counts.received == 0


def test_too_much_is_found_before_any_request(
    use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    def create(api: FakeMessagesAPI) -> None:
        use(api.base_url, lambda model: model.create_batch(REQUESTS, SETTINGS))

    with FakeMessagesAPI() as api:
        monkeypatch.setattr(batches, "MAX_BYTES", 300)
        with pytest.raises(ValueError, match="more than the 300 that the endpoint"):
            create(api)
        monkeypatch.setattr(batches, "MAX_REQUESTS", 2)
        with pytest.raises(ValueError, match="1 to 2 requests, not 3"):
            create(api)

    assert api.counts.received == 0


def test_an_id_that_could_lead_elsewhere_is_refused(use: Use) -> None:
    for bad in ("", "../models", "a/b", "a?b"):
        with FakeMessagesAPI() as api, pytest.raises(ValueError, match="not the id"):
            use(api.base_url, lambda model, bad=bad: model.batch(bad))


def test_an_unknown_batch_is_not_found(use: Use) -> None:
    with FakeMessagesAPI() as api, pytest.raises(ModelError) as caught:
        use(api.base_url, lambda model: model.cancel("msgbatch_none"))

    assert caught.value.kind is ErrorKind.NOT_FOUND


def batch(status: str = "ended") -> dict[str, object]:
    return {
        "id": "b",
        "processing_status": status,
        "request_counts": dict.fromkeys(BatchOutcome, 0) | {"processing": 0},
        "created_at": "2026-11-30T00:00:00Z",
        "expires_at": "2026-12-01T00:00:00Z",
    }


def read(use: Use, endpoint: Serve, body: bytes, *, cut: bool = False) -> Any:
    info = HttpReply(status=200, body=json.dumps(batch()).encode())
    server = endpoint(info, HttpReply(status=200, body=body, cut=cut))
    return use(server.base_url, lambda model: results(model, "b"))


def test_rows_are_split_at_newlines_only(use: Use, endpoint: Serve) -> None:
    text = "one\u2028two\x85three"
    message = {
        "type": "message",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
    }
    row = {"custom_id": "a", "result": {"type": "succeeded", "message": message}}
    line = json.dumps(row, ensure_ascii=False).encode()
    other = line.replace(b'"a"', b'"b"')

    for body in (line + b"\n\n" + other, line + b"\r\n" + other + b"\n"):
        rows = read(use, endpoint, body)
        assert {name: row.completion.text for name, row in rows.items()} == {
            "a": text,
            "b": text,
        }


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"type": "succeeded", "message": {"type": "message"}}, "content: "),
        ({"type": "succeeded"}, "not a reply"),
        ({"type": "postponed"}, "unknown result 'postponed'"),
        ({}, "type: Field required"),
    ],
)
def test_a_row_that_makes_no_sense_costs_one_request(
    use: Use, endpoint: Serve, result: dict[str, object], said: str
) -> None:
    good = {"custom_id": "b", "result": {"type": "expired"}}
    odd = {"custom_id": "a", "result": result}
    rows = read(use, endpoint, "\n".join(map(json.dumps, (odd, good))).encode())

    assert rows["a"].outcome is BatchOutcome.ERRORED
    assert rows["a"].error.kind is ErrorKind.BAD_REPLY
    assert said in str(rows["a"].error)
    assert rows["b"] == BatchResult(custom_id="b", outcome=BatchOutcome.EXPIRED)


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"custom_id": "a"}'])
def test_results_that_are_none_are_an_error(
    use: Use, endpoint: Serve, body: bytes
) -> None:
    with pytest.raises(ModelError) as caught:
        read(use, endpoint, body)

    assert caught.value.kind is ErrorKind.BAD_REPLY


def test_results_that_break_off_are_an_error(use: Use, endpoint: Serve) -> None:
    line = json.dumps({"custom_id": "a", "result": {"type": "expired"}}) + "\n"

    with pytest.raises(ModelError) as caught:
        read(use, endpoint, line.encode() * 9, cut=True)

    assert caught.value.kind is ErrorKind.CONNECTION
