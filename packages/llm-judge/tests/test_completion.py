import pytest
from llm_judge import Completion, JudgeSettings, Usage
from pydantic import ValidationError


def test_the_default_judge_is_sonnet_at_one_half() -> None:
    settings = JudgeSettings()

    assert settings.model == "claude-sonnet-4-6"
    assert settings.temperature == 0.5
    assert settings.max_tokens == 256


def test_the_signature_tells_an_omitted_temperature_from_zero() -> None:
    assert JudgeSettings(model="m", temperature=None).signature == (
        "model:m|temperature:default|max_tokens:256"
    )
    assert JudgeSettings(model="m", temperature=0, max_tokens=64).signature == (
        "model:m|temperature:0|max_tokens:64"
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"model": ""},
        {"temperature": -0.1},
        {"temperature": float("nan")},
        {"max_tokens": 0},
        {"top_p": 1},
    ],
)
def test_settings_that_no_endpoint_takes_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        JudgeSettings.model_validate(fields)


def test_a_completion_needs_a_text() -> None:
    with pytest.raises(ValidationError, match="valid string"):
        Completion.model_validate({"text": None})


def test_tokens_that_were_not_reported_are_missing_and_not_zero() -> None:
    assert Usage(input_tokens=5).output_tokens is None


def test_a_completion_survives_storage() -> None:
    completion = Completion(
        text="é",
        stop_reason="end_turn",
        model="m",
        usage=Usage(input_tokens=5, output_tokens=2),
        latency_ms=12.5,
    )
    stored = completion.model_dump_json()

    assert Completion.model_validate_json(stored) == completion
