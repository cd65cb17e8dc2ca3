import base64
import hashlib
import re
import sys
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from eval_report import Section, Table
from eval_report.page import (
    Comparison,
    IntervalChart,
    Metric,
    Page,
    Point,
    Question,
    render_comparison_page,
    render_page,
)
from eval_report.page import _render as render_module

MakeQuestion = Callable[..., Question]

HOSTILE = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{7*7}}"


class Document(HTMLParser):
    """The elements, texts and ids of a page."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


def page(text: str = "text", *questions: Question) -> Page:
    return Page(
        title=text,
        name=text,
        metrics=(Metric(name=text),),
        questions=questions,
        categories={1: text},
        conditions=((text, text),),
        remarks=(text,),
        charts=(
            IntervalChart(
                title=text,
                caption=text,
                unit=text,
                groups={
                    text: [Point(name=text, value=1)],
                    "b": [Point(name="x", value=2)],
                },
            ),
        ),
        sections=(
            Section(
                heading=text,
                paragraphs=(text,),
                tables=(
                    Table(
                        title=text,
                        columns=(text, "n"),
                        rows=((text, "1"),),
                        notes=(text,),
                    ),
                ),
            ),
        ),
    )


def both(first: Page) -> Comparison:
    second = Page(title="b", name="other", metrics=(), questions=())
    return Comparison(title="T", a=first, b=second, charts=first.charts)


def test_hostile_text_adds_no_element(question: MakeQuestion) -> None:
    calm = Document(render_page(page("text", question())))
    hostile = Document(
        render_page(page(HOSTILE, question(text=HOSTILE, state=HOSTILE)))
    )

    assert [tag for tag, _ in hostile.elements] == [tag for tag, _ in calm.elements]
    assert [set(each) for _, each in hostile.elements] == [
        set(each) for _, each in calm.elements
    ]
    # title, heading, remark, two of conditions, three of a chart and its panel,
    # link and heading of the section, paragraph, caption, column, cell, note …
    assert hostile.texts.count(HOSTILE) > 12


def test_no_address_leads_out_of_the_page(question: MakeQuestion) -> None:
    html = render_page(page("text", question()))

    addresses = [
        attributes[name]
        for _, attributes in Document(html).elements
        for name in ("href", "src", "action", "data", "srcset", "poster")
        if name in attributes
    ]
    assert len(addresses) > 4
    assert all(address.startswith(("#", "data:")) for address in addresses)
    assert "://" not in html
    assert "url(" not in html
    assert "@import" not in html


def test_every_link_within_the_page_arrives() -> None:
    document = Document(render_page(page()))

    ids = [each["id"] for _, each in document.elements if "id" in each]
    assert len(ids) == len(set(ids))
    links = [a["href"].removeprefix("#") for a in document.all("a")]
    labels = [
        name
        for _, each in document.elements
        for name in each.get("aria-labelledby", "").split()
        if name != "detail-heading"  # made with the dialog's content
    ]
    assert labels
    assert set(links) | set(labels) <= set(ids)


@pytest.mark.parametrize("comparison", [False, True])
def test_the_policy_admits_the_page_s_own_script_and_style_alone(
    *, comparison: bool
) -> None:
    html = render_comparison_page(both(page())) if comparison else render_page(page())

    (policy,) = (
        meta["content"]
        for meta in Document(html).all("meta")
        if meta.get("http-equiv") == "Content-Security-Policy"
    )
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind, text in (("script-src", script), ("style-src", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy


def test_the_page_s_own_script_makes_no_markup_of_data() -> None:
    (script,) = re.findall(r"<script>(.*?)</script>", render_page(page()), re.DOTALL)

    for way in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval("):
        assert way not in script


def test_a_chart_is_also_text() -> None:
    html = render_page(page("F1"))

    document = Document(html)
    drawings = document.all("svg")
    assert len(drawings) == 2
    assert all(each["role"] == "img" for each in drawings)
    assert "F1: F1 1.0." in document.texts
    assert document.texts.count("The numbers of this chart") == 1


def test_equal_values_give_an_equal_page(question: MakeQuestion) -> None:
    assert render_page(page("t", question())) == render_page(page("t", question()))


def test_a_page_without_texts_holds_no_question(question: MakeQuestion) -> None:
    secret = question(text="kayak", gold="kayak", prediction="kayak")

    assert render_page(page("t", secret)) != render_page(
        page("t", secret), no_text=True
    )
    assert render_page(page("t", secret), no_text=True) == render_page(
        page("t", question(text="x", gold="y", prediction="z")), no_text=True
    )


def test_a_page_of_nothing_but_a_title_has_no_empty_part() -> None:
    html = render_page(Page(title="T", name="n", metrics=(), questions=()))

    document = Document(html)
    assert [each.get("id") for each in document.all("section")] == ["questions"]
    assert [a["href"] for a in document.all("a")] == ["#questions", "#questions"]
    assert document.all("ul") == []


def test_a_page_can_be_written_whatever_its_texts_hold() -> None:
    html = render_page(page("a\ud800\x00\u202eb"))

    assert "a\ufffd\ufffd\ufffdb" in html
    html.encode("utf-8")


def test_a_comparison_shows_which_conditions_differ() -> None:
    first = Page(
        title="a",
        name="one",
        metrics=(),
        questions=(),
        conditions=(("memory", "x"), ("limit", "10")),
    )
    second = Page(
        title="b", name="two", metrics=(), questions=(), conditions=(("memory", "x"),)
    )

    document = Document(
        render_comparison_page(Comparison(title="T", a=first, b=second))
    )

    classes = [row.get("class") for row in document.all("tr")]
    assert classes == [None, None, "differs"]
    start = document.texts.index("limit")
    cells = [text for text in document.texts[start:] if text][:4]
    assert cells == ["limit", "10", "not named", "differs"]


def test_without_jinja2_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    render_module._environment.cache_clear()

    with pytest.raises(ImportError, match=r"pip install 'eval-report\[html\]'"):
        render_page(page())
