import pytest
from hypothesis import given
from hypothesis import strategies as st
from qa_f1 import profiles, token_f1, tokenize

WORDS = st.sampled_from(
    [
        *("cat", "cats", "Cat", "the", "a", "and", "s", "run", "running", "no", "y"),
        *("2,000", "-3", ",", ";", "'", "—", "…", "é", "东京", "İ", "\u0301"),
    ]
)
TEXTS = st.lists(WORDS, max_size=9).map(" ".join) | st.text(max_size=20)

every_profile = pytest.mark.parametrize("name", profiles.names())
symmetric_profile = pytest.mark.parametrize(
    "name", [n for n in profiles.names() if profiles.get(n).answers == "whole"]
)


@every_profile
@given(prediction=TEXTS, gold=TEXTS)
def test_every_share_lies_between_nothing_and_all(
    name: str, prediction: str, gold: str
) -> None:
    score = token_f1(prediction, gold, profiles.get(name))

    for share in (score.precision, score.recall, score.f1):
        assert 0.0 <= share <= 1.0


@every_profile
@given(prediction=TEXTS, gold=TEXTS)
def test_f1_is_zero_just_when_nothing_is_shared(
    name: str, prediction: str, gold: str
) -> None:
    score = token_f1(prediction, gold, profiles.get(name))

    if score.n_prediction or score.n_gold:
        assert (score.f1 > 0) == (score.overlap > 0)


@symmetric_profile
@given(text=TEXTS)
def test_a_text_with_tokens_agrees_with_itself(name: str, text: str) -> None:
    profile = profiles.get(name)
    expected = 1.0 if tokenize(text, profile) else float(profile.empty)

    assert token_f1(text, text, profile).f1 == expected


@given(parts=st.lists(st.sampled_from(["oak", "tall elm", "9 firs"]), min_size=1))
def test_a_list_of_answers_agrees_with_itself(parts: list[str]) -> None:
    text = ", ".join(parts)

    assert token_f1(text, text, profiles.LOCOMO_LIST).f1 == 1.0


@symmetric_profile
@given(prediction=TEXTS, gold=TEXTS)
def test_exchanging_the_texts_exchanges_precision_and_recall(
    name: str, prediction: str, gold: str
) -> None:
    profile = profiles.get(name)
    one, other = (
        token_f1(prediction, gold, profile),
        token_f1(gold, prediction, profile),
    )

    assert one.f1 == other.f1
    assert (one.precision, one.recall) == (other.recall, other.precision)
    assert (one.n_prediction, one.n_gold) == (other.n_gold, other.n_prediction)


@symmetric_profile
@given(words=st.lists(WORDS), gold=TEXTS, data=st.data())
def test_the_order_of_words_does_not_matter(
    name: str, words: list[str], gold: str, data: st.DataObject
) -> None:
    profile = profiles.get(name)
    shuffled = data.draw(st.permutations(words))

    assert token_f1(" ".join(words), gold, profile) == token_f1(
        " ".join(shuffled), gold, profile
    )


@given(
    prediction=st.lists(st.sampled_from(["oak", "elm", "tall oak"]), min_size=1),
    gold=st.permutations(["oak", "elm tree", "fir"]),
)
def test_the_order_of_a_golds_parts_does_not_matter(
    prediction: list[str], gold: list[str]
) -> None:
    def f1(parts: list[str]) -> float:
        text = ", ".join(prediction)
        return token_f1(text, ", ".join(parts), profiles.LOCOMO_LIST).f1

    assert f1(gold) == pytest.approx(f1(sorted(gold)), abs=1e-12)


@symmetric_profile
@given(prediction=TEXTS, gold=TEXTS)
def test_shares_follow_from_the_counts(name: str, prediction: str, gold: str) -> None:
    score = token_f1(prediction, gold, profiles.get(name))

    assert score.overlap <= min(score.n_prediction, score.n_gold)
    if score.n_prediction and score.n_gold:
        assert score.precision == score.overlap / score.n_prediction
        assert score.recall == score.overlap / score.n_gold
    if score.overlap:
        harmonic = 2 / (1 / score.precision + 1 / score.recall)
        assert score.f1 == pytest.approx(harmonic, abs=1e-12)
