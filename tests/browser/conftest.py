import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from .chromium import Browser


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser for all tests of this folder."""
    program, server = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or server is None:
        pytest.skip("no Chromium here: apt-get install chromium chromium-driver")
    with subprocess.Popen(
        [server, "--port=0"], stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        started = (re.search(r"successfully on port (\d+)", line) for line in lines)
        port = next(match[1] for match in started if match)
        try:
            with httpx.Client(
                base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False
            ) as driver:
                browser = Browser(driver, tmp_path_factory.mktemp("profile"), program)
                yield browser
                browser.quit()
        finally:
            process.terminate()


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """A desktop window; a page that logs an error or asks for an address fails."""
    chromium.cdp("Emulation.setEmulatedMedia", features=[])
    chromium.screen(1280, 900)
    chromium.complaints()
    chromium.requests()
    yield chromium
    assert chromium.complaints() == []
    asked = chromium.requests()
    assert any(address.startswith("file:") for address in asked)
    assert all(address.startswith(("file:", "data:")) for address in asked)


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Callable[..., None]:
    """Open a page and wait for its list."""

    def show(html: str, fragment: str = "") -> None:
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        browser.open(path, fragment)
        browser.wait("document.querySelector('#list table') !== null")

    return show
