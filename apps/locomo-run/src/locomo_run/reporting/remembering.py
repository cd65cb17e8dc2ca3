"""Results of pure methods, computed once per object."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

S = TypeVar("S")
P = ParamSpec("P")
T = TypeVar("T")


def remembered(
    method: Callable[Concatenate[S, P], T],
) -> Callable[Concatenate[S, P], T]:
    """Compute what a method of a frozen object returns once for each argument.

    The object must have a `__dict__` (no slots), where the values are kept; the
    arguments must be hashable and positional.
    """

    @wraps(method)
    def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        kept: dict[object, T] = self.__dict__.setdefault("_remembered", {})
        key = (method.__name__, args)
        if key not in kept:
            kept[key] = method(self, *args, **kwargs)
        return kept[key]

    return call
