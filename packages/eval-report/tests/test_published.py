from itertools import permutations

import pytest
from eval_report import (
    Baselines,
    check_published_overall,
    load_baselines,
    weighted_overall,
)

COUNTS = {1: 282, 2: 321, 3: 96, 4: 841}

# Mem0's paper (arXiv 2504.19413): J as printed under single-hop, multi-hop, temporal
# and open-domain, and the overall
MEM0_TABLE = {
    "Mem0": ((67.13, 51.15, 55.51, 72.93), 66.88),
    "Mem0g": ((65.71, 47.19, 58.13, 75.71), 68.44),
    "Zep": ((61.70, 41.35, 49.31, 76.60), 65.99),
    "LangMem": ((62.23, 47.92, 23.43, 71.12), 58.10),
    "OpenAI": ((63.79, 42.92, 21.71, 62.29), 52.90),
    "A-Mem": ((39.79, 18.85, 49.91, 54.05), 48.38),
}


def test_only_one_reading_of_the_printed_names_gives_every_printed_overall() -> None:
    readings = [
        order
        for order in permutations(COUNTS)
        if all(
            check_published_overall(
                dict(zip(order, printed, strict=True)), overall, COUNTS
            ).agrees
            for printed, overall in MEM0_TABLE.values()
        )
    ]

    # single-hop, multi-hop, temporal, open-domain
    assert readings == [(1, 3, 2, 4)]


def test_the_baselines_hold_the_table_under_that_reading() -> None:
    rows = {
        row.system.removesuffix(" (run by Mem0)"): row for row in load_baselines().j
    }
    names = {"OpenAI": "OpenAI memory"}

    for system, (printed, overall) in MEM0_TABLE.items():
        row = rows[names.get(system, system)]

        assert tuple(float(row.categories[c]) for c in (1, 3, 2, 4)) == printed
        assert row.overall is not None
        assert float(row.overall) == overall


def complete_rows(baselines: Baselines) -> dict[str, tuple[dict[int, float], float]]:
    return {
        row.system: (
            {c: float(v) for c, v in row.categories.items()},
            float(row.overall),
        )
        for row in baselines.j
        if row.categories and row.overall is not None
    }


def test_every_published_overall_follows_from_its_categories() -> None:
    rows = complete_rows(load_baselines())

    assert len(rows) == 10
    for system, (categories, overall) in rows.items():
        check = check_published_overall(categories, overall, COUNTS)

        assert abs(check.difference) <= 0.01, system


def test_a_check_says_how_far_off_a_table_is() -> None:
    check = check_published_overall({1: 50, 2: 80}, 71, {1: 10, 2: 20, 3: 99})

    assert (check.weighted, check.difference, check.agrees) == (70.0, -1.0, False)


def test_a_looser_tolerance_serves_a_table_with_fewer_decimals() -> None:
    assert check_published_overall(
        {1: 50, 2: 80}, 70.1, {1: 1, 2: 2}, tolerance=0.2
    ).agrees


@pytest.mark.parametrize(
    ("categories", "reason"),
    [({}, "no categories"), ({7: 1.0}, r"no number of questions for \[7\]")],
)
def test_what_cannot_be_weighted_is_refused(
    categories: dict[int, float], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        weighted_overall(categories, COUNTS)
