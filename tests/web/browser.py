"""Headless Chromium over WebDriver, with the standard library alone. Browser.missing() says why there is none."""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# Options for Chromium. It opens only our own page, so it runs without its sandbox, which root and containers cannot
# have; most of the others keep it from contacting its maker's hosts.
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"]
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Down": "\ue015", "Left": "\ue012", "Up": "\ue013"}
PATIENCE_S = 60


class BrowserError(RuntimeError):
    """The error that WebDriver answers instead of a value."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Browser:
    """One window. Use it in a with statement."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        port = free_port()
        self.driver = subprocess.Popen([shutil.which("chromedriver"), f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.folder.name})
        self.base = f"http://127.0.0.1:{port}"
        self.session = ""
        try:
            self.wait_for_driver()
            self.begin()
        except BaseException:
            self.close()
            raise

    @staticmethod
    def missing():
        names = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
        return f"{' and '.join(names)} not installed (scripts/install_deps.sh browser)" if names else ""

    def wait_for_driver(self):
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                if self.call("GET", "/status")["ready"]:
                    return
            except (OSError, BrowserError):
                if time.monotonic() > until:
                    raise
            time.sleep(0.05)

    def begin(self):
        flags = FLAGS + [f"--user-data-dir={self.folder.name}/profile"]
        options = {"binary": shutil.which("chromium"), "args": flags, "perfLoggingPrefs": {"enableNetwork": True}}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = "/session/" + answer["sessionId"]

    def appear(self, width, height, dark, still):
        """The size of the window, and what the page is told that its user prefers."""
        prefers = {"prefers-color-scheme": "dark" if dark else "light",
                   "prefers-reduced-motion": "reduce" if still else "no-preference"}
        self.devtools("Emulation.setEmulatedMedia",
                      {"features": [{"name": name, "value": value} for name, value in prefers.items()]})
        self.devtools("Emulation.setDeviceMetricsOverride",
                      {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def close(self):
        if self.session:
            try:
                self.call("DELETE", self.session)
            except (OSError, BrowserError):
                pass
        self.driver.terminate()
        self.driver.wait()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=PATIENCE_S) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise BrowserError(json.load(error)["value"]["message"].split("\n")[0]) from None

    def devtools(self, command, parameters):
        return self.call("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, url):
        self.call("POST", self.session + "/url", {"url": url})

    def js(self, script, *arguments):
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, what, seconds=PATIENCE_S):
        """The value of the JavaScript expression once it is true."""
        until = time.monotonic() + seconds
        while True:
            value = self.js(f"return {script}")
            if value:
                return value
            if time.monotonic() > until:
                raise BrowserError(f"it does not happen within {seconds} s: {what} ({script})")
            time.sleep(0.05)

    def element(self, css):
        found = self.call("POST", self.session + "/element", {"using": "css selector", "value": css})
        return f"{self.session}/element/{found[ELEMENT]}"

    def click(self, css):
        self.call("POST", self.element(css) + "/click", {})

    def type(self, css, text):
        element = self.element(css)
        self.call("POST", element + "/clear", {})
        self.call("POST", element + "/value", {"text": text})

    def upload(self, css, path):
        self.call("POST", self.element(css) + "/value", {"text": path})

    def press(self, *names):
        """Keys for whatever has the focus."""
        actions = []
        for name in names:
            key = KEYS.get(name, name)
            actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.call("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def drag(self, css, begin, end):
        """With the mouse across an element, between two places in pixels from its left edge."""
        at = self.js("const it = document.querySelector(arguments[0]).getBoundingClientRect();"
                     "return [it.left, it.top + it.height / 2].map(Math.round)", css)
        actions = [{"type": "pointerMove", "x": at[0] + begin, "y": at[1]}, {"type": "pointerDown", "button": 0},
                   {"type": "pointerMove", "x": at[0] + end, "y": at[1], "duration": 100},
                   {"type": "pointerUp", "button": 0}]
        self.call("POST", self.session + "/actions",
                  {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
                                "actions": actions}]})

    def log(self, kind):
        return self.call("POST", self.session + "/se/log", {"type": kind})

    def requests(self):
        """The addresses that pages asked for since the last call; not what the browser has inside itself."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        asked = [it["params"]["request"]["url"] for it in messages if it["method"] == "Network.requestWillBeSent"]
        return [url for url in asked if not url.startswith(("chrome:", "data:"))]

    def js_later(self, script, *arguments):
        """As js(); the script calls its last argument with the result."""
        return self.call("POST", self.session + "/execute/async", {"script": script, "args": list(arguments)})

    def screenshot(self):
        return self.call("GET", self.session + "/screenshot")
