"""The common part of the page's tests: a server, programs that only pretend to have a device, xcli web, Chromium."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from browser import Browser

PROGRAMS = 10
QUEUES = 10
PATIENCE_S = 30
NAME = ".name-link"
MOST_SEEN = "document.querySelectorAll('.name-link').length"


def begin(words, environment, until):
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True)
    text = ""
    for line in process.stdout:
        text += line
        if until in line:
            return process, text
    raise RuntimeError(f"{words[0]} ended without \"{until}\"")


class PageCase(unittest.TestCase):
    given = None  # the command line

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        socket = cls.folder.name + "/x.sock"
        cls.environment = {**os.environ, "XSCHED_SOCKET": socket, "XDG_RUNTIME_DIR": cls.folder.name}
        cls.processes = []
        cls.addClassCleanup(cls.end_all)
        cls.start([cls.given.bin / "xserver", "--no-supervise", "--socket", socket], "listening on")
        cls.start([cls.given.crowd, socket, str(PROGRAMS), str(QUEUES)], "programs")
        text = cls.start([cls.given.bin / "xcli", "web", "--listen", "127.0.0.1:0"], "#token=")
        cls.url = re.search(r"http://\S+", text)[0]
        cls.origin = re.match(r"http://[^/]+/", cls.url)[0]
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def start(cls, words, until):
        process, text = begin([str(word) for word in words], cls.environment, until)
        cls.processes.append(process)
        return text

    @classmethod
    def end_all(cls):
        for process in reversed(cls.processes):
            process.terminate()
            process.wait(PATIENCE_S)
            process.stdout.close()

    def open(self, query="", width=1280, height=900, dark=True, still=False, programs=PROGRAMS):
        browser = self.browser
        browser.open("about:blank")
        browser.appear(width, height, dark, still)
        browser.log("browser")
        browser.requests()
        browser.open(self.url.replace("/#", "/" + query + "#"))
        browser.wait(f"{MOST_SEEN} == {programs}", "the programs are shown")
        browser.wait("xsched.past_s !== null", "the timeline has begun")
        return browser

    def check_quiet(self, browser):
        """No error, and no request to another server."""
        self.assertEqual([it for it in browser.log("browser") if it["level"] in ("SEVERE", "WARNING")], [])
        asked = browser.requests()
        self.assertGreater(len(asked), 5)
        self.assertEqual([url for url in asked if not url.startswith(self.origin)], [])

    def xcli(self, *words):
        done = subprocess.run([self.given.bin / "xcli", *words, "--json"], env=self.environment, capture_output=True,
                              text=True, check=True, timeout=PATIENCE_S)
        return json.loads(done.stdout)

    def least_urgent(self):
        """The number of a program that others keep waiting."""
        return min(self.xcli("explain")["programs"], key=lambda it: it["facts"]["priority"])["pid"]

    def priority_of(self, pid):
        programs = self.xcli("explain", str(pid))["programs"]
        return programs[0]["facts"]["priority"]

    def open_program(self, browser):
        """The page of the first program. Returns its number."""
        pid = int(browser.js(f"return document.querySelector('{NAME}').dataset.pid"))
        browser.click(NAME)
        browser.wait(f"location.search.includes('program={pid}')", "the program's page is shown")
        browser.wait("document.getElementById('program-headline').textContent.length > 10", "the reason is told")
        return pid


def main(about):
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--bin", type=Path, required=True, help="the folder with xserver and xcli")
    parser.add_argument("--crowd", type=Path, required=True, help="web_crowd")
    PageCase.given, rest = parser.parse_known_args()
    if why := Browser.missing():
        print(f"skipped: {why}")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
