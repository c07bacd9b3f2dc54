#!/usr/bin/env python3
"""The RPM packages: they have the files of the Debian packages, and their programs run from a root of RPM's.

  rpm_test.py --debs FOLDER --rpms FOLDER [unittest's arguments]
"""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GIVEN = argparse.Namespace()
WORKS_S = 120  # safety
OF_ONE_DEBIAN = ("xsched-slurm", "xsched-kubernetes")  # they need libraries of this release of Debian
NAMES = {"libxsched-dev": "xsched-devel"}  # where an RPM distribution names a package otherwise
# Folders of Debian's alone, and the folders in which other distributions have the same files.
PLACES = (("lib/systemd/", "usr/lib/systemd/"), ("zsh/vendor-completions/", "zsh/site-functions/"))
# Written by debhelper, or for lintian.
OF_DEBIAN = re.compile(r"usr/share/doc/[^/]+/(copyright|changelog)$|usr/share/lintian/")


def output(*words):
    return subprocess.run([str(word) for word in words], text=True, check=True, stdout=subprocess.PIPE,
                          timeout=WORKS_S).stdout


def common(path):
    """The path as both kinds of packages would have it, without what only says that a page is compressed."""
    path = path.strip("/").removesuffix(".gz")
    for theirs, usual in PLACES:
        path = re.sub(rf"(^|/){theirs}", rf"\g<1>{usual}", path) if not path.startswith("usr/lib/systemd") else path
    return path


def files_of_deb(deb):
    """All paths that are no folders."""
    lines = [line.split(maxsplit=5) for line in output("dpkg-deb", "-c", deb).splitlines()]
    paths = {common(line[5].split(" -> ")[0].removeprefix("./")) for line in lines if not line[0].startswith("d")}
    return {path for path in paths if not OF_DEBIAN.match(path)}


def files_of_rpm(rpm):
    listed = output("rpm", "-qp", "--qf", "[%{FILEMODES:perms} %{FILENAMES}\n]", rpm).splitlines()
    return {common(line.split(maxsplit=1)[1]) for line in listed if not line.startswith("d")}


class Packages(unittest.TestCase):
    def test_each_has_the_files_of_its_debian_package(self):
        debs = {deb.name.split("_")[0]: deb for deb in GIVEN.debs.glob("*.deb")}
        # Debugging symbols are Debian's, and Slurm's plugin works with the Slurm of the system that it was built on.
        wanted = {NAMES.get(name, name): deb for name, deb in debs.items()
                  if not name.endswith("-dbgsym") and name not in OF_ONE_DEBIAN}
        rpms = {output("rpm", "-qp", "--qf", "%{NAME}", rpm): rpm for rpm in GIVEN.rpms.glob("*.rpm")}
        self.assertEqual(set(rpms), set(wanted))
        for name, deb in wanted.items():
            with self.subTest(name):
                self.assertEqual(files_of_rpm(rpms[name]), files_of_deb(deb))

    def test_no_package_needs_a_file_that_a_program_may_lack(self):
        for rpm in GIVEN.rpms.glob("*.rpm"):
            self.assertNotRegex(output("rpm", "-qp", "--requires", rpm), r"libOpenCL|libshim", rpm.name)

    def test_the_programs_run_from_a_root(self):
        with tempfile.TemporaryDirectory(prefix="xsched-rpm-") as root:
            output("rpm", "--root", root, "--dbpath", "/var/lib/rpm", "-i", "--nodeps", "--noscripts",
                   *sorted(GIVEN.rpms.glob("*.rpm")))
            for tool in ("xcli", "xserver", "xsim"):
                self.assertRegex(output(f"{root}/usr/bin/{tool}", "--version"), r"\d+\.\d+\.\d+")
            owned = output("rpm", "--root", root, "--dbpath", "/var/lib/rpm", "-qf", "/etc/xsched/xsched.toml")
            self.assertRegex(owned, r"^xsched-server-\d")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--debs", type=Path, required=True)
    parser.add_argument("--rpms", type=Path, required=True)
    _, rest = parser.parse_known_args(namespace=GIVEN)
    if shutil.which("rpm") is None:
        print("skipped: rpm is not installed (scripts/install_deps.sh rpm)")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
