"""A headless Chromium, spoken to in its own protocol.

https://chromedevtools.github.io/devtools-protocol/
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import websocket

from tests.processes import PATIENCE, start, wait_until

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SHIFT, CONTROL = 8, 2


def find_browser() -> str | None:
    """Return the path of a Chromium: KUBECTL_SPY_BROWSER, or what is installed."""
    names = (os.environ.get("KUBECTL_SPY_BROWSER", ""), *_NAMES)
    return next((path for name in names if name and (path := shutil.which(name))), None)


class Tab:
    """A tab; *complaints* is what its console said, or what its script threw."""

    def __init__(self, address: str) -> None:
        self._socket = websocket.create_connection(
            address, timeout=PATIENCE, suppress_origin=True
        )
        self._number = 0
        self.complaints: list[str] = []
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return the answer to a command."""
        self._number += 1
        self._socket.send(
            json.dumps({"id": self._number, "method": method, "params": parameters})
        )
        while True:
            message: dict[str, Any] = json.loads(self._socket.recv())
            if message.get("id") == self._number:
                assert "error" not in message, message["error"]
                result: dict[str, Any] = message["result"]
                return result
            if message.get("method") in (
                "Log.entryAdded",
                "Runtime.consoleAPICalled",
                "Runtime.exceptionThrown",
            ):
                self.complaints.append(json.dumps(message["params"]))

    def open(self, path: Path) -> None:
        """Open the file at *path*, and return when it is drawn."""
        self.call("Page.navigate", url=path.as_uri())
        self.wait_for(
            f"location.href === {path.as_uri()!r} && document.readyState === 'complete'"
        )
        self.settle()

    def run(self, script: str) -> Any:
        """Return the value of a JavaScript expression."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, script: str) -> None:
        wait_until(lambda: self.run(script), lambda: script)

    def settle(self) -> None:
        """Return when what was asked for is drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")

    def screenshot(self, path: Path) -> None:
        """Write what is shown to *path*, as PNG."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def place(self, selector: str) -> tuple[float, float]:
        """Return the middle of the first element that *selector* finds."""
        x, y = self.run(
            f"(() => {{ const box = document.querySelector({selector!r})"
            ".getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        return float(x), float(y)

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def hover(self, selector: str) -> None:
        self.mouse("mouseMoved", *self.place(selector))
        self.settle()

    def click(self, selector: str) -> None:
        x, y = self.place(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)
        self.settle()

    def drag(self, start: tuple[float, float], across: float, held: int = 0) -> None:
        x, y = start
        self.mouse("mousePressed", x, y, button="left", modifiers=held)
        for part in (0.3, 0.7, 1.0):
            at = x + across * part
            self.mouse("mouseMoved", at, y, button="left", buttons=1, modifiers=held)
        self.mouse("mouseReleased", x + across, y, button="left", modifiers=held)
        self.settle()

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)
        self.settle()

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)
        self.settle()

    def close(self) -> None:
        self._socket.close()


@contextmanager
def browsing(browser: str, profile: Path) -> Iterator[Tab]:
    """Run *browser* with an empty *profile*, and give its tab."""
    options = [
        "--headless",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--remote-debugging-port=0",
        f"--user-data-dir={profile}",
        "--window-size=1300,700",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--no-sandbox")  # it refuses to run as root with one
    process = start(
        [browser, *options, "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        port = _port(profile / "DevToolsActivePort")
        tab = Tab(_address(port))
        try:
            yield tab
        finally:
            tab.close()
    finally:
        process.kill()
        process.wait()


def _port(file: Path) -> int:
    wait_until(lambda: file.exists() and file.read_text(), lambda: "it does not start")
    return int(file.read_text().splitlines()[0])


def _address(port: int) -> str:
    from urllib.request import ProxyHandler, build_opener

    opener = build_opener(ProxyHandler({}))
    with opener.open(f"http://127.0.0.1:{port}/json/list", timeout=PATIENCE) as answer:
        pages = [target for target in json.load(answer) if target["type"] == "page"]
    address: str = pages[0]["webSocketDebuggerUrl"]
    return address
