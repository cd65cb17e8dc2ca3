import dataclasses
import json
from datetime import datetime

import pytest
from locomo_dataset import Category, Dataset, load_mini, stats


def test_the_counts_of_the_synthetic_data_set() -> None:
    counts = stats(load_mini())

    # counted with grep -c in data/mini.json
    assert counts.conversations == 2
    assert counts.sessions == 10
    assert counts.turns == 121
    assert counts.image_turns == 12
    assert counts.questions == 55
    assert counts.without_adversarial == 47
    assert counts.with_evidence == 47
    assert counts.by_category == {
        Category.MULTI_HOP: 10,
        Category.TEMPORAL: 15,
        Category.OPEN_DOMAIN: 4,
        Category.SINGLE_HOP: 18,
        Category.ADVERSARIAL: 8,
    }


def test_the_counts_of_one_conversation() -> None:
    first, second = stats(load_mini()).per_conversation

    assert (first.sample_id, second.sample_id) == ("mini-1", "mini-2")
    assert first.speakers == ("Ines", "Rohan")
    assert str(first.first_date) == "2024-03-04 18:40:00"
    assert str(first.last_date) == "2024-08-02 21:30:00"
    assert (first.sessions, first.turns, first.image_turns) == (5, 60, 7)
    assert (first.questions, first.without_adversarial) == (27, 23)
    assert first.turns + second.turns == 121


def test_a_category_without_questions_counts_zero() -> None:
    dataset = load_mini()
    bare = dataclasses.replace(dataset.conversations[0], qa=())

    counts = stats(dataclasses.replace(dataset, conversations=(bare,)))

    assert counts.by_category == dict.fromkeys(Category, 0)
    assert counts.without_adversarial == 0


def test_the_counts_are_plain_data() -> None:
    plain = dataclasses.asdict(stats(load_mini()))

    text = json.dumps(plain, default=datetime.isoformat)

    assert json.loads(text)["by_category"]["1"] == 10


@pytest.mark.locomo
def test_the_counts_of_the_real_data_set(real: Dataset) -> None:
    counts = stats(real)

    assert counts.conversations == 10
    assert counts.sessions == 272
    assert counts.turns == 5882
    assert counts.image_turns == 1226
    assert counts.questions == 1986
    assert counts.without_adversarial == 1540
    assert counts.with_evidence == 1536
    assert counts.by_category == {
        Category.MULTI_HOP: 282,
        Category.TEMPORAL: 321,
        Category.OPEN_DOMAIN: 96,
        Category.SINGLE_HOP: 841,
        Category.ADVERSARIAL: 446,
    }
    assert [c.questions for c in counts.per_conversation] == [
        199,
        105,
        193,
        260,
        242,
        158,
        190,
        239,
        196,
        204,
    ]
