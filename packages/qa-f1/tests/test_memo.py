from collections import Counter

from qa_f1._memo import Memo
from qa_f1._normalize import Analyser
from qa_f1.profiles import LOCOMO


def test_a_word_is_worked_out_once() -> None:
    calls: Counter[str] = Counter()

    def length(word: str) -> int:
        calls[word] += 1
        return len(word)

    memo = Memo(length)

    assert [memo["cat"], memo["cat"], memo["mouse"]] == [3, 3, 5]
    assert calls == {"cat": 1, "mouse": 1}


def test_a_full_memory_starts_afresh_and_still_answers() -> None:
    memo = Memo(str.upper, max_words=3)

    answers = [memo[word] for word in ("a", "b", "c", "d", "a")]

    assert answers == ["A", "B", "C", "D", "A"]
    assert dict(memo) == {"d": "D", "a": "A"}


def test_a_long_word_is_answered_but_not_kept() -> None:
    memo = Memo(len, max_length=4)

    assert (memo["four"], memo["fiver"]) == (4, 5)
    assert dict(memo) == {"four": 4}


def test_an_endless_vocabulary_does_not_grow_what_a_profile_remembers() -> None:
    analyser = Analyser(LOCOMO)
    memo = analyser._tokens.__self__  # type: ignore[attr-defined] # a bound method
    limit = memo.max_words

    for start in range(0, 2 * limit, 1000):
        analyser.tokens(" ".join(f"w{n}" for n in range(start, start + 1000)))
        assert len(memo) <= limit
