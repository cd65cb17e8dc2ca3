import re
from collections.abc import Callable

import pytest
from eval_report.page import render_page

from .chromium import Browser
from .pages import RUN, page, question

pytestmark = pytest.mark.browser

OpenPage = Callable[..., None]

HEBREW = "שלום עולם"


def contrast(browser: Browser, css: str) -> float:
    """Ratio of text to page by WCAG 2.2, for opaque colours."""

    def luminance(colour: str) -> float:
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        red, green, blue = (
            p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    script = (
        "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    )
    ink = luminance(browser.run(script, css, "color"))
    paper = luminance(browser.run(script, "body", "backgroundColor"))
    high, low = max(ink, paper), min(ink, paper)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_in_light_and_in_the_dark(
    scheme: str, browser: Browser, show: OpenPage
) -> None:
    browser.cdp(
        "Emulation.setEmulatedMedia",
        features=[{"name": "prefers-color-scheme", "value": scheme}],
    )
    show(render_page(RUN))

    ground = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    for css in ("body", "figcaption p", "a", "#filters label span", "summary"):
        assert contrast(browser, css) >= 4.5, css


def test_nothing_is_wider_than_a_phone(browser: Browser, show: OpenPage) -> None:
    browser.screen(360, 740, mobile=True)
    long = question(0, text="unbroken" * 50, prediction="w" * 400, id="i" * 200)
    show(render_page(page((long, question(1)))))

    width = "document.documentElement.scrollWidth"
    assert browser.run(f"return {width}") == 360
    browser.click("#list tbody a")
    browser.wait_for_detail()
    assert browser.run(f"return {width}") == 360
    detail = "document.getElementById('detail')"
    inner = f"{detail}.scrollWidth - {detail}.clientWidth"
    assert browser.run(f"return {inner}") == 0


def test_text_has_its_own_direction(browser: Browser, show: OpenPage) -> None:
    show(render_page(page((question(0, text=HEBREW),))), "#q=conv-1:0")

    browser.wait_for_detail()
    directions = (
        "return [...document.querySelectorAll('#detail .passage')]"
        ".map(e => getComputedStyle(e).direction)"
    )
    assert browser.run(directions)[:2] == ["rtl", "ltr"]
