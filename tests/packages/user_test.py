#!/usr/bin/env python3
"""A user's own server, as a unit of that user on a booted machine on which no server of all users runs: docs/SERVER.md.

  user_test.py --debs FOLDER --build BUILD [unittest's arguments]
"""
import json
import shlex
import subprocess

import machine
import packages_test
from packages_test import DRIVER, OnMachines

SEEN_S = 40  # safety: until something is to be seen
MOST_MS = 300  # what a killed server's successor may take; the best of three counts on a busy machine
RUNNING_S = 8  # how long a program works
KILL = """
import json, os, subprocess, time
def server():
    done = subprocess.run(["xcli", "server", "--json"], capture_output=True, text=True)
    return json.loads(done.stdout)["pid"] if done.returncode == 0 else 0
took = []
for _ in range(3):
    was, began = server(), time.monotonic()
    os.kill(was, 9)
    while server() in (0, was) and time.monotonic() < began + 20: pass
    took.append((time.monotonic() - began) * 1000)
    time.sleep(1)  # its supervisor waits longer after each one that soon ended
print(json.dumps(took))
"""


class UserUnit(OnMachines):
    PACKAGES = ("libpam-systemd", "dbus-user-session")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.machine.run("useradd", "--create-home", "ann")
        cls.machine.version_2 = True
        cls.machine.boot()
        cls.machine.run("mkdir", "-m", "1777", "/tmp/device")
        cls.machine.run("systemctl", "disable", "--now", "xserver.socket", "xserver.service")
        cls.machine.run("loginctl", "enable-linger", "ann")
        cls.as_ann("systemctl", "--user", "enable", "--now", "xserver")

    @classmethod
    def as_ann(cls, *words, ok=True):
        """Logs the user in, runs a command, and logs the user out again."""
        return cls.machine.run("runuser", "-l", "ann", "-c", shlex.join(words), ok=ok)

    def server(self):
        done = self.as_ann("xcli", "server", "--json", ok=False)
        return json.loads(done.stdout)["pid"] if done.returncode == 0 else 0

    def until(self, what, holds):
        for _ in self.machine.until(SEEN_S):
            if result := holds():
                return result
        raise AssertionError(f"after {SEEN_S} s: {what}: {self.machine.run('journalctl', '-n', '60').stdout}")

    def expect_a_program_is_scheduled(self):
        words = ["env", *(f"{name}={value}" for name, value in DRIVER.items()), "xcli", "run", "-p", "3", "--",
                 "/media/guest", "cuda", "none", str(RUNNING_S)]
        child = subprocess.Popen(["nsenter", "-t", str(self.machine.first_pid()), "-m", "-p", "-u", "-i", "-n", "-C",
                                  "runuser", "-l", "ann", "-c", shlex.join(words)], text=True, env=machine.CLEAN,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(child.kill)

        def listed():
            done = self.as_ann("xcli", "list", "--json", ok=False)
            return done.returncode == 0 and json.loads(done.stdout)["queues"]

        queue = self.until("the program is scheduled", listed)[0]
        self.assertEqual(queue["priority"], 3)
        out, err = child.communicate(timeout=RUNNING_S + SEEN_S)
        self.assertEqual((child.returncode, out.splitlines()[-1:]), (0, ["right"]), err)

    def test_it_outlives_the_login(self):
        was = self.server()
        self.assertNotEqual(was, 0)
        self.until("the user is logged out", lambda: "ann" not in self.machine.run("loginctl", "list-sessions").stdout)
        self.assertEqual(self.server(), was)
        unit = self.as_ann("systemctl", "--user", "show", "xserver", "-p", "ActiveState,NRestarts").stdout
        self.assertEqual(set(unit.split()), {"ActiveState=active", "NRestarts=0"})
        self.expect_a_program_is_scheduled()

    def test_a_killed_server_is_replaced(self):
        took = json.loads(self.as_ann("python3", "-c", KILL).stdout)
        print(f"another server of the user answers {min(took):.0f} ms after kill -9 (of {len(took)} times)", flush=True)
        self.assertLessEqual(min(took), MOST_MS, took)

    def test_a_killed_unit_is_replaced(self):
        was = self.server()
        self.as_ann("systemctl", "--user", "kill", "-s", "KILL", "xserver")
        self.until("another server answers", lambda: self.server() not in (0, was))

    def test_it_begins_when_the_machine_does(self):
        self.machine.stop()
        self.machine.boot()
        self.machine.run("mkdir", "-m", "1777", "/tmp/device")
        self.until("it answers", lambda: self.server() != 0)
        self.expect_a_program_is_scheduled()


if __name__ == "__main__":
    packages_test.run_tests("the user's unit")
