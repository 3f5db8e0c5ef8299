# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""A headless Chromium, driven over its debugging pipe.

    with Browser("build/playground/index.html#example") as page:
        page.wait("document.title !== ''")
        print(page.evaluate("document.title"))
        page.screenshot("page.png")
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time


def find_browser():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class PageLeft(RuntimeError):
    """The page was left while it was asked: the next one may answer."""


class Browser:
    """One page. Commands are JSON that ends with a zero byte, on file descriptors 3 and 4."""

    def __init__(self, address, size=(1300, 800)):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_child, self.to = os.pipe()
        self.back, from_child = os.pipe()

        def as_three_and_four():
            # Above 4 first: one of the pipes may have one of the numbers.
            read, write = os.dup2(to_child, 100), os.dup2(from_child, 101)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [find_browser(), "--headless=new", "--no-sandbox", "--disable-gpu",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}",
             f"--window-size={size[0]},{size[1]}", "about:blank"],
            preexec_fn=as_three_and_four, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.number, self.rest, self.session = 0, b"", None
        pages = [target for target in self.call("Target.getTargets")["targetInfos"]
                 if target["type"] == "page"]
        self.session = self.call("Target.attachToTarget", targetId=pages[0]["targetId"],
                                 flatten=True)["sessionId"]
        path, _, fragment = str(address).partition("#")
        where = pathlib.Path(path).resolve().as_uri() + ("#" + fragment if fragment else "")
        self.call("Page.navigate", url=where)
        self.wait("location.protocol !== 'about:' && document.readyState === 'complete'")

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        self.profile.cleanup()

    def call(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.to, json.dumps(command).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    words = answer["error"]["message"]
                    left = "navigated" in words or "context" in words
                    raise (PageLeft if left else RuntimeError)(f"{method}: {words}")
                return answer["result"]

    def _read(self):
        while b"\0" not in self.rest:
            more = os.read(self.back, 1 << 16)
            if not more:
                raise RuntimeError("the browser ended")
            self.rest += more
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    def evaluate(self, expression):
        """The value of JavaScript; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description"))
        return answer["result"].get("value")

    def wait(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not self._holds(condition):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.05)

    def _holds(self, condition):
        try:
            return self.evaluate(condition)
        except PageLeft:
            return False

    def screenshot(self, path):
        picture = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(picture))
