"""Render: values to one HTML file, with every text escaped by the template engine."""

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from eval_report._visible import visible
from eval_report.page._drawing import WIDTH, drawings
from eval_report.page._page import Comparison, Page
from eval_report.page._payload import encode

if TYPE_CHECKING:
    from jinja2 import Environment

_SCRIPTS = (
    "element.js",
    "columns.js",
    "list.js",
    "filters.js",
    "detail.js",
    "start.js",
)


def render_page(page: Page, *, no_text: bool = False) -> str:
    """Return one run as a self-contained HTML document.

    The document holds the charts, the sections and every question. It names no
    outside address, its content security policy admits no script but its own, and
    equal values give an equal document.

    Args:
        page: What to show.
        no_text: Leave out questions, golds, predictions, hit texts and explanations,
            where their licence asks for it. Sections and remarks are shown as given.

    Raises:
        ImportError: jinja2 is not installed.

    Example:
        >>> page = Page(title="A <run>", name="ours", metrics=(), questions=())
        >>> "<h1>A &lt;run&gt;</h1>" in render_page(page)
        True
    """
    return _document(
        page,
        payload=encode([page], page.metrics, no_text=no_text),
        conditions=[(name, [value], False) for name, value in page.conditions],
        runs=[],
    )


def render_comparison_page(comparison: Comparison, *, no_text: bool = False) -> str:
    """Return two runs side by side as a self-contained HTML document.

    The questions are listed by how much their score changed. Otherwise as
    `render_page`.

    Args:
        comparison: What to show.
        no_text: As for `render_page`.

    Raises:
        ImportError: jinja2 is not installed.

    Example:
        >>> run = Page(title="", name="first", metrics=(), questions=())
        >>> html = render_comparison_page(Comparison(title="A and B", a=run, b=run))
        >>> "<h1>A and B</h1>" in html
        True
    """
    runs = [comparison.a, comparison.b]
    return _document(
        comparison,
        payload=encode(runs, comparison.metrics, no_text=no_text),
        conditions=[
            (name, ["not named" if v is None else v for v in (a, b)], a != b)
            for name, a, b in comparison.conditions
        ],
        runs=[run.name for run in runs],
    )


def _document(
    content: Page | Comparison,
    *,
    payload: str,
    conditions: list[tuple[str, list[str], bool]],
    runs: list[str],
) -> str:
    style = _asset("page.css")
    script = "\n".join(_asset(name) for name in _SCRIPTS)
    return (
        _environment()
        .get_template("page.html.jinja")
        .render(
            content=content,
            charts=[(chart, drawings(chart)) for chart in content.charts],
            conditions=conditions,
            runs=runs,
            payload=payload,
            style=style,
            script=script,
            style_hash=_hash(style),
            script_hash=_hash(script),
            width=WIDTH,
        )
    )


@cache
def _environment() -> "Environment":
    try:
        import jinja2  # lazily: only a page needs it
    except ImportError as error:
        msg = "an HTML page needs jinja2: pip install 'eval-report[html]'"
        raise ImportError(msg) from error
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_asset),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["visible"] = visible
    return environment


@cache
def _asset(name: str) -> str:
    folder = files("eval_report.page").joinpath("assets")
    return folder.joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
