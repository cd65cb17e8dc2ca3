from pathlib import Path

import pytest
from locomo_run.errors import UsageError
from locomo_run.ledger.entry import Usage
from locomo_run.ledger.store import Ledger
from locomo_run.money.prices import load_prices, note_prices, stored_prices

TABLE = """
date = "2030-01-01"
batch = 0.25
[models.gpt-4o]
input = 2.5
output = 10
cache_write = 2.5
cache_read = 1.25
[models.claude-haiku-4-5]
input = 100
output = 100
cache_write = 100
cache_read = 100
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("model", "output"),
    [
        ("claude-opus-4-6", 25.0),
        ("claude-opus-4-6-20260115", 25.0),
        ("claude-opus-4-6@20260115", 25.0),
        ("claude-haiku-4-5-2025-10-01", 5.0),
        ("claude-sonnet-4-6-latest", 15.0),
    ],
)
def test_a_model_and_a_dated_release_of_it_have_one_price(
    model: str, output: float
) -> None:
    price = load_prices().of(model)

    assert price is not None
    assert price.output == output


@pytest.mark.parametrize(
    "model", ["gpt-4o-mini", "gpt-4o-20", "my-gpt-4o", "gateway:gpt-4o", "", "gpt-4"]
)
def test_a_model_whose_name_is_only_alike_has_no_price(model: str, table: Path) -> None:
    """A price ten times off is worse than none."""
    prices = load_prices(table)

    assert prices.of("gpt-4o") is not None
    assert prices.of(model) is None
    assert prices.cost(model, Usage(input=1)) is None


def test_every_kind_of_token_has_its_own_price() -> None:
    usage = Usage(
        input=1_000_000, output=100_000, cache_write=10_000, cache_read=1_000_000
    )

    # 5 + 0.1 * 25 + 0.01 * 6.25 + 0.5
    cost = load_prices().cost("claude-opus-4-6", usage)
    assert cost == pytest.approx(8.0625)


def test_a_batch_costs_half() -> None:
    prices, model = load_prices(), "claude-sonnet-4-6"
    live = prices.cost(model, Usage(input=1000, output=1000))
    batched = prices.cost(model, Usage(input=1000, output=1000, batch=True))

    assert live == pytest.approx(0.018)
    assert batched == pytest.approx(0.009)


def test_what_nobody_counted_costs_nothing() -> None:
    assert load_prices().cost("claude-opus-4-6", Usage()) == 0.0


def test_a_table_of_ones_own_wins_and_leaves_the_other_models(table: Path) -> None:
    prices = load_prices(table)

    assert prices.date == "2030-01-01"
    assert prices.batch == 0.25
    assert prices.cost("claude-haiku-4-5", Usage(output=10_000)) == pytest.approx(1.0)
    assert prices.cost("claude-opus-4-6", Usage(output=10_000)) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("date = ", "not TOML"),
        ("date = '2026'", "batch: Field required"),
        (TABLE.replace("input = 2.5", "input = -1"), "models.gpt-4o.input: "),
        (TABLE.replace("batch = 0.25", "batch = 2"), "batch: "),
        (TABLE + "[models.x]\ninput = 1\n", "models.x.output: Field required"),
        (TABLE + "\nfee = 1\n", "models.claude-haiku-4-5.fee: Extra inputs"),
    ],
)
def test_a_table_that_cannot_be_read_says_where_it_is_wrong(
    text: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(UsageError) as raised:
        load_prices(path)

    assert str(raised.value).startswith(f"{path}: ")
    assert said in str(raised.value)


def test_a_table_that_is_not_there_or_not_text_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load_prices(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"date = '\xe9'")
    with pytest.raises(UsageError, match="cannot be read"):
        load_prices(tmp_path / "latin.toml")


def test_a_run_keeps_the_prices_that_it_was_paid_at(
    tmp_path: Path, table: Path
) -> None:
    with Ledger.write(tmp_path / "run") as ledger:
        assert stored_prices(ledger) == load_prices()
        note_prices(ledger, load_prices(table))
        note_prices(ledger, load_prices(table))
    with Ledger.read(tmp_path / "run") as ledger:
        assert stored_prices(ledger) == load_prices(table)
