"""A bounded memory for pure functions of one word."""

from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


class Memo(dict[str, Value]):
    """Results of a function of a word, looked up at the speed of a `dict`.

    Neither many words nor long ones can grow it without bound: a full memory starts
    afresh, and words longer than `max_length` are worked out each time.
    """

    __slots__ = ("_function", "max_length", "max_words")

    def __init__(
        self,
        function: Callable[[str], Value],
        *,
        max_words: int = 65_536,
        max_length: int = 64,
    ) -> None:
        super().__init__()
        self._function = function
        self.max_words = max_words
        self.max_length = max_length

    def __missing__(self, word: str) -> Value:
        value = self._function(word)
        if len(word) <= self.max_length:
            if len(self) >= self.max_words:
                self.clear()
            self[word] = value
        return value
