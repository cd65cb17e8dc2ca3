import asyncio
from collections.abc import Sequence

import pytest
from llm_judge import Completion, JudgeSettings, Prompt
from llm_judge.anthropic import ErrorKind, ModelError, Retrying
from llm_judge.testing import ScriptedModel

PROMPT, SETTINGS = Prompt("system", "user"), JudgeSettings()
BUSY = ModelError(ErrorKind.OVERLOADED, "busy")


def run(
    script: Sequence[str | Exception], **options: float | None
) -> tuple[Completion | Exception, list[float]]:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    model = ScriptedModel(script)
    retrying = Retrying(model, sleep=sleep, **options)  # type: ignore[arg-type]  # tables
    try:
        return asyncio.run(retrying(PROMPT, SETTINGS)), pauses
    except ModelError as error:
        return error, pauses


def test_a_call_that_works_is_made_once() -> None:
    done, pauses = run(["fine"])

    assert isinstance(done, Completion)
    assert pauses == []


def test_pauses_double_up_to_a_bound_and_vary_downwards_by_half() -> None:
    _, pauses = run([BUSY] * 8, max_delay=10.0)

    assert len(pauses) == 7
    for pause, whole in zip(pauses, [1, 2, 4, 8, 10, 10, 10], strict=True):
        assert whole / 2 <= pause <= whole
    assert len(set(pauses)) == 7


def test_a_seed_repeats_the_pauses() -> None:
    assert run([BUSY] * 8, seed=1) == run([BUSY] * 8, seed=1)
    assert run([BUSY] * 8, seed=1) != run([BUSY] * 8, seed=2)


def test_the_last_error_is_raised_after_the_last_attempt() -> None:
    last = ModelError(ErrorKind.SERVER, "still down")
    done, pauses = run([BUSY, BUSY, last, "too late"], attempts=3)

    assert done is last
    assert len(pauses) == 2


def test_a_longer_pause_is_granted_and_a_shorter_one_is_not() -> None:
    long = ModelError(ErrorKind.RATE_LIMITED, "wait", retry_after=20)
    short = ModelError(ErrorKind.RATE_LIMITED, "wait", retry_after=0.001)
    done, pauses = run([long, short, "fine"])

    assert isinstance(done, Completion)
    assert pauses[0] == 20
    assert pauses[1] >= 1


def test_a_pause_beyond_the_bound_ends_the_attempts() -> None:
    far = ModelError(ErrorKind.RATE_LIMITED, "tomorrow", retry_after=301)

    assert run([far, "fine"]) == (far, [])


def test_what_cannot_succeed_is_not_repeated() -> None:
    wrong = ModelError(ErrorKind.AUTHENTICATION, "no")

    assert run([wrong, "fine"]) == (wrong, [])


def test_an_exception_of_another_kind_is_passed_through() -> None:
    with pytest.raises(KeyError):
        run([KeyError("x")])


def test_no_attempt_at_all_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="at least 1, not 0"):
        Retrying(ScriptedModel([]), attempts=0)
