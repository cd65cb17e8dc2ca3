import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_judge import JudgeSettings, Prompt
from locomo_run.ledger.entry import Stage
from locomo_run.money.estimate import (
    Counted,
    Estimate,
    Job,
    Planned,
    estimate,
    sample,
    size,
)
from locomo_run.money.prices import load_prices
from locomo_run.reporting.estimate_table import as_json, cost_table, in_one_line

PRICES = load_prices()


def job(
    *planned: Planned,
    stage: Stage = Stage.ANSWER,
    model: str = "claude-opus-4-6",
    name: str = "answer",
    max_tokens: int = 256,
) -> Job:
    settings = JudgeSettings(model=model, max_tokens=max_tokens)
    return Job(stage=stage, name=name, settings=settings, planned=planned)


def prompt(tokens: int) -> Prompt:
    """A prompt that is estimated to have so many tokens."""
    return Prompt("", "x" * (tokens * 7 // 2))


def of(*jobs: Job, **known: object) -> Estimate:
    return Estimate(lines=estimate(jobs, PRICES), prices_date=PRICES.date, **known)  # type: ignore[arg-type]  # passed on


def test_prompts_are_priced_by_how_often_they_are_sent() -> None:
    asked = job(
        Planned(prompt=prompt(100), times=3, times_at_most=3),
        Planned(prompt=prompt(200)),
    )

    (line,) = estimate([asked], PRICES)

    assert line.expected.calls == 4
    assert line.expected.input == 500
    assert line.expected.output == 4 * 40
    # 500 * $5 + 160 * $25 a million
    assert line.expected.dollars == pytest.approx(0.0065)
    assert line.expected.batched == pytest.approx(0.00325)


def test_the_upper_bound_counts_two_bytes_a_token_and_the_longest_replies() -> None:
    planned = Planned(prompt=prompt(100), times=1, times_at_most=2, unknown_input=50)

    (line,) = estimate([job(planned)], PRICES)

    # 350 bytes: 175 tokens and 16, 16 for the empty system prompt, 50 unknown
    assert line.most.calls == 2
    assert line.most.input == 2 * (175 + 16 + 16 + 50)
    assert line.most.output == 2 * 256


def test_a_verdict_is_expected_to_be_longer_than_an_answer() -> None:
    judge = job(Planned(prompt=prompt(1)), stage=Stage.JUDGE)

    (line,) = estimate([judge], PRICES)

    assert line.expected.output == 80


def test_no_reply_is_expected_to_be_longer_than_allowed() -> None:
    (line,) = estimate([job(Planned(prompt=prompt(1)), max_tokens=8)], PRICES)

    assert line.expected.output == line.most.output == 8


def test_a_count_of_the_endpoint_scales_the_whole() -> None:
    counted = {"answer": Counted(prompts=2, tokens=330, estimated=300)}
    asked = job(Planned(prompt=prompt(1000), times=2, times_at_most=2))

    (line,) = estimate([asked], PRICES, counted)

    assert line.expected.input == 2200
    assert line.counted == counted["answer"]


def test_the_sample_is_spread_over_the_lengths() -> None:
    asked = job(*(Planned(prompt=prompt(tokens)) for tokens in range(100, 0, -1)))

    assert [size(p) for p in sample(asked, 4)] == [13, 38, 63, 88]
    assert len(sample(asked, 1000)) == 100


def test_what_is_not_sent_is_not_in_the_sample() -> None:
    assert sample(job(Planned(prompt=prompt(1), times=0, times_at_most=3)), 5) == ()


def test_an_unknown_price_is_unknown_in_the_total_too() -> None:
    found = of(
        job(Planned(prompt=prompt(10))),
        job(Planned(prompt=prompt(10)), model="other", name="judge graded"),
    )

    assert found.expected.calls == 2
    assert found.expected.dollars is None
    assert found.most.batched is None
    assert found.unpriced == ("other",)
    assert "; no price for other: see --prices" in in_one_line(found)


def test_a_model_without_calls_needs_no_price() -> None:
    found = of(job(model="other"))

    assert (found.expected.dollars, found.unpriced) == (0.0, ())


@given(
    st.lists(
        st.builds(
            Planned,
            prompt=st.builds(Prompt, st.text(max_size=40), st.text(max_size=400)),
            times=st.integers(0, 5),
            times_at_most=st.integers(5, 9),
        ),
        max_size=8,
    ),
    st.integers(1, 300),
)
def test_the_expected_cost_never_passes_the_upper_bound(
    planned: list[Planned], max_tokens: int
) -> None:
    found = of(job(*planned, max_tokens=max_tokens))

    assert found.expected.dollars is not None
    assert found.most.dollars is not None
    assert found.expected.dollars <= found.most.dollars
    assert found.expected.batched == pytest.approx(found.expected.dollars / 2)


# in words


def test_one_line_says_how_much_for_what() -> None:
    found = of(
        job(Planned(prompt=prompt(1000), times=1540, times_at_most=1540)),
        job(
            Planned(prompt=prompt(500), times=15_400, times_at_most=15_400),
            stage=Stage.JUDGE,
            model="claude-sonnet-4-6",
            name="judge graded",
        ),
    )

    assert in_one_line(found, cap=80.0) == (
        "cost: about $50.82, at most $124.62, prices of 2026-11-30, for 1,540 answer "
        "calls, 15,400 judge graded calls; cap $80.00"
    )
    assert in_one_line(found, batched=True).startswith(
        "cost: about $25.41, at most $62.31, in batches, prices of "
    )


def test_one_line_says_when_everything_is_bought() -> None:
    assert in_one_line(of(job(), bought=12)) == (
        "cost: nothing left to buy (12 calls are stored)"
    )


def test_the_table_says_what_its_figures_stand_on() -> None:
    table = cost_table(
        of(
            job(Planned(prompt=prompt(10), times=1, times_at_most=4)),
            bought=7,
            sessions=19,
            drawn=True,
        )
    )

    assert table.rows[0][:3] == ("answer", "claude-opus-4-6", "1 to 4")
    assert table.rows[-1][0] == "total"
    notes = "\n".join(table.notes)
    for said in (
        "prices of 2026-11-30",
        "Tokens in: estimated at 3.5 characters each.",
        "expected are 40 per answer call; at most",
        "contexts are taken as full",
        "7 calls that are stored already",
        "Billed elsewhere: the worker compresses 19 sessions",
    ):
        assert said in notes


def test_the_table_says_which_stages_were_counted() -> None:
    jobs = (job(Planned(prompt=prompt(100))), job(Planned(prompt=prompt(9)), name="b"))
    counted = {"answer": Counted(prompts=1, tokens=90, estimated=100)}
    lines = estimate(jobs, PRICES, counted)

    (note,) = (
        note
        for note in cost_table(Estimate(lines=lines, prices_date="d")).notes
        if note.startswith("Tokens in")
    )
    assert note == (
        "Tokens in: counted by the endpoint on a sample (answer from 1 prompts, 0.90 "
        "times the estimate); the others estimated at 3.5 characters each."
    )


def test_a_run_without_models_has_an_empty_table() -> None:
    table = cost_table(of())

    assert table.notes == ("No model is asked.",)
    assert len(table.rows) == 1


def test_plain_values_hold_both_figures_of_every_stage_unrounded() -> None:
    found = as_json(of(job(Planned(prompt=prompt(100))), sessions=3))

    assert found["stages"] == [
        {
            "stage": "answer",
            "name": "answer",
            "model": "claude-opus-4-6",
            "expected": {
                "calls": 1,
                "input_tokens": 100,
                "output_tokens": 40,
                "dollars": 0.0015,
                "dollars_batched": 0.00075,
            },
            "at_most": {
                "calls": 1,
                "input_tokens": 207,
                "output_tokens": 256,
                "dollars": pytest.approx(0.007435),
                "dollars_batched": pytest.approx(0.0037175),
            },
            "counted_prompts": 0,
            "counted_ratio": None,
        }
    ]
    assert found["billed_elsewhere"] == {"sessions": 3}
