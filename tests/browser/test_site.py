"""The documentation site, built, served on the loopback and read in a browser."""

import os
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import pytest

from .chromium import Browser

pytestmark = [pytest.mark.browser, pytest.mark.index]

ASSETS = {"link": "href", "script": "src", "img": "src", "iframe": "src"}


class Page(HTMLParser):
    """The links, assets and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.assets: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value for name, value in attrs if value}
        if tag == "a" and "href" in found:
            self.links.add(found["href"])
        if (name := ASSETS.get(tag)) in found:
            self.assets.add(found[name])
        self.anchors |= {found[name] for name in ("id", "name") if name in found}


@pytest.fixture(scope="module")
def site(root: Path, uv: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly in an environment of its own."""
    folder = tmp_path_factory.mktemp("built") / "site"
    environment = (uv, "run", "--isolated", "--locked", "--no-default-groups")
    done = subprocess.run(
        (*environment, "--group", "docs", "mkdocs", "build", "-q", "-d", folder),
        cwd=root,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    """Every page by its path on the server."""
    return {
        f"/{path.relative_to(site).as_posix().removesuffix('index.html')}": Page(
            path.read_text(encoding="utf-8")
        )
        for path in site.rglob("*.html")
    }


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing about it."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name
        pass


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where the site is served."""
    handler = partial(Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_every_internal_link_leads_to_a_page_and_a_place_on_it(
    site: Path, pages: dict[str, Page]
) -> None:
    def exists(path: str, fragment: str) -> bool:
        if (page := pages.get(path)) is None:
            return (site / path.lstrip("/")).is_file()
        return not fragment or unquote(fragment) in page.anchors

    internal = [
        (here, link, *urldefrag(address.removeprefix("http://site")))
        for here, page in pages.items()
        for link in page.links | page.assets
        if (address := urljoin(f"http://site{here}", link)).startswith("http://site/")
    ]
    broken = [
        f"{here}: {link}"
        for here, link, path, fragment in internal
        if not exists(unquote(path), fragment)
    ]

    assert len(pages) > 30
    assert broken == []


def test_no_asset_comes_from_elsewhere(pages: dict[str, Page]) -> None:
    foreign = {
        f"{here}: {asset}"
        for here, page in pages.items()
        for asset in page.assets
        if asset.startswith(("http:", "https:", "//"))
    }

    assert foreign == set()


def test_no_page_logs_an_error_or_asks_another_address(
    chromium: Browser, address: str, pages: dict[str, Page]
) -> None:
    chromium.visit("about:blank")  # leave the browser's own first page behind
    chromium.complaints()
    chromium.requests()
    for here in sorted(pages.keys() - {"/404.html"}):
        chromium.visit(address + here)
        chromium.wait("document.readyState", "complete")

        assert chromium.complaints() == [], here
    asked = chromium.requests()
    assert len(asked) > len(pages)
    assert [a for a in asked if not a.startswith((address, "data:", "about:"))] == []


def test_search_finds_the_signatures(chromium: Browser, address: str) -> None:
    chromium.visit(address)
    chromium.wait("document.querySelector('.md-search__input') !== null")
    chromium.run("document.querySelector('#__search').click()")
    chromium.type(".md-search__input", "signature")
    chromium.wait("document.querySelector('.md-search-result__link') !== null")
    links: list[str] = chromium.run(
        "return [...document.querySelectorAll('.md-search-result__link')]"
        ".map(link => new URL(link.href).pathname)"
    )

    assert "/methodology/f1-signatures/" in links
    assert chromium.complaints() == []
