from collections.abc import Callable
from dataclasses import replace

from locomo_run.ledger.entry import Json
from locomo_run.ledger.store import Ledger
from locomo_run.reporting.page import page_of
from locomo_run.reporting.results import Results

Scored = Callable[..., Results]

WORKER: dict[str, Json] = {
    "mode": "code",
    "ingestion": {"a": {"sessions": 2, "stored": 1, "observations": 9, "missing": [2]}},
}


def rows_by_chart(results: Results) -> dict[str, list[tuple[str, ...]]]:
    with Ledger.blank() as ledger:
        page = page_of(results, ledger)
    return {chart.title: list(chart.numbers().rows) for chart in page.charts}


def test_each_profile_with_published_results_has_a_chart(scored: Scored) -> None:
    charts = rows_by_chart(scored())

    f1 = [title for title in charts if title.startswith("Token F1 by category")]
    assert f1 == [
        "Token F1 by category, profile locomo",
        "Token F1 by category, profile mem0",
    ]
    assert any(row[1] == "Mem0" for row in charts[f1[1]])


def test_an_overall_is_drawn_over_the_questions_of_the_published_one(
    scored: Scored,
) -> None:
    charts = rows_by_chart(scored())

    def ours(profile: str) -> tuple[str, str]:
        rows = charts[f"Token F1 by category, profile {profile}"]
        (row,) = [r for r in rows if r[:2] == ("overall", "scripted + scripted")]
        return row[2], row[4]

    # with the adversarial question, as the LoCoMo paper counts: (1 + 0.8 + 0.5 + 1) / 4
    assert ours("locomo") == ("82.5", "4")
    assert ours("mem0") == ("82.2", "3")


def test_the_page_tells_what_is_known_of_a_worker(scored: Scored) -> None:
    with Ledger.blank() as ledger:
        page = page_of(replace(scored(), worker=WORKER), ledger)
        without = page_of(scored(), ledger)

    told = [section.heading for section in page.sections]
    assert told[0] == "The memory"
    assert told[1:] == [section.heading for section in without.sections]
