"""A headless Chromium, driven over its DevTools protocol; for tests only."""

import base64
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from websockets.sync.client import connect

PATIENCE = 1200.0  # s; what is waited for comes, however slow and busy the machine: this only ends what hangs

SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--enable-unsafe-swiftshader",
    "--use-angle=swiftshader",
    "--window-size=1100,900",
    "--remote-debugging-port=0",
    "--remote-allow-origins=*",
)


def find():
    """Return the path of a Chromium; None: there is none."""
    return next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )


class Chromium:
    """One page in one browser, which ends with the block."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # its helpers may still write there
        command = [find(), *SWITCHES, f"--user-data-dir={self._folder.name}", "about:blank"]
        self._process = subprocess.Popen(
            command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, start_new_session=True
        )
        for line in self._process.stderr:
            if found := re.search(r"ws://(\S+)/devtools/browser/", line):
                break
        else:
            raise RuntimeError("chromium did not start")
        self._number, self.errors = 0, []
        with connect(found[0] + line.split("/devtools/browser/")[1].strip(), max_size=None) as browser:
            browser.send(json.dumps({"id": 1, "method": "Target.getTargets"}))
            targets = json.loads(browser.recv())["result"]["targetInfos"]
        target = next(target["targetId"] for target in targets if target["type"] == "page")
        self._page = connect(f"ws://{found[1]}/devtools/page/{target}", max_size=None)
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        self._page.close()
        self._process.terminate()
        self._process.wait()
        with contextlib.suppress(ProcessLookupError):  # helpers that have outlived it
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.stderr.close()
        self._folder.cleanup()

    def call(self, method, **parameters):
        """Call a method of the protocol; what the page complains of meanwhile goes to ``errors``."""
        self._number += 1
        self._page.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._page.recv(timeout=PATIENCE))
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self._note(answer.get("method", ""), answer.get("params", {}))

    def _note(self, method, words):
        bad_call = method == "Runtime.consoleAPICalled" and words["type"] in ("error", "assert")
        bad_entry = method == "Log.entryAdded" and words["entry"]["level"] == "error"
        if method == "Runtime.exceptionThrown" or bad_call or bad_entry:
            self.errors.append(words)

    def open(self, address):
        self.call("Page.navigate", url=address)

    def run(self, script):
        """Return the value of a JavaScript expression."""
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def until(self, script):
        """Wait until an expression is true; return its value."""
        end = time.monotonic() + PATIENCE
        while not (value := self.run(script)):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.1)
        return value

    def click(self, selector, text=""):
        """Click on the visible element of a selector that has this text, as a mouse does."""
        script = (
            f"(() => {{const e = [...document.querySelectorAll({selector!r})].find(e => e.offsetParent"
            f" && ({text!r} === '' || e.textContent.trim() === {text!r}));"
            "if (!e) return null; e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2]})()"
        )
        x, y = self.until(script)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self):
        """Return a screenshot as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
