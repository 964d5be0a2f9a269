# SPDX-License-Identifier: GPL-2.0-only
"""A page in Chromium without a window, by its DevTools protocol: JSON over two pipes."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SECONDS = 60


class Browser:
    """One page at a time. errors has what it complained of."""

    def __init__(self):
        # 3 and 4 in Chromium are where it reads and writes.
        read, self._out = os.pipe()
        self._in, write = os.pipe()
        self._profile = tempfile.TemporaryDirectory(prefix="roce-browser-")
        command = [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
                   "--no-first-run", "--disable-extensions", f"--user-data-dir={self._profile.name}", "about:blank"]
        self._process = subprocess.Popen(["bash", "-c", f'exec "$@" 3<&{read} 4>&{write}', "bash", *command], pass_fds=(read, write),
                                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read)
        os.close(write)
        self._number, self._buffer, self._session = 0, b"", None
        self.errors = []
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait(SECONDS)
        os.close(self._in)
        os.close(self._out)
        self._profile.cleanup()

    def _message(self):
        while b"\0" not in self._buffer:
            block = os.read(self._in, 1 << 20)
            assert block, "Chromium has ended"
            self._buffer += block
        text, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(text)
        method, given = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(given["exceptionDetails"].get("exception", {}).get("description", str(given)))
        elif method == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
            self.errors.append(str(given["args"]))
        elif method == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.errors.append(given["entry"]["text"])
        elif method == "Network.requestWillBeSent" and not given["request"]["url"].startswith(("file:", "data:", "about:")):
            self.errors.append(f"asks the network for {given['request']['url']}")
        return message

    def call(self, method, **given):
        """A command. @return its result"""
        self._number += 1
        message = {"id": self._number, "method": method, "params": given, **({"sessionId": self._session} if self._session else {})}
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while (answer := self._message()).get("id") != self._number:
            pass
        assert "error" not in answer, f"{method}: {answer}"
        return answer["result"]

    def open(self, path, width, height=900, dark=False):
        """A file in a window of that width."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=Path(path).resolve().as_uri())
        while self._message().get("method") != "Page.loadEventFired":
            pass

    def run(self, script):
        """@return the value of an expression of JavaScript"""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, f"{script}: {answer['exceptionDetails']}"
        return answer["result"].get("value")

    def click(self, x, y):
        """The left button at a place of the window."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=int(kind == "mousePressed"), clickCount=1)

    def picture(self, path):
        """The whole page as PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=True, clip={
            "x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1})["data"]))
