from collections.abc import Callable

import pytest
from eval_report.page import Comparison, Page, render_comparison_page, render_page

from .chromium import ENTER, ESCAPE, Browser
from .pages import RUN, page, question

pytestmark = pytest.mark.browser

OpenPage = Callable[..., None]


def test_a_run_is_drawn_and_listed(browser: Browser, show: OpenPage) -> None:
    show(render_page(RUN))

    assert browser.text("h1") == "Run text"
    assert browser.run("return document.querySelectorAll('svg').length") == 2
    box = browser.run("return document.querySelector('svg').getBoundingClientRect()")
    assert box["width"] > 200
    assert box["height"] > 20
    assert browser.text("#status") == "120 of 120 questions, showing 1 to 50"
    assert browser.column(1)[:2] == ["conv-1:0", "conv-2:1"]
    assert len(browser.column(1)) == 50


def test_filters_narrow_the_list_and_clear_widens_it(
    browser: Browser, show: OpenPage
) -> None:
    show(render_page(RUN))

    browser.select("category", "multi-hop (1)")
    browser.select("conversation", "conv-2")
    browser.type("#filters [name=low]", "0.2")
    browser.type("#filters [name=high]", "0.3")
    # odd, divisible by three, 40 to 60, and not the failed one that ends in 9
    assert browser.column(1) == ["conv-2:45", "conv-2:51", "conv-2:57"]
    browser.type("#filters [name=search]", "PREDICTION 5")
    assert browser.column(1) == ["conv-2:51", "conv-2:57"]
    browser.click("#filters button")
    assert browser.text("#status").startswith("120 of 120")
    browser.select("state", "failed")
    assert browser.text("#status") == "12 of 120 questions, showing 1 to 12"
    browser.type("#filters [name=search]", "nothing has this")
    assert browser.text("#status") == "0 of 120 questions"


def test_columns_sort_both_ways_and_missing_scores_stay_last(
    browser: Browser, show: OpenPage
) -> None:
    show(render_page(RUN))
    browser.select("conversation", "conv-2")
    sort = "#list [data-key=score]"

    browser.click(sort)
    assert browser.column(7)[:2] == ["0.005", "0.015"]
    assert browser.run(
        "return document.querySelector(arguments[0]).closest('th').ariaSort", sort
    ) == ("ascending")
    browser.click(sort)
    assert browser.column(7)[:2] == ["0.585", "0.575"]
    browser.click("#pages button:last-child")
    assert browser.column(7)[-1] == "–"
    browser.select("metric", "J")
    assert browser.column(7)[0] == "50.0"


def test_pages_lead_through_all_questions(browser: Browser, show: OpenPage) -> None:
    show(render_page(RUN))

    browser.click("#pages button:nth-of-type(3)")
    assert browser.text("#status").endswith("showing 51 to 100")
    browser.press(ENTER)
    assert browser.text("#status").endswith("showing 101 to 120")
    assert browser.column(1)[-1] == "conv-2:119"
    assert browser.run("return document.activeElement.textContent") == "First"


def test_two_runs_are_listed_by_what_changed_most(
    browser: Browser, show: OpenPage
) -> None:
    def scored(name: str, *scores: float | None) -> Page:
        asked = (
            question(n, scores={"F1": s}, prediction=f"{name} says {n}")
            for n, s in enumerate(scores)
        )
        return page(tuple(asked), name)

    comparison = Comparison(
        title="Two runs",
        a=scored("first", 0.5, 0.25, 1.0, None),
        b=Page(
            title="b",
            name="second",
            metrics=RUN.metrics,
            questions=scored("second", 0.5, 1.0, 0.75).questions,
        ),
    )
    show(render_comparison_page(comparison))

    assert browser.text("#status").endswith("largest change first")
    assert browser.column(1) == ["conv-2:1", "conv-1:2", "conv-1:0", "conv-2:3"]
    assert browser.column(8) == ["-0.750", "+0.250", "0.000", "–"]
    browser.select("change", "B better")
    assert browser.column(1) == ["conv-2:1"]
    browser.click("#list tbody a")
    browser.wait_for_detail()
    shown = browser.text("#detail")
    assert "A: first" in shown
    assert "first says 1" in shown
    assert "second says 1" in shown
    browser.press(ESCAPE)
    browser.wait("location.hash", "")
    browser.click("#filters button")
    browser.click("#list tbody tr:last-child a")
    browser.wait_for_detail()
    assert "Not asked in this run." in browser.text("#detail")
