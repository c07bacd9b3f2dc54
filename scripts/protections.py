#!/usr/bin/python3
"""Runs the tests that the kernel's protections may change with each of them, as root and as an ordinary user.

    scripts/protections.py --build build/dev [--only SETTING]

The protections of files hold for the whole machine (sysctl): this sets them, runs, and puts back what was there, also
when it is stopped. That no user namespace can be made holds for the tests alone. Needs root, and a built tree.

The tests are those that make links, pipes or files of other users, make namespaces or run a program as another user:
their own text says so. As an ordinary user, who must skip many of these, all tests of the same files run.
Exit status 1 if one failed.
"""
import argparse
import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROC = Path("/proc/sys")
ROOMS = ("base", "ipc", "server", "cli")
TOUCHES = re.compile(r"\b(?:symlink|mkfifo|linkat?|unshare|l?chown|as_nobody|nobody_runs)\(|\b01777\b")
TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.M)
OTHER_USER = 65534
LONGEST_S = 900  # of one program of tests
FILES = ("protected_symlinks", "protected_hardlinks", "protected_regular", "protected_fifos")
# Each value of each protection once: they do not depend on one another. systemd's default is 1, 1, 2, 1.
SETTINGS = {
    "none": (0, 0, 0, 0),
    "ones": (1, 1, 1, 1),
    "twos": (1, 1, 2, 2),
    "no-namespaces": (),
}
CLONE_NEWUSER = 0x10000000
EVERY_ID = "0 0 4294967295"
YAMA = "kernel/yama/ptrace_scope"  # 3 cannot be taken back before the next start of the machine


def affected(room, whole_files=False):
    """Tests of the room, by name; a fixture or helper that does such things counts for all tests of its file."""
    found = []
    for path in sorted((ROOT / "tests" / room).glob("*_test.cpp")):
        text = path.read_text(encoding="utf-8")
        starts = [match.start() for match in TEST.finditer(text)] + [len(text)]
        everywhere = bool(TOUCHES.search(text if whole_files else text[:starts[0]]))
        for begin, end in zip(starts, starts[1:]):
            body = text[begin:end]
            if everywhere or TOUCHES.search(body):
                found.append("*{}.{}*".format(*TEST.match(body).groups()))
    return found


class Settings:
    """The machine's settings while this is in force."""

    def __init__(self, values):
        self.values = {PROC / "fs" / name: value for name, value in zip(FILES, values)}
        self.before = {}

    def __enter__(self):
        for path, value in self.values.items():
            self.before[path] = path.read_text(encoding="ascii")
            path.write_text(f"{value}\n", encoding="ascii")

    def __exit__(self, *_):
        for path, value in self.before.items():
            path.write_text(value, encoding="ascii")


def leave_namespaces():
    """In a child: it is in a user namespace with all users, in which no further one can be made."""
    me = os.getpid()
    begin, go = os.pipe()
    helper = os.fork()  # only who is outside may say who is who inside
    if helper == 0:
        os.read(begin, 1)
        for name in ("uid_map", "gid_map"):
            Path(f"/proc/{me}/{name}").write_text(EVERY_ID, encoding="ascii")
        os._exit(0)
    done = ctypes.CDLL(None).unshare(CLONE_NEWUSER) == 0
    os.write(go, b"x")
    os.waitpid(helper, 0)
    if not done:
        raise OSError("no user namespace can be made here")
    (PROC / "user/max_user_namespaces").write_text("0", encoding="ascii")


def prepare(setting, user):
    """In a child, before it becomes a program of tests."""
    if setting == "no-namespaces":
        leave_namespaces()
    if user:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)


def run(program, tests, setting, user):
    """(passed, skipped, failed names)."""
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp"}
    process = subprocess.Popen([program, "--gtest_filter=" + ":".join(tests)], stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.STDOUT, cwd="/tmp", env=environment, errors="replace",
                               preexec_fn=lambda: prepare(setting, user))
    try:
        text = process.communicate(timeout=LONGEST_S)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        text = process.communicate()[0] + f"\n[  FAILED  ] {program.name} (still runs after {LONGEST_S} s)\n"
    passed = len(re.findall(r"^\[       OK \]", text, re.M))
    skipped = len(re.findall(r"^\[  SKIPPED \] .* ms\)$", text, re.M))
    failed = sorted(set(re.findall(r"^\[  FAILED  \] ([\w/]+\.[\w/]+|\S+ \(still.*)", text, re.M)))
    if not failed and process.returncode != 0:
        failed = [f"{program.name} ended with status {process.returncode}"]
    if failed:
        print(text)
    return passed, skipped, failed


def run_all(build, setting, user):
    """A row of the table."""
    passed, skipped, failed = 0, 0, []
    for room in ROOMS:
        result = run(build / "bin" / f"test_{room}", affected(room, whole_files=user != 0), setting, user)
        passed += result[0]
        skipped += result[1]
        failed += result[2]
    return passed, skipped, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--only", choices=SETTINGS, action="append", help="this setting; several times: these")
    parser.add_argument("--list", action="store_true", help="say which tests it would run")
    given = parser.parse_args()
    if given.list:
        print("\n".join(f"{room}: {' '.join(affected(room))}" for room in ROOMS))
        return
    if os.geteuid() != 0:
        sys.exit("protections.py: only root may change the kernel's protections")
    if missing := [room for room in ROOMS if not (given.build / "bin" / f"test_{room}").exists()]:
        sys.exit(f"protections.py: {given.build}/bin has no test_{missing[0]}: build it first")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was there is put back
    bad = False
    print(f"{'setting':15}{'user':>6}{'passed':>8}{'skipped':>9}{'failed':>8}{'seconds':>9}")
    for setting in given.only or SETTINGS:
        with Settings(SETTINGS[setting]):
            for user in (0, OTHER_USER):
                began = time.monotonic()
                passed, skipped, failed = run_all(given.build.resolve(), setting, user)
                bad = bad or bool(failed) or passed == 0
                print(f"{setting:15}{user:6}{passed:8}{skipped:9}{len(failed):8}{time.monotonic() - began:9.0f}  "
                      f"{' '.join(failed)}", flush=True)
    if not (PROC / YAMA).exists():
        print("kernel.yama.ptrace_scope: this kernel has none")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
