#!/usr/bin/env python3
"""xcli run at a terminal, as a job of bash, zsh, fish and dash: the shell sees one process, the program. Its number
serves every command, signals come once, it stops and goes on and ends as without xcli, and what xcli has to say at the
end is said by a process that is not its parent.

  terminal_test.py --build BUILD/bin --driver FAKE_CUDA --guest PROGRAM [unittest's arguments]
"""
import argparse
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

GIVEN = None
PATIENCE_S = 60  # safety: a machine with ten jobs on each processor
UNUSED = "has ended, and neither it nor what it started used a device under XSched"
SHELLS = {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-o", "nobanghist", "-i"],
          "fish": ["--no-config", "-i"], "dash": ["-i"]}


def eventually(condition):
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


def name_of(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "ended"


def stat_of(pid):
    """State, parent, group and session of a process; None: it is gone."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return words[0], *(int(word) for word in words[1:4])


class Terminal:
    """A shell on a terminal of its own."""

    def __init__(self, name, folder, environment):
        self.name, self.seen, self.marks = name, "", 0
        self.master, slave = pty.openpty()
        attributes = termios.tcgetattr(slave)
        attributes[3] &= ~termios.ECHO
        termios.tcsetattr(slave, termios.TCSANOW, attributes)

        def own_it():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.shell = subprocess.Popen([shutil.which(name), *SHELLS[name]], stdin=slave, stdout=slave, stderr=slave,
                                      cwd=folder, env=environment, preexec_fn=own_it)
        os.close(slave)

    def close(self):
        if self.shell.poll() is None:
            self.shell.kill()
        self.shell.wait()
        os.close(self.master)

    def look(self, seconds=0.0):
        if select.select([self.master], [], [], seconds)[0]:
            try:
                self.seen += os.read(self.master, 65536).decode(errors="replace")
            except OSError:
                return False
        return True

    def wait_for(self, pattern):
        """The match in what comes from here on."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            found = re.search(pattern, self.seen)
            if found:
                self.seen = self.seen[found.end():]
                return found
            if not self.look(0.1):
                break
        raise AssertionError(f"{self.name}: {pattern} did not come; the terminal has: {self.seen!r}")

    def type(self, text):
        os.write(self.master, text.encode())

    def say(self, line):
        """Returns the shell's answer to `echo line`, which goes through its own expansions."""
        self.marks += 1
        self.type(f'echo "<"{self.marks}:{line}":"{self.marks}">"\n')
        return self.wait_for(rf"<{self.marks}:(.*?):{self.marks}>")[1]

    def status(self):
        return int(self.say("$status" if self.name == "fish" else "$?"))

    def last_pid(self):
        return int(self.say("$last_pid" if self.name == "fish" else "$!"))


class WithServer(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        socket = self.folder / "x.sock"
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("XSCHED_", "XLOG_", "LD_"))}
        self.environment = {**keep, "XSCHED_SOCKET": str(socket), "XSCHED_CUDA_LIB": str(GIVEN.driver),
                            "HOME": str(self.folder), "TERM": "dumb",
                            "PATH": f"{GIVEN.build}:{GIVEN.guest.parent}:{os.environ['PATH']}"}
        server = subprocess.Popen([GIVEN.build / "xserver", "--socket", socket], env=self.environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        self.assertTrue(eventually(socket.exists))


class Jobs(WithServer):
    """The cases; a class for each shell has them."""
    shell = ""

    def setUp(self):
        if shutil.which(self.shell) is None:
            self.skipTest(f"{self.shell} is not installed (scripts/install_deps.sh test)")
        super().setUp()
        self.terminal = Terminal(self.shell, self.folder, self.environment)
        self.addCleanup(self.terminal.close)
        self.assertEqual(self.terminal.say("there"), "there")

    def xcli(self, *words):
        return subprocess.run([GIVEN.build / "xcli", *map(str, words)], env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE_S).stdout

    def queue_of(self, pid):
        queues = json.loads(self.xcli("list", "--json"))["queues"]
        return next((queue for queue in queues if queue["pid"] == pid), None)

    def completed(self, pid):
        return self.queue_of(pid)["completed"]

    def goes_on(self, pid):
        before = self.completed(pid)
        return eventually(lambda: self.completed(pid) > before)

    def stands_still(self, pid):
        """Work that was under way may end."""
        def still():
            before = self.completed(pid)
            time.sleep(0.3)
            return self.completed(pid) == before
        return eventually(still)

    def in_background(self):
        out = self.folder / "out"
        self.terminal.type(f"xcli run -- guest cuda none 600 > {out} &\n")
        pid = self.terminal.last_pid()
        self.addCleanup(subprocess.run, ["kill", "-KILL", str(pid)], stderr=subprocess.DEVNULL)
        self.assertTrue(eventually(lambda: out.exists() and "working" in out.read_text()), self.xcli("status"))
        self.assertTrue(eventually(lambda: self.queue_of(pid)), self.xcli("status"))
        return pid, out

    def session(self):
        """Names of what the terminal's session has beside the shell, which may start programs for its prompt."""
        found = {int(entry.name): stat_of(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()}
        pids = [pid for pid, stat in found.items()
                if stat and stat[3] == self.terminal.shell.pid and pid != self.terminal.shell.pid]
        return sorted(name_of(pid) for pid in pids)

    def says(self, pid, words):
        """Returns whether the program at the terminal has said so, asked once more for its interrupts."""
        os.kill(pid, signal.SIGUSR1)
        self.terminal.look(0.1)
        return words in self.terminal.seen

    def test_its_number_is_the_programs(self):
        pid, _ = self.in_background()
        self.assertEqual(Path(f"/proc/{pid}/comm").read_text().strip(), "guest")
        self.assertEqual(stat_of(pid)[1], self.terminal.shell.pid)
        self.assertTrue(eventually(lambda: self.session() == ["guest"]), self.session())
        self.assertIn("hinted 1 queue", self.xcli("hint", "--pid", pid, "-p", 5))
        self.assertEqual(self.queue_of(pid)["priority"], 5)
        self.assertIn(f"pid {pid}", self.xcli("explain", pid))
        self.assertEqual(self.xcli("suspend", pid), f"suspended pid {pid}\n")
        self.assertTrue(self.stands_still(pid))
        self.assertEqual(self.xcli("resume", pid), f"resumed pid {pid}\n")
        self.assertTrue(self.goes_on(pid))
        os.kill(pid, signal.SIGSTOP)
        self.assertTrue(self.stands_still(pid))
        os.kill(pid, signal.SIGCONT)
        self.assertTrue(self.goes_on(pid))

    def test_a_signal_to_the_job_comes_once(self):
        pid, out = self.in_background()
        group = stat_of(pid)[2]
        for _ in range(8):
            os.killpg(group, signal.SIGINT)
            self.assertTrue(eventually(lambda: not pending(pid, signal.SIGINT)))
            time.sleep(0.05)
        os.kill(pid, signal.SIGSTOP)
        os.kill(pid, signal.SIGCONT)
        self.assertTrue(eventually(lambda: interrupts(out, pid) == 8), interrupts(out, pid))
        time.sleep(0.3)
        self.assertEqual(interrupts(out, pid), 8)

    def test_how_it_ended_is_the_programs(self):
        for program, status in (("sh -c 'exit 7'", 7), ("sh -c 'kill -TERM $$'", 143), ("no-such-program", 127),
                                ("/etc", 126)):
            self.terminal.type(f"xcli run -- {program}\n")
            self.assertEqual(self.terminal.status(), status, program)
        if self.shell == "fish":
            return
        pid, _ = self.in_background()
        os.kill(pid, signal.SIGTERM)
        self.terminal.type("wait $!\n")
        self.assertEqual(self.terminal.status(), 143)

    def test_what_xcli_says_at_the_end(self):
        self.terminal.type("xcli run -- true\n")
        self.terminal.wait_for(f"xcli: true {UNUSED}")
        self.terminal.type("xcli run -- guest cuda none 1\n")
        self.terminal.wait_for("right")
        self.terminal.type("xcli run -- true\n")
        before = self.terminal.wait_for(f"(?s)(.*)xcli: true {UNUSED}")[1]
        self.assertNotIn(UNUSED, before, "the other one used a device")
        self.assertTrue(eventually(lambda: self.session() == []), self.session())

    def test_keys(self):
        self.terminal.type("xcli run -- guest cuda none 600\n")
        self.terminal.wait_for("working")
        pid = next(int(entry.name) for entry in Path("/proc").iterdir()
                   if entry.name.isdigit() and (stat_of(entry.name) or (0, 0, 0, 0))[3] == self.terminal.shell.pid
                   and Path(f"/proc/{entry.name}/comm").read_text().strip() == "guest")
        self.terminal.type("\x1a")
        self.assertTrue(eventually(lambda: stat_of(pid)[0] == "T"))
        self.assertEqual(self.terminal.say("back"), "back")
        self.terminal.type("bg\n")
        self.assertTrue(eventually(lambda: stat_of(pid)[0] != "T"))
        self.assertEqual(self.terminal.say("back"), "back")
        self.assertTrue(self.goes_on(pid))
        self.terminal.type("fg\n")
        self.assertTrue(eventually(lambda: os.tcgetpgrp(self.terminal.master) == stat_of(pid)[2]))
        for number in range(1, 5):
            self.terminal.type("\x03")
            self.assertTrue(eventually(lambda: self.says(pid, f"{number} interrupts")), self.terminal.seen)
        self.assertTrue(self.goes_on(pid))
        self.terminal.type("\x1c")  # ^\
        self.assertTrue(eventually(lambda: stat_of(pid) is None), (stat_of(pid), self.terminal.seen))
        if self.shell != "fish":  # its fg does not say how the job ended
            self.assertEqual(self.terminal.status(), 131)
        self.terminal.type("xcli run -- sleep 600\n")
        self.assertTrue(eventually(lambda: self.session() == ["sleep"]))
        self.terminal.type("\x03")
        self.assertEqual(self.terminal.status(), 130)


def pending(pid, number):
    text = Path(f"/proc/{pid}/status").read_text()
    return any(int(mask, 16) >> (number - 1) & 1 for mask in re.findall(r"(?:Sig|Shd)Pnd:\s*(\w+)", text))


def interrupts(out, pid):
    """Returns the signals that the program was told so far, in its own words."""
    os.kill(pid, signal.SIGUSR1)
    time.sleep(0.1)
    found = re.findall(r"(\d+) interrupts", out.read_text())
    return int(found[-1]) if found else 0


def under(*wrapper, program=("sleep", "60"), **more):
    """xcli run behind a wrapper, which speaks at the end although no terminal is there."""
    return subprocess.run([*wrapper, GIVEN.build / "xcli", "run", "--tell", "--", *program], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE_S, **more)


class Wrappers(WithServer):
    def test_they_see_the_program(self):
        self.assertEqual(under("timeout", "0.5", env=self.environment).returncode, 124)
        self.assertEqual(under("setsid", "--wait", program=["sh", "-c", "exit 6"], env=self.environment).returncode, 6)
        hung_up = ["sh", "-c", "kill -HUP $$; exit 5"]
        self.assertEqual(under("nohup", program=hung_up, env=self.environment).returncode, 5)
        done = under("bash", "-c", 'time "$@"', "-", program=["sh", "-c", "exit 4"], env=self.environment)
        self.assertEqual(done.returncode, 4)
        self.assertIn("real", done.stderr)

    def test_a_program_that_reaps_every_child_finds_none(self):
        text = "import os\ntry:\n os.waitpid(-1, 0)\nexcept ChildProcessError:\n print('none')"
        self.assertEqual(under(program=[sys.executable, "-c", text], env=self.environment).stdout, "none\n")

    def test_what_adopts_orphans_gets_no_child(self):
        """The first process of a container."""
        text = ("import os, time\ntime.sleep(0.2)\n"
                "try:\n os.waitpid(-1, os.WNOHANG)\nexcept ChildProcessError:\n print('none')")
        wrapper = ["unshare", "--pid", "--fork", "--mount-proc"]
        if subprocess.run([*wrapper, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("this machine does not allow pid namespaces")
        self.assertEqual(under(*wrapper, program=[sys.executable, "-c", text], env=self.environment).stdout, "none\n")


for name in SHELLS:
    globals()[name.capitalize()] = type(name.capitalize(), (Jobs,), {"shell": name})
del Jobs

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("--build", "--driver", "--guest"):
        parser.add_argument(option, type=Path, required=True)
    GIVEN, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
