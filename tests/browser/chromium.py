"""Drive a Chromium window over WebDriver."""

import json
import time
from pathlib import Path
from typing import Any

import httpx

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
TAB, ENTER, ESCAPE = "\ue004", "\ue007", "\ue00c"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # as the standard names a reference


class Browser:
    """One Chromium window and what it logged."""

    def __init__(self, driver: httpx.Client, profile: Path, chromium: str) -> None:
        self._driver = driver
        self._session = ""
        options = {
            "binary": chromium,
            "args": [*FLAGS, f"--user-data-dir={profile}"],
        }
        created = self._call(
            "/session",
            capabilities={
                "alwaysMatch": {
                    "goog:chromeOptions": options,
                    "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                }
            },
        )
        self._session = f"/session/{created['sessionId']}"

    def _call(self, path: str, **body: object) -> Any:
        value = self._driver.post(self._session + path, json=body).json()["value"]
        if isinstance(value, dict) and "error" in value:
            raise AssertionError(value["message"])
        return value

    def quit(self) -> None:
        self._driver.delete(self._session)

    def open(self, path: Path, fragment: str = "") -> None:
        # by way of a blank page, so that the same address is loaded anew
        self.visit("about:blank")
        self.visit(path.as_uri() + fragment)

    def visit(self, address: str) -> None:
        self._call("/url", url=address)

    def run(self, script: str, *arguments: object) -> Any:
        return self._call("/execute/sync", script=script, args=list(arguments))

    def cdp(self, command: str, **parameters: object) -> Any:
        return self._call("/goog/cdp/execute", cmd=command, params=parameters)

    def wait(self, expression: str, expected: object = True) -> None:
        """Wait until an expression has a value, for ten seconds at most."""
        end = time.monotonic() + 10
        while (value := self.run(f"return {expression}")) != expected:
            assert time.monotonic() < end, f"{expression} stays {str(value)[:200]}"

    def screen(self, width: int, height: int, *, mobile: bool = False) -> None:
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=mobile,
        )

    def wait_for_detail(self, *, is_open: bool = True) -> None:
        self.wait("document.getElementById('detail').open", expected=is_open)

    def element(self, css: str) -> str:
        found = self._call("/element", using="css selector", value=css)
        return str(found[ELEMENT])

    def click(self, css: str) -> None:
        self._call(f"/element/{self.element(css)}/click")

    def type(self, css: str, text: str) -> None:
        self._call(f"/element/{self.element(css)}/value", text=text)

    def select(self, name: str, label: str) -> None:
        self.type(f"#filters [name={name}]", label)

    def press(self, *keys: str) -> None:
        strokes = [
            {"type": kind, "value": key}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        source = {"type": "key", "id": "keyboard", "actions": strokes}
        self._call("/actions", actions=[source])

    def tab_to(self, css: str) -> None:
        """Press the tab key until an element has the focus."""
        for _ in range(40):
            self.press(TAB)
            if self.run("return document.activeElement.matches(arguments[0])", css):
                return
        raise AssertionError(f"the tab key does not reach {css}")

    def text(self, css: str) -> str:
        return str(
            self.run("return document.querySelector(arguments[0]).innerText", css)
        )

    def column(self, number: int) -> list[str]:
        cells = f"#list tbody tr > :nth-child({number})"
        script = (
            "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)"
        )
        found: list[str] = self.run(script, cells)
        return found

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self._call("/se/log", type="browser")]

    def requests(self) -> list[str]:
        """Return the addresses asked for since the last call."""
        log = [
            json.loads(entry["message"])["message"]
            for entry in self._call("/se/log", type="performance")
        ]
        return [
            event["params"]["request"]["url"]
            for event in log
            if event["method"] == "Network.requestWillBeSent"
        ]
