from collections.abc import Callable

import pytest
from eval_report.page import render_page

from .chromium import ENTER, ESCAPE, TAB, Browser
from .pages import RUN

pytestmark = pytest.mark.browser

OpenPage = Callable[..., None]


def test_a_question_opens_with_all_that_is_known(
    browser: Browser, show: OpenPage
) -> None:
    show(render_page(RUN))

    browser.click("#list tbody a")
    browser.wait_for_detail()
    shown = browser.text("#detail")
    for text in (
        "What is number 0?",
        "gold 0",
        "prediction 0",
        "half of 0",
        "unparsed",
        "2 judge runs, 1 without a score",
        "found it",
        "2 in all, 1 marked as evidence",
        "12 ms",
        "1.00 s",
        "1.01 s",
        "1,234",
    ):
        assert text in shown
    assert browser.text("#detail li.evidence").startswith("D1:1")
    assert browser.run("return document.querySelectorAll('mark').length") == 1
    assert browser.run("return location.hash") == "#q=conv-1:0"


def test_an_address_leads_to_a_question_and_back_closes_it(
    browser: Browser, show: OpenPage
) -> None:
    show(render_page(RUN), "#q=conv-2:119")

    browser.wait_for_detail()
    assert browser.text("#detail-heading") == "conv-2:119"
    assert "failed: no reply" in browser.text("#detail")
    browser.click("#detail .close")
    browser.wait("location.hash", "#questions")
    browser.click("#list tbody tr:nth-child(2) a")
    browser.wait_for_detail()
    browser.run("history.back()")
    browser.wait_for_detail(is_open=False)
    browser.wait("document.activeElement.textContent", "conv-2:1")


def test_an_address_of_no_question_says_so(browser: Browser, show: OpenPage) -> None:
    show(render_page(RUN), "#q=%E0%A4%A")

    assert browser.text("#status").startswith("This page has no question")
    browser.run("location.hash = '#q=none'")
    browser.wait(
        "document.getElementById('status').textContent",
        "This page has no question none",
    )


def test_the_keyboard_alone_finds_opens_and_closes_a_question(
    browser: Browser, show: OpenPage
) -> None:
    show(render_page(RUN))

    browser.press(TAB)
    assert browser.run("return document.activeElement.className") == "skip"
    browser.press(ENTER)
    browser.tab_to("[name=search]")
    browser.press(*"number 77")
    browser.tab_to("#list [data-key=question]")
    browser.press(ENTER)
    assert browser.run("return document.activeElement.dataset.key") == "question"
    browser.tab_to("#list tbody a")
    browser.press(ENTER)
    browser.wait("document.activeElement.id", "detail-heading")
    assert browser.text("#detail-heading") == "conv-2:77"
    browser.press(ESCAPE)
    browser.wait_for_detail(is_open=False)
    browser.wait("document.activeElement.textContent", "conv-2:77")
    browser.wait("location.hash", "#questions")


def test_the_next_question_is_the_next_one_of_the_list(
    browser: Browser, show: OpenPage
) -> None:
    show(render_page(RUN))
    browser.select("conversation", "conv-2")
    browser.click("#list tbody a")

    browser.wait_for_detail()
    browser.click("#detail header button:nth-of-type(2)")
    browser.wait("location.hash", "#q=conv-2:3")
    assert browser.text("#detail-heading") == "conv-2:3"
    browser.press(ESCAPE)
    browser.wait("document.activeElement.textContent", "conv-2:3")
    assert browser.run("return location.hash") == ""


def test_a_page_without_texts_has_ids_scores_and_a_word_about_it(
    browser: Browser, show: OpenPage
) -> None:
    show(render_page(RUN, no_text=True), "#q=conv-1:0")

    browser.wait_for_detail()
    shown = browser.run("return document.body.textContent")
    for text in ("What is number", "gold 0", "prediction 0", "half of", "found it"):
        assert text not in shown
    assert "leaves the texts" in shown
    assert browser.column(4)[1] == "0.005"
