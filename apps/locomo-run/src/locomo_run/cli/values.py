"""Declaring an option, and the types of its values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, TypeVar

import click

from locomo_run.errors import RunError
from locomo_run.selection import parse_category

F = TypeVar("F", bound=Callable[..., Any])

PREFIX = "LOCOMO_RUN_"


def option(*names: str, **attributes: Any) -> Callable[[F], F]:
    """Declare an option that an environment variable can set as well."""
    long = next(name for name in names if name.startswith("--"))
    variable = long.partition("/")[0].removeprefix("--").replace("-", "_").upper()
    return click.option(*names, envvar=f"{PREFIX}{variable}", **attributes)


def decorated(function: F, decorators: Sequence[Callable[[F], F]]) -> F:
    """Add options to a command, in the order in which its help shows them."""
    for decorate in reversed(decorators):
        function = decorate(function)
    return function


class CategoryName(click.ParamType[int]):
    """A category by number or name."""

    name = "CATEGORY"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the category's number."""
        try:
            return int(parse_category(str(value)))
        except RunError as error:
            self.fail(str(error), param, ctx)


class Temperature(click.ParamType[float | str]):
    """A temperature, or `default` for the endpoint's own."""

    name = "FLOAT|default"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | str:
        """Return the temperature, or `default`."""
        if value == "default":
            return "default"
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 <= number <= 2:
            self.fail(f"{value!r} is neither 0 to 2 nor 'default'", param, ctx)
        return number


class Number(click.FloatRange):
    """A finite number within bounds."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return number


MOST = 1_000_000
"""Largest count that an option takes."""

COUNT = click.IntRange(1, MOST)
COUNT_OR_NONE = click.IntRange(0, MOST)
SHARE = Number(0, 1)
TEMPERATURE = Temperature()
