#!/usr/bin/env python3
"""Runs programs in a root folder, side by side; the first process of namespaces of their own (room.py starts it so).

Reads from standard input, as JSON: root, the root folder; build, a folder to be seen there under its own path; limit,
in seconds; programs, each with words, environment, and background, if it serves the others and is ended after them.
Writes, as JSON, for each program its status (None: it took too long) and its output."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

END_SECONDS = 5  # that a program of the background has to end


def mount(*words):
    subprocess.run(["mount", *map(str, words)], check=True)


def furnish(root, build):
    mount("-t", "proc", "proc", root / "proc")
    inside = root / str(build).lstrip("/")
    inside.mkdir(parents=True, exist_ok=True)
    mount("--bind", "-o", "ro", build, inside)
    for name in ("null", "zero", "urandom"):
        (root / "dev" / name).touch()
        mount("--bind", f"/dev/{name}", root / "dev" / name)
    (root / "dev/shm").mkdir(exist_ok=True)
    for name in ("dev/shm", "tmp", "run"):
        mount("-t", "tmpfs", "-o", "mode=1777", "tmpfs", root / name)


class Program:
    def __init__(self, root, asked):
        self.background = asked.get("background", False)
        self.file = tempfile.TemporaryFile()

        def go_in():
            os.chroot(root)
            os.chdir("/")

        self.process = subprocess.Popen(asked["words"], env=asked["environment"], preexec_fn=go_in,
                                        stdin=subprocess.DEVNULL, stdout=self.file, stderr=subprocess.STDOUT)

    def wait(self, seconds):
        try:
            return self.process.wait(max(seconds, 0.1))
        except subprocess.TimeoutExpired:
            return None

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.wait(END_SECONDS)
        return 0 if status == -signal.SIGTERM else status

    def told(self, status):
        if status is None:
            self.process.kill()
            self.process.wait()
        self.file.seek(0)
        return {"status": status, "output": self.file.read().decode(errors="replace")}


def main():
    asked = json.load(sys.stdin)
    furnish(Path(asked["root"]), Path(asked["build"]))
    ends = time.monotonic() + asked["limit"]
    programs = []
    for each in asked["programs"]:
        programs.append(Program(asked["root"], each))
        time.sleep(each.get("head_start", 0))
    told = {program: program.told(program.wait(ends - time.monotonic()))
            for program in programs if not program.background}
    told |= {program: program.told(program.end()) for program in programs if program.background}
    json.dump([told[program] for program in programs], sys.stdout)


if __name__ == "__main__":
    main()
