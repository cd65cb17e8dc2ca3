"""What tokens cost: a dated table, and the arithmetic over it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from locomo_run.errors import UsageError
from locomo_run.ledger.entry import Usage
from locomo_run.ledger.store import Ledger

MILLION = 1_000_000

_RELEASE = re.compile(r"[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest)$")
"""What follows the name of a model where one release of it is meant."""


class ModelPrice(BaseModel):
    """Dollars per million tokens, by kind."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_write: float = Field(ge=0)
    cache_read: float = Field(ge=0)


class Prices(BaseModel):
    """A price table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    date: str
    """When these were the prices."""
    batch: float = Field(gt=0, le=1)
    """Share of the price that a message batch costs."""
    models: Mapping[str, ModelPrice]

    def of(self, model: str) -> ModelPrice | None:
        """Return the price of a model, of a dated release of it too; None if unknown.

        >>> load_prices().of("claude-haiku-4-5-20251001").output
        5.0
        """
        return self.models.get(model) or self.models.get(_RELEASE.sub("", model))

    def cost(self, model: str, usage: Usage) -> float | None:
        """Return what a call cost in dollars; None if the model has no price here.

        >>> load_prices().cost("claude-opus-4-6", Usage(input=1000, output=40))
        0.006
        """
        price = self.of(model)
        if price is None:
            return None
        dollars = (
            (usage.input or 0) * price.input
            + (usage.output or 0) * price.output
            + (usage.cache_write or 0) * price.cache_write
            + (usage.cache_read or 0) * price.cache_read
        ) / MILLION
        return dollars * self.batch if usage.batch else dollars


def load_prices(path: Path | None = None) -> Prices:
    """Return the price table that comes with the program, or a file over it.

    Raises:
        UsageError: the file cannot be read or is no price table.
    """
    shipped = (files("locomo_run.money") / "prices.toml").read_text("utf-8")
    own = _parse(shipped, "prices.toml")
    if path is None:
        return own
    try:
        given = _parse(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    return given.model_copy(update={"models": {**own.models, **given.models}})


def note_prices(ledger: Ledger, prices: Prices) -> None:
    """Note in a ledger what tokens cost, so that its spend stays what it was."""
    table = prices.model_dump(mode="json")
    if ledger.fact("prices") != table:
        ledger.set_facts({"prices": table})


def stored_prices(ledger: Ledger) -> Prices:
    """Return the prices that a run was paid at; those of today if it has none."""
    table = ledger.fact("prices")
    return load_prices() if table is None else Prices.model_validate(table)


def _parse(text: str, name: str) -> Prices:
    try:
        return Prices.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{name}: not TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{name}: {where}: {first['msg']}") from error
