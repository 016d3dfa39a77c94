"""A browser without a window: pages in, pictures and values out, for video and tests.

Speaks the DevTools protocol over a pipe (JSON messages, each ended by a zero byte): a Chromium is all it takes.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from linkwork.errors import LinkworkError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
FLAGS = (
    "--headless", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--disable-quic",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--mute-audio", "--force-color-profile=srgb",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu",
)  # fmt: skip
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39}
PATIENCE = 60.0  # seconds for one answer


def find_browser() -> str | None:
    """The program of a Chromium or a relative of it: $LINKWORK_BROWSER, or the first one found."""
    wanted = os.environ.get("LINKWORK_BROWSER")
    if wanted:
        return shutil.which(wanted)
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    return found or next((path for path in PLACES if os.access(path, os.X_OK)), None)


def require_browser() -> str:
    """The program of a browser, or an error that says how to get one."""
    program = find_browser()
    if program is None:
        remedy = "Install one (on Debian and Ubuntu: apt-get install chromium), or name it in LINKWORK_BROWSER"
        raise LinkworkError(f"there is no Chromium or Chrome to draw with. {remedy}")
    return program


class Browser:
    """One page in a browser of its own, closed at the end of `with`.

    errors      what the page complained about: exceptions and messages of the console
    requests    addresses the page asked for, its own first
    """

    def __init__(self, *, width: int = 1280, height: int = 800, reduced_motion: bool = False) -> None:
        if sys.platform == "win32":
            raise LinkworkError("pictures without a window need Linux or macOS; the page itself opens everywhere")
        program = require_browser()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._loaded = False
        self._buffer = b""
        self._count = 0
        self._context = ""
        self._session: str | None = None
        self._profile = tempfile.mkdtemp(prefix="linkwork-browser-")
        try:
            self._start(program, width, height)
            self.fresh(width=width, height=height, reduced_motion=reduced_motion)
        except BaseException:
            self.close()
            raise

    def _start(self, program: str, width: int, height: int) -> None:
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        own = [f"--window-size={width},{height}", f"--user-data-dir={self._profile}", "about:blank"]
        words = [program, *FLAGS, *root, *own]
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()

        def connect() -> None:
            # the browser listens on descriptor 3 and answers on 4; move ours out of the way first
            a, b = os.dup(to_read), os.dup(to_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(
            words, stdin=quiet, stdout=quiet, stderr=quiet, close_fds=False, preexec_fn=connect, start_new_session=True
        )
        os.close(to_read)
        os.close(to_write)

    def fresh(self, *, width: int = 1280, height: int = 800, reduced_motion: bool = False) -> None:
        """Another page, empty, that knows nothing of the one before."""
        before, self._session = self._context, None
        self._context = self.call("Target.createBrowserContext")["browserContextId"]
        page = self.call("Target.createTarget", url="about:blank", browserContextId=self._context)["targetId"]
        if before:
            self.call("Target.disposeBrowserContext", browserContextId=before)
        self.errors, self.requests = [], []
        self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        if reduced_motion:
            self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the browser and forget its profile."""
        if self._process is not None:
            # a session of its own: its helpers end with it and write no more
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None
            for pipe in (self._read, self._write):
                os.close(pipe)
        for _ in range(20):
            shutil.rmtree(self._profile, ignore_errors=True)
            if not os.path.exists(self._profile):
                break
            time.sleep(0.05)

    # -- what it can do -------------------------------------------------------------------------------------------

    def open(self, path: Path) -> None:
        """Load a page from a file and wait until it is there."""
        self._loaded = False
        self.call("Page.navigate", url=path.absolute().as_uri())
        self._until(lambda: self._loaded)

    def evaluate(self, code: str) -> Any:
        """The value of an expression in the page; promises are waited for."""
        found = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            details = found["exceptionDetails"]
            raise LinkworkError(f"the page failed: {details.get('exception', {}).get('description', details['text'])}")
        return found["result"].get("value")

    def picture(self) -> bytes:
        """What the page looks like, as PNG."""
        found = self.call("Page.captureScreenshot", format="png", optimizeForSpeed=True)
        return base64.b64decode(found["data"])

    def resize(self, width: int, height: int) -> None:
        """Give the page another size in pixels."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def press(self, key: str) -> None:
        """Press and release a key, by the name the page's programs see: "a", " ", "Tab", "ArrowLeft"."""
        number = KEYS.get(key, ord(key[0].upper()))
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        for kind, more in (("keyDown", text), ("keyUp", {})):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=number, **more)

    # -- the protocol ---------------------------------------------------------------------------------------------

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask the browser and wait for its answer."""
        self._count += 1
        number = self._count
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        try:
            os.write(self._write, json.dumps(message).encode() + b"\0")
        except OSError as error:
            raise LinkworkError("the browser has ended unexpectedly") from error
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self._next(deadline)
            if answer.get("id") == number:
                if "error" in answer:
                    raise LinkworkError(f"the browser refused {method}: {answer['error'].get('message', '')}")
                return dict(answer["result"])

    def _until(self, done: Any) -> None:
        deadline = time.monotonic() + PATIENCE
        while not done():
            self._next(deadline)

    def _next(self, deadline: float) -> dict[str, Any]:
        """The next message; events are noted on the way."""
        while b"\0" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._read], [], [], left)[0]:
                raise LinkworkError(f"the browser did not answer within {PATIENCE:g} s")
            data = os.read(self._read, 1 << 20)
            if not data:
                raise LinkworkError("the browser has ended unexpectedly")
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, content: dict[str, Any]) -> None:
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(content["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = content["exceptionDetails"]
            self.errors.append(str(details.get("exception", {}).get("description", details["text"])))
        elif method == "Runtime.consoleAPICalled" and content["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(arg.get("value", arg.get("description", ""))) for arg in content["args"]))
        elif method == "Log.entryAdded" and content["entry"]["level"] == "error":
            self.errors.append(str(content["entry"]["text"]))
