#!/usr/bin/env python3
"""The Debian packages on machines of their own: the contents of an installation, its removal without a trace, and the
service under systemd, with programs that run through its end, its update and its removal.

  packages_test.py --debs FOLDER --build BUILD [unittest's arguments]

FOLDER has the packages (`make deb`), BUILD a program and a driver to schedule. Where no machine can be made the tests
are skipped, with the reason.
"""
import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import machine

GIVEN = argparse.Namespace()
FROM_THE_BUILD = ("bin/guest", "lib/libfakecuda.so", "lib/libfakeopencl.so")  # the target package_tests builds them
MOST_EXPOSED = 2.5  # of systemd-analyze's scale from 0 to 10; without settings a service has 9.6
RESTART_S = 5  # safety, for a busy machine: the time that it took is printed
RUNNING_S = 30  # how long a program works
DRIVER = {"XSCHED_CUDA_LIB": "/media/libfakecuda.so", "FAKE_CUDA_SHARED": "/tmp/device"}


def packages():
    return sorted(GIVEN.debs.glob("*.deb"))


def name_of(package):
    return package.name.split("_")[0]


def installed_machine(suite):
    here = machine.Machine(suite)
    here.before = here.files()
    try:
        here.run("apt-get", "-qq", "update")
        here.install(*here.take(packages()))
        here.take([GIVEN.build / file for file in FROM_THE_BUILD])
        return here
    except BaseException:
        here.end()
        raise


class OnMachines(unittest.TestCase):
    # The distribution to boot. Later ones have a systemd that does not boot on a kernel with control groups of
    # version 1.
    SUITE = "bookworm"
    PACKAGES = ()  # of the distribution

    @classmethod
    def setUpClass(cls):
        if reason := machine.why_not():
            raise unittest.SkipTest(reason)
        try:
            machine.kept_root(cls.SUITE)
        except RuntimeError as error:
            raise unittest.SkipTest(str(error)) from None
        cls.machine = installed_machine(cls.SUITE)
        cls.addClassCleanup(cls.machine.end)
        if cls.PACKAGES:
            cls.machine.install(*cls.PACKAGES)


class Installed:
    """The contents of every installation; no test changes it."""

    def test_tools_answer(self):
        for tool in ("xcli", "xserver", "xsim"):
            self.assertRegex(self.machine.run(tool, "--version").stdout, r"\d+\.\d+\.\d+")
        self.assertIn("level 1", self.machine.run("xcli", "doctor", ok=False).stdout)

    def test_python_finds_the_libraries(self):
        said = self.machine.run("python3", "-c", "import xsched; print(xsched.__file__)").stdout
        self.assertIn("/usr/lib/python3/dist-packages/xsched/", said)

    def test_no_linker_finds_a_name_of_a_vendor(self):
        known = self.machine.run("ldconfig", "-p").stdout
        self.assertIn("libpreempt.so.1", known)
        self.assertNotRegex(known, r"lib(cuda|amdhip64|OpenCL)\.so\S* \(.*xsched")

    def test_each_program_has_its_page(self):
        for page in ("man1/xcli.1.gz", "man1/xsim.1.gz", "man8/xserver.8.gz"):
            self.assertTrue((self.machine.root / "usr/share/man" / page).exists(), page)

    def test_the_group_is_there(self):
        self.assertIn("xsched:", (self.machine.root / "etc/group").read_text())

    def test_a_program_runs_under_priority(self):
        done = self.machine.run("xcli", "run", "-p", "3", "--", "/media/guest", "cuda", "none", **DRIVER)
        self.assertEqual(done.stdout.splitlines()[-1], "right", done.stdout)

    def test_shims_need_only_the_c_library(self):
        needs = subprocess.run(["dpkg-deb", "-f", next(p for p in packages() if name_of(p) == "xsched-shims"),
                                "Depends"], text=True, check=True, stdout=subprocess.PIPE).stdout
        self.assertEqual({word.split()[0] for word in needs.split(",")}, {"libxsched1", "libc6"}, needs)


class InstalledOnBookworm(Installed, OnMachines):
    pass


class InstalledOnTrixie(Installed, OnMachines):
    SUITE = "trixie"


def with_version(package, version, folder):
    """The same package under another version, which its siblings ask for."""
    tree = Path(folder) / name_of(package)
    subprocess.run(["dpkg-deb", "-R", package, tree], check=True)
    control = tree / "DEBIAN/control"
    was = re.search(r"^Version: (.*)$", control.read_text(), re.M).group(1)
    control.write_text(re.sub(rf"(^Version: |= ){re.escape(was)}", rf"\g<1>{version}", control.read_text(), flags=re.M))
    new = Path(folder) / f"{name_of(package)}_{version}.deb"
    subprocess.run(["dpkg-deb", "-b", "--root-owner-group", tree, new], check=True, stdout=subprocess.DEVNULL)
    return new


