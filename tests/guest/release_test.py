#!/usr/bin/env python3
"""A program and a server of different releases: the program runs, unscheduled, and one line says which versions there
are and what to do. The other release is a fixture: 0.9.0's first messages, as its libraries and its server send them.

  release_test.py --build BIN --driver LIBRARY --guest PROGRAM [unittest's arguments]
"""
import argparse
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from script import eventually, run_tests  # noqa: E402

GIVEN = argparse.Namespace()
PROGRAM_S = 60  # safety
READY_S = 30
# Release 0.9.0. These numbers and layouts never change, since programs and containers keep its libraries.
MAGIC = 0x44435358
PROTOCOL_0_9_0 = 25
HELLO = struct.Struct("<IIII64si")    # magic, version, bytes, kind, program, pid
WELCOME = struct.Struct("<IIIIIiQ")   # magic, version, bytes, status, client, server's pid, bytes of the memory
CLIENT, TOOL = 1, 2
WRONG_VERSION = 1


class Server(threading.Thread):
    """Answers each Hello as a server of this protocol does if it knows no other one."""

    def __init__(self, path, protocol):
        super().__init__(daemon=True)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(path)
        self.listener.listen(8)
        self.protocol = protocol
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(HELLO.size)
                connection.send(WELCOME.pack(MAGIC, self.protocol, WELCOME.size, WRONG_VERSION, 0, os.getpid(), 0))

    def end(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class Releases(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xsched-release-")
        self.addCleanup(folder.cleanup)
        self.path = f"{folder.name}/socket"
        self.environment = {**os.environ, "XSCHED_SOCKET": self.path, "XSCHED_CUDA_LIB": str(GIVEN.driver),
                            "XLOG_LEVEL": "WARN"}

    def run_tool(self, *words, **more):
        return subprocess.run(words, env={**self.environment, **more}, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=PROGRAM_S)

    def expect_one_line(self, protocol, word, advice):
        server = Server(self.path, protocol)
        self.addCleanup(server.end)
        done = self.run_tool(GIVEN.guest, "cuda", "none", "2",
                             LD_PRELOAD=str(GIVEN.build.parent / "lib/libshimcuda.so"))
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1:]), (0, ["right"]), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertRegex(done.stderr, rf"protocol {protocol}, which is {word} than \d+ of this process: {advice}")
        self.assertIn("it runs unscheduled", done.stderr)
        asked = self.run_tool(GIVEN.build / "xcli", "list")
        self.assertEqual((asked.returncode, len(asked.stderr.splitlines())), (3, 1), asked.stderr)
        self.assertRegex(asked.stderr, rf"speaks protocol {protocol}, which is {word} than \d+")

    def test_a_program_runs_beside_a_server_of_0_9_0(self):
        self.expect_one_line(PROTOCOL_0_9_0, "older", "update xserver")

    def test_a_program_runs_beside_a_server_of_a_later_release(self):
        self.expect_one_line(999, "newer", "update the XSched tools and libraries")

    def start_server(self):
        log = Path(self.path + ".log")
        with log.open("w") as file:
            server = subprocess.Popen([GIVEN.build / "xserver"], env={**self.environment, "XLOG_LEVEL": "INFO"},
                                      stdout=file, stderr=file)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        self.wait_for(lambda: self.run_tool(GIVEN.build / "xcli", "policy").returncode == 0)
        return log

    def wait_for(self, condition):
        self.assertTrue(eventually(condition, READY_S), f"not so after {READY_S} s")

    def greet(self, kind):
        """Sends what a client of 0.9.0 sends; returns the answer, and what comes after it."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.settimeout(READY_S)
            client.connect(self.path)
            client.send(HELLO.pack(MAGIC, PROTOCOL_0_9_0, HELLO.size, kind, b"old", os.getpid()))
            answer, descriptors, _, _ = socket.recv_fds(client, WELCOME.size, 1)
            return WELCOME.unpack(answer), descriptors, client.recv(1)

    def test_the_server_tells_clients_of_0_9_0_to_go_on_alone(self):
        log = self.start_server()
        for kind in (CLIENT, TOOL):
            answer, descriptors, after = self.greet(kind)
            self.assertEqual((answer[0], answer[2], answer[3]), (MAGIC, WELCOME.size, WRONG_VERSION))
            self.assertGreater(answer[1], PROTOCOL_0_9_0, "a protocol number is never used again")
            self.assertEqual((descriptors, after), ([], b""), "no memory comes along, and the connection ends")
        self.wait_for(lambda: re.search(rf"speaks protocol {PROTOCOL_0_9_0}, which is older than \d+ of this server: "
                                        "update its XSched libraries", log.read_text()))
        self.assertEqual(self.run_tool(GIVEN.build / "xcli", "list").returncode, 0, "it goes on to serve others")


if __name__ == "__main__":
    run_tests(GIVEN, "build", "driver", "guest")
