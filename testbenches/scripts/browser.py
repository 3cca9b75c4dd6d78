# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium for tests of pages, driven through its debugging pipe; needs nothing but the browser."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One page at a time. `complaints`: what the page has written to the console as error, and its exceptions."""

    def __init__(self, width: int = 1280, height: int = 900):
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"]
        # Chromium reads commands from descriptor 3 and writes to 4.
        words = [PROGRAM, *options, f"--user-data-dir={self._profile.name}", "about:blank"]
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", f'exec 3<&{to_read} 4>&{to_write} "$@"', "sh", *map(str, words)],
            pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_read)
        os.close(to_write)
        self._buffer, self._number = b"", 0
        self.complaints: list[str] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = None
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.size(width, height)

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._profile.cleanup()

    def size(self, width: int, height: int, mobile: bool = False) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def open(self, path: Path, fragment: str = "") -> None:
        """Returns when the page says that it is ready."""
        self.complaints.clear()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=path.resolve().as_uri() + fragment)
        self.wait("document.documentElement?.dataset.ready && location.protocol === 'file:'")

    def wait(self, condition: str, seconds: float = 1200) -> None:
        end = time.monotonic() + seconds
        while not self.value(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s: {condition}; {self.complaints}")
            time.sleep(0.02)

    def value(self, expression: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def press(self, key: str, code: int) -> None:
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    def click(self, x: float, y: float) -> None:
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, x: float, y: float, to_y: float) -> None:
        for kind, at in (("mouseMoved", y), ("mousePressed", y), ("mouseMoved", to_y), ("mouseReleased", to_y)):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=at, button="left", clickCount=1)

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def pdf(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"]))

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._call(method, **parameters)

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if getattr(self, "_session", None):
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            self._note(answer)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], 90)
            block = os.read(self._from, 1 << 20) if ready else b""
            if not block:
                raise AssertionError("the browser does not answer")
            self._buffer += block
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def _note(self, message: dict[str, Any]) -> None:
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(str(parameters["exceptionDetails"].get("exception", {}).get("description")))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
            self.complaints.append(str([argument.get("value") for argument in parameters["args"]]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.complaints.append(parameters["entry"]["text"])