class Service(OnMachines):
    """The service on a booted machine. Each test leaves it active."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.machine.boot()

    def server(self):
        return json.loads(self.machine.run("xcli", "server", "--json").stdout)

    def program(self, priority):
        """A program of an ordinary user, which works until its time is over. Returns what waits for it."""
        enter = ["nsenter", "-t", str(self.machine.first_pid()), "-m", "-p", "-u", "-i", "-n", "-C", "setpriv",
                 "--reuid=65534", "--regid=65534", "--clear-groups"]
        words = ["xcli", "run", "-p", str(priority), "--", "/media/guest", "cuda", "none", str(RUNNING_S)]
        child = subprocess.Popen([*enter, *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env={**machine.CLEAN, **DRIVER})
        self.addCleanup(child.kill)
        return child

    def wait_for_priorities(self, wanted, seconds=RESTART_S):
        """Waits until queues of all these priorities are scheduled; returns after how many seconds."""
        began, seen = time.monotonic(), None
        for _ in self.machine.until(seconds, every=0.05):
            done = self.machine.run("xcli", "list", "--json", ok=False)
            if done.returncode != 0:
                continue
            seen = {queue["priority"] for queue in json.loads(done.stdout)["queues"]}
            if seen >= set(wanted):
                return time.monotonic() - began
        log = self.machine.run("journalctl", "-b", "-n", "60", "-o", "cat", ok=False).stdout
        raise AssertionError(f"after {seconds} s the priorities are {seen}, and {wanted} were expected:\n{log}")

    def test_is_active_and_hardened(self):
        self.assertEqual(self.machine.run("systemctl", "is-active", "xserver").stdout.strip(), "active")
        said = self.machine.run("systemd-analyze", "security", "--no-pager", "xserver").stdout
        exposed = float(re.search(r"Overall exposure level.*: ([\d.]+)", said).group(1))
        print(f"exposure of the service: {exposed} of 10", flush=True)
        self.assertLessEqual(exposed, MOST_EXPOSED, said)

    def test_a_killed_server_is_replaced(self):
        was = self.server()["pid"]
        began = time.monotonic()
        self.machine.run("kill", "-9", str(was))
        for _ in self.machine.until(RESTART_S, every=0.01):
            done = self.machine.run("xcli", "server", "--json", ok=False)
            if done.returncode == 0 and json.loads(done.stdout)["pid"] != was:
                print(f"another server answers {(time.monotonic() - began) * 1e3:.0f} ms after kill -9", flush=True)
                return
        self.fail(f"no other server answers within {RESTART_S} s")

    def wait_for(self, wanted, *words):
        """Runs a command until its output has this text; returns the output."""
        said = ""
        for _ in self.machine.until(RESTART_S, every=0.1):
            said = self.machine.run(*words, ok=False).stdout
            if wanted in said:
                return said
        raise AssertionError(f"{' '.join(words)}: no {wanted!r} after {RESTART_S} s:\n{said}")

    def configure(self, text):
        """Writes a file of configuration, or removes it, and has the service read it."""
        file = self.machine.root / "etc/xsched/50-test.toml"
        if text:
            file.write_text(text)
        else:
            file.unlink()
        self.machine.run("systemctl", "reload", "xserver")

    def test_reload_reads_the_configuration_again(self):
        was = self.server()["pid"]
        self.configure('[server]\npolicy = "PUP"\n')
        self.wait_for("policy PUP", "xcli", "policy")
        journal = ["journalctl", "-u", "xserver", "-o", "cat"]
        self.wait_for("the configuration is read again: server.policy = PUP", *journal)
        self.configure('[server]\npolicy = "UPP"\n')
        said = self.wait_for("the configuration is as before", *journal, "-p", "warning")
        self.assertIn("50-test.toml:2: policy is to be one of", said)
        self.assertNotIn("is read again", said, "the journal knows the level of each line")
        self.assertIn("policy PUP", self.machine.run("xcli", "policy").stdout)
        self.configure("")
        self.wait_for("policy HPF", "xcli", "policy")
        self.assertEqual(self.server()["pid"], was, "it is the same server")

    def test_a_rule_reaches_a_program_of_another_user(self):
        self.configure('[[rule]]\nname = "guest"\npriority = 23\n')
        enter = ["nsenter", "-t", str(self.machine.first_pid()), "-m", "-p", "-u", "-i", "-n", "-C", "setpriv",
                 "--reuid=65534", "--regid=65534", "--clear-groups"]
        child = subprocess.Popen([*enter, "xcli", "run", "--", "/media/guest", "cuda", "none", "4"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**machine.CLEAN, **DRIVER})
        self.addCleanup(child.kill)
        self.wait_for_priorities([23], RUNNING_S / 2)
        child.wait(RUNNING_S)
        self.configure("")

    def test_a_program_starts_the_service_by_its_socket(self):
        self.machine.run("systemctl", "stop", "xserver.service")
        self.assertEqual(self.machine.run("systemctl", "is-active", "xserver.socket").stdout.strip(), "active")
        self.assertIn("policy", self.machine.run("xcli", "policy").stdout)
        self.assertEqual(self.machine.run("systemctl", "is-active", "xserver").stdout.strip(), "active")

    def test_the_exporter_serves_numbers(self):
        self.machine.run("systemctl", "start", "xsched-exporter")
        ask = ("import urllib.request as r; t = open('/run/xsched-exporter/token').read().strip(); "
               "print(r.urlopen(r.Request('http://127.0.0.1:9555/metrics', "
               "headers={'Authorization': 'Bearer ' + t})).read().decode())")
        self.wait_for("xsched_", "python3", "-c", ask)
        self.machine.run("systemctl", "stop", "xsched-exporter")

    def test_units_are_sound(self):
        units = ["xserver.service", "xserver.socket", "xsched-exporter.service"]
        self.assertEqual(self.machine.run("systemd-analyze", "verify", "--man=no", *units).stdout, "")
        self.assertIn("disabled", self.machine.run("systemctl", "is-enabled", "xsched-exporter", ok=False).stdout)
        for unit in ("xserver.service", "xsched-rules.service", "xsched-rules.path"):
            self.assertTrue((self.machine.root / "usr/lib/systemd/user" / unit).exists(), unit)
        users = ["/usr/lib/systemd/user/" + unit for unit in ("xserver.service", "xsched-rules.path")]
        said = self.machine.run("systemd-analyze", "--user", "verify", "--man=no", *users, ok=False,
                                XDG_RUNTIME_DIR="/tmp").stdout
        self.assertEqual(said, "")

    def versions(self):
        said = self.machine.run("dpkg-query", "-W", "-f", "${Version}\n", *map(name_of, packages())).stdout
        return set(said.split())

    def test_programs_run_through_a_downgrade(self):
        was = self.versions()
        with tempfile.TemporaryDirectory() as folder:
            newer = [with_version(package, "9.9.9", folder) for package in packages()]
            self.machine.run("dpkg", "-i", *self.machine.take(newer))
        self.assertEqual(self.versions(), {"9.9.9"})
        self.configure("[limits]\nhighest-priority = 60\n")
        program = self.program(11)
        self.wait_for_priorities([11], RUNNING_S / 2)
        server = self.server()["pid"]
        self.machine.install("--allow-downgrades", *(f"/media/{package.name}" for package in packages()))
        later = self.wait_for_priorities([11])
        print(f"the program is scheduled again {later:.2f} s after a downgrade", flush=True)
        self.assertNotEqual(self.server()["pid"], server, "the older server is the one that runs")
        self.assertEqual(self.versions(), was)
        self.assertEqual(self.machine.run("systemctl", "is-active", "xserver").stdout.strip(), "active")
        self.assertTrue((self.machine.root / "etc/xsched/50-test.toml").exists(), "the administrator's file stays")
        self.configure("")
        out, err = program.communicate(timeout=RUNNING_S + 30)
        self.assertEqual((program.returncode, out.splitlines()[-1]), (0, "right"), err)

    def test_programs_run_through_an_update_and_a_removal(self):
        with tempfile.TemporaryDirectory() as folder:
            newer = self.machine.take([with_version(package, "9.9.9", folder) for package in packages()])
        programs = [self.program(priority) for priority in (3, -7)]
        self.wait_for_priorities([3, -7], RUNNING_S / 2)
        was = self.server()["pid"]
        self.machine.run("dpkg", "-i", *newer)
        later = self.wait_for_priorities([3, -7])
        print(f"both programs are scheduled again {later:.2f} s after an update", flush=True)
        self.assertNotEqual(self.server()["pid"], was, "the update starts the new server")
        self.machine.run("apt-get", "-qq", "purge", "-y", *(name_of(package) for package in packages()))
        for program in programs:
            out, err = program.communicate(timeout=RUNNING_S + 30)
            self.assertEqual((program.returncode, out.splitlines()[-1]), (0, "right"), err)
        self.machine.run("apt-get", "-qq", "autoremove", "-y", "--purge")
        left = self.machine.files() - self.machine.before
        self.assertEqual({path for path in left if not path.startswith(("etc/group", "etc/gshadow"))}, set())
        self.machine.install(*(f"/media/{package.name}" for package in packages()))


def run_tests(title):
    """The main function of each file of tests on machines."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--debs", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--image", type=Path)
    _, rest = parser.parse_known_args(namespace=GIVEN)
    if not packages():
        sys.exit(f"{sys.argv[0]}: {GIVEN.debs} has no packages: run 'make deb'")
    began = time.monotonic()
    tests = unittest.main(argv=[sys.argv[0], *rest], exit=False)
    print(f"{title}: {time.monotonic() - began:.0f} s")
    sys.exit(not tests.result.wasSuccessful())


if __name__ == "__main__":
    run_tests("packages")
