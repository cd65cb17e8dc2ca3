from collections.abc import Callable
from pathlib import Path

import pytest
from eval_report.page import Hit, Judgement, Verdict, render_page

from .chromium import Browser
from .pages import RUN, page, question

pytestmark = pytest.mark.browser

OpenPage = Callable[..., None]

HOSTILE = (
    "</script><script>window.hacked = 1</script>\"'>"
    "<img src=x onerror='window.hacked = 2'>\u202e{{7*7}} שלום"
)


def test_hostile_text_stays_text(browser: Browser, show: OpenPage) -> None:
    nasty = question(
        0,
        id=HOSTILE,
        conversation=HOSTILE,
        text=HOSTILE,
        gold=HOSTILE,
        prediction=HOSTILE,
        state=HOSTILE,
        reason=HOSTILE,
        note=HOSTILE,
        evidence=(HOSTILE,),
        hits=(Hit(id=HOSTILE, text=HOSTILE, date=HOSTILE, is_evidence=True),),
        judgements=(
            Judgement(
                protocol=HOSTILE,
                verdicts=(Verdict(status=HOSTILE, label=HOSTILE, explanation=HOSTILE),),
            ),
        ),
    )
    show(render_page(page((nasty, question(1)), HOSTILE)))

    browser.click("#list tbody a")
    browser.wait_for_detail()
    passages = (
        "return [...document.querySelectorAll('#detail .passage')]"
        ".map(e => e.textContent)"
    )
    assert browser.run(passages) == [HOSTILE] * 5
    assert browser.run("return document.querySelectorAll('img, iframe').length") == 0
    assert browser.run("return document.querySelectorAll('script').length") == 2
    assert browser.run("return window.hacked === undefined")


def test_no_script_runs_but_the_page_s_own(browser: Browser, show: OpenPage) -> None:
    show(render_page(RUN))

    browser.run(
        "const s = document.createElement('script');"
        "s.textContent = 'window.hacked = 3';"
        "document.body.append(s);"
    )

    assert browser.run("return window.hacked === undefined")
    (complaint,) = browser.complaints()
    assert "Content Security Policy" in complaint


def test_a_browser_that_cannot_unpack_is_told_so(
    browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_text(render_page(RUN), encoding="utf-8")
    added = browser.cdp(
        "Page.addScriptToEvaluateOnNewDocument",
        source="delete window.DecompressionStream",
    )
    try:
        browser.open(path)
    finally:
        browser.cdp("Page.removeScriptToEvaluateOnNewDocument", **added)

    browser.wait("document.getElementById('status').className", "problem")
    assert "lacks DecompressionStream" in browser.text("#status")
    assert browser.run("return document.querySelectorAll('svg').length") == 2
