from collections.abc import Callable

import pytest
from llm_judge import JudgeSettings, Prompt
from llm_judge.anthropic import AnthropicModel, ErrorKind, ModelError
from llm_judge.testing import FakeMessagesAPI
from locomo_run.ledger.entry import Stage
from locomo_run.money.counting import count_samples
from locomo_run.money.estimate import Counted, Job, Planned

Endpoint = Callable[..., FakeMessagesAPI]


def job(*lengths: int, name: str = "answer", model: str = "claude-opus-4-6") -> Job:
    return Job(
        stage=Stage.ANSWER,
        name=name,
        settings=JudgeSettings(model=model),
        planned=tuple(Planned(prompt=Prompt("", "x" * length)) for length in lengths),
    )


def test_each_job_with_prompts_is_counted_by_itself(endpoint: Endpoint) -> None:
    endpoint()
    jobs = (job(35, 70), job(name="empty"), job(7, name="judge", model="gateway:m"))

    # the fake: 1 + 35 // 4 and 1 + 70 // 4
    assert count_samples(jobs) == (
        {"answer": Counted(prompts=2, tokens=27, estimated=30)},
        "",
    )


def test_what_was_counted_before_a_failure_is_kept(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint()
    known = AnthropicModel.count_tokens

    async def count(
        self: AnthropicModel, prompt: Prompt, settings: JudgeSettings
    ) -> int:
        if settings.model != "claude-opus-4-6":
            raise ModelError(ErrorKind.NOT_FOUND, "no such counter")
        return await known(self, prompt, settings)

    monkeypatch.setattr(AnthropicModel, "count_tokens", count)
    counted, why_not = count_samples([job(35), job(35, name="judge", model="other")])

    assert list(counted) == ["answer"]
    assert why_not == "tokens are not counted: no such counter"


def test_an_endpoint_that_takes_too_long_is_done_without(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint()
    monkeypatch.setattr("locomo_run.money.counting.SECONDS", 0.0)

    assert count_samples([job(35)]) == ({}, "tokens are not counted: no reply in time")


@pytest.mark.parametrize("address", ["http://user:secret@127.0.0.1", "no address"])
def test_an_address_that_is_none_is_done_without(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)

    counted, why_not = count_samples([job(35)])

    assert counted == {}
    assert why_not.startswith("tokens are not counted: ")
    assert "secret" not in why_not


def test_without_a_key_there_is_nothing_to_say(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)

    assert count_samples([job(35)]) == ({}, "")
