#!/usr/bin/python3
"""The token of a web port is worth nothing to a user that takes the port next: neither an open page nor a scraper tells
it a token that opens anything. The page is web/api.js as it is, in node. If root runs this, the stranger is another
user.
"""
import argparse
import json
import queue
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from browser import free_port
from stranger import Stranger

GIVEN = None  # the command line
PATIENCE_S = 60


class Lines:
    """The lines of a process, one by one, with a bound on the wait."""

    def __init__(self, words, **more):
        self.process = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, **more)
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())
        self.lines.put(None)

    def until(self, part):
        said = []
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                said.append(self.lines.get(timeout=max(0.0, until - time.monotonic())))
            except queue.Empty:
                said.append(None)
            if said[-1] is None:
                raise AssertionError(f"nothing says \"{part}\", but {said}")
            if part in said[-1]:
                return said[-1]

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self):
        self.process.kill()
        self.process.wait(PATIENCE_S)
        self.reader.join()
        self.process.stdin.close()
        self.process.stdout.close()


class Token(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.socket = self.folder / "x.sock"
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        shutil.copy(GIVEN.web / "api.js", self.folder / "api.mjs")

    def begin(self, *words, **more):
        process = Lines(words, **more)
        self.addCleanup(process.end)
        return process

    def server(self):
        environment = {"XLOG_LEVEL": "INFO", "PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(self.folder)}
        server = self.begin(GIVEN.bin / "xserver", "--no-supervise", "--socket", self.socket, "HPF", self.port,
                            env=environment)
        server.until("the page and the HTTP API are at")
        server.until("listening on")
        return server, (self.folder / "x.sock.token").read_text(encoding="utf-8").strip()

    def ask(self, path, token="", method="GET", body=None):
        """Status and JSON or text."""
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        request = urllib.request.Request(self.address + path, body, headers, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=PATIENCE_S) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def policy(self, token):
        return json.loads(self.ask("/api/v1/policy", token)[1])["policy"]

    def check_stranger(self, stranger, token, least=1):
        heard = stranger.end()
        self.assertGreaterEqual(len(heard), least)
        for line in heard:
            self.assertNotIn("Authorization", line)
            self.assertNotIn(token, line)

    def test_whoever_takes_the_port_is_told_nothing(self):
        server, token = self.server()
        earlier = json.loads(self.ask("/api/v1/proof?nonce=" + "0" * 32)[1])["proof"]
        tab = self.begin(GIVEN.node, GIVEN.tab, self.folder / "api.mjs", self.address, token)
        tab.until("live")
        tab.say("CFS")
        tab.until("policy CFS")
        server.end()
        tab.until("away")
        with Stranger(self.port, earlier) as stranger:
            tab.until("asks for a token: what listens here does not know the token")
            for line in ("policy", "HPF"):  # what its user does meanwhile
                tab.say(line)
                tab.until("refused: what listens here")
            self.check_stranger(stranger, token, 3)
        server, fresh = self.server()
        self.assertNotEqual(fresh, token)
        for old in (token, earlier):
            self.assertEqual(self.ask("/api/v1/policy", old, "PUT", b'{"name": "CFS"}')[0], 401)
        self.assertEqual(self.policy(fresh), "HPF")

    def test_a_server_that_never_answers_is_named(self):
        tab = self.begin(GIVEN.node, GIVEN.tab, self.folder / "api.mjs", self.address, "0" * 32)
        tab.until("away: xcli web does not answer: start it again")
        with socket.create_server(("127.0.0.1", self.port)):  # as a tunnel that leads nowhere
            tab.until("away: no answer for 5 s: is xcli web stopped, or the tunnel to it broken?")

    def test_the_page_goes_on_with_a_server_that_proves_itself(self):
        _, token = self.server()
        tab = self.begin(GIVEN.node, GIVEN.tab, self.folder / "api.mjs", self.address, token)
        tab.until("live")
        tab.say("policy")
        tab.until("policy HPF")

    def test_what_a_scraper_tells_a_stranger_opens_nothing(self):
        """A scraper cannot ask for a proof. Its token is of one start, and of the numbers alone."""
        _, of_page = self.server()
        port, file = free_port(), self.folder / "metrics.token"
        self.address = f"http://127.0.0.1:{port}"
        words = [GIVEN.bin / "xcli", "metrics", "--listen", f"127.0.0.1:{port}", "--token-file", file]
        environment = {"XSCHED_SOCKET": str(self.socket), "PATH": "/usr/bin:/bin"}
        exporter = self.begin(*words, env=environment)
        exporter.until("metrics at")
        token = file.read_text(encoding="utf-8").strip()
        self.assertEqual(self.ask("/metrics", token)[0], 200)
        self.assertEqual(self.ask("/metrics", of_page)[0], 401)
        exporter.end()
        with Stranger(port, "") as stranger:
            self.assertEqual(self.ask("/metrics", token)[0], 200)
            self.assertIn(token, str(stranger.end()))
        self.begin(*words, env=environment).until("metrics at")
        self.assertEqual(self.ask("/metrics", token)[0], 401)
        self.assertEqual(self.ask("/metrics", file.read_text(encoding="utf-8").strip())[0], 200)
        self.address = f"http://127.0.0.1:{self.port}"
        self.assertEqual(self.ask("/api/v1/status", token)[0], 401)

    def test_prometheus_text_needs_no_token_at_all(self):
        """As a file for node_exporter's textfile collector."""
        self.server()
        done = subprocess.run([GIVEN.bin / "xcli", "metrics"], env={"XSCHED_SOCKET": str(self.socket)}, text=True,
                              capture_output=True, check=True, timeout=PATIENCE_S)
        self.assertIn("# TYPE xsched_server_info gauge\n", done.stdout)  # the collector knows no type "info"
        self.assertIn("\nxsched_", done.stdout)


def main():
    global GIVEN
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, required=True, help="the folder with xserver and xcli")
    here = Path(__file__).resolve().parent
    parser.set_defaults(web=here.parents[1] / "web", tab=here / "tab.mjs", node=shutil.which("node"))
    GIVEN, rest = parser.parse_known_args()
    if GIVEN.node is None:
        print("skipped: node is not installed (scripts/install_deps.sh browser)")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()
