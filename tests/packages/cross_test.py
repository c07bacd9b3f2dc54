#!/usr/bin/env python3
"""`make deb-arm64`: builds the Debian packages for arm64 in a Debian root of its own, and puts them into a folder.
Checks what they are, what lintian says, and that their programs run under qemu.

  cross_test.py --out FOLDER [unittest's arguments]

The root has the compiler and the libraries for arm64. It is made when it is first needed, and kept (machine.py). No
program of the packages runs on an arm64 machine here.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import machine

ROOT = Path(__file__).resolve().parents[2]
GIVEN = argparse.Namespace()
SKIPPED = 77
SUITE, ARCH, MACHINE = "bookworm", "arm64", 183  # EM_AARCH64 of elf.h
TOOLS = ("crossbuild-essential-arm64", "debhelper", "dh-python", "dpkg-dev", "lintian", "qemu-user-static",
         "libc6:arm64")
PROFILES = "cross,nocheck"
MAKING_S, BUILDING_S = 1800, 3600  # safety
EMULATOR = "qemu-aarch64-static"
PREFIX = "aarch64-linux-gnu"


def machine_of(file):
    """Returns the machine (e_machine) that an ELF file is for; None: it is no ELF file."""
    if file.is_symlink() or not file.is_file():
        return None
    with open(file, "rb") as opened:
        begin = opened.read(20)
    return int.from_bytes(begin[18:20], "little") if begin[:4] == b"\x7fELF" else None


class BuildRoot(machine.Machine):
    """The root in which packages for arm64 are built."""

    def __init__(self, root):
        self.root = root
        self.systemd = None

    @classmethod
    def kept(cls):
        base = machine.kept_root(SUITE)
        root = base.parent / f"{SUITE}-{ARCH}"
        if root.exists():
            return cls(root)
        making = Path(tempfile.mkdtemp(prefix=f"{ARCH}-", dir=base.parent))
        try:
            subprocess.run(["cp", "-a", "--reflink=auto", f"{base}/.", making], check=True)
            new = cls(making)
            for name in ("resolv.conf", "hosts"):
                shutil.copyfile(f"/etc/{name}", making / "etc" / name)
            new.run("dpkg", "--add-architecture", ARCH)
            new.run("apt-get", "-qq", "update")
            new.run("apt-get", "-qq", "install", "-y", "--no-install-recommends", *TOOLS, timeout=MAKING_S)
            making.rename(root)
            return cls(root)
        finally:
            shutil.rmtree(making, ignore_errors=True)

    def take_tree(self):
        """Copies what git knows or would take of this tree."""
        place = self.root / "build"
        shutil.rmtree(place, ignore_errors=True)
        (place / "source").mkdir(parents=True)
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                                stdout=subprocess.PIPE, check=True)
        subprocess.run(["sh", "-c", 'tar --create --null --files-from=- | tar -x -C "$1"', "sh", place / "source"],
                       input=listed.stdout, cwd=ROOT, check=True)

    def build(self):
        self.take_tree()
        here = ["env", "-C", "/build/source", f"DEB_BUILD_OPTIONS=parallel={os.environ.get('JOBS', os.cpu_count())}"]
        self.run("apt-get", "-qq", "update")
        self.run(*here, "apt-get", "-qq", "build-dep", "-y", "--no-install-recommends", f"-a{ARCH}", f"-P{PROFILES}",
                 "./", timeout=MAKING_S)
        done = self.run(*here, "dpkg-buildpackage", "-us", "-uc", "-b", f"-a{ARCH}", f"-P{PROFILES}", ok=False,
                        timeout=BUILDING_S)
        (GIVEN.out / "build.log").write_text(done.stdout)
        if done.returncode != 0:
            sys.exit(f"{done.stdout[-4000:]}\ndpkg-buildpackage -a{ARCH} failed: {GIVEN.out}/build.log")
        return sorted((self.root / "build").glob("*.deb"))


class Cross(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.here = BuildRoot.kept()
        cls.debs = cls.here.build()
        for old in GIVEN.out.glob("*.deb"):
            old.unlink()
        for deb in cls.debs:
            shutil.copy2(deb, GIVEN.out)
        cls.unpacked = cls.here.root / "build/unpacked"
        for deb in cls.debs:
            subprocess.run(["dpkg-deb", "-x", deb, cls.unpacked], check=True)

    def test_packages_are_for_arm64(self):
        architectures = {deb.name.split("_")[0]: subprocess.run(["dpkg-deb", "-f", deb, "Architecture"], text=True,
                                                                check=True, stdout=subprocess.PIPE).stdout.strip()
                         for deb in self.debs if "-dbgsym" not in deb.name}
        control = (ROOT / "debian/control").read_text()
        self.assertEqual(set(architectures), set(re.findall(r"^Package: (\S+)$", control, re.M)))
        self.assertEqual({name for name, what in architectures.items() if what != ARCH}, {"python3-xsched"})

    def test_all_code_is_for_arm64(self):
        machines = {file: machine for file in self.unpacked.rglob("*") if (machine := machine_of(file)) is not None}
        self.assertGreater(len(machines), 20)
        self.assertEqual({file for file, machine in machines.items() if machine != MACHINE}, set())

    def test_guest_libraries_need_no_newer_c_library(self):
        floor = re.search(r"XSCHED_GLIBC_FLOOR (\S+)", (ROOT / "cmake/floor.cmake").read_text())[1]
        with tempfile.TemporaryDirectory() as shims:  # without the driver's name, which is no guest library
            for library in (self.unpacked / f"usr/lib/{PREFIX}/xsched").glob("libshim*.so"):
                if "_driver_name" not in library.name:
                    (Path(shims) / library.name).symlink_to(library)
            done = subprocess.run([ROOT / "tools/lint/guest_libraries.py", "--libraries", shims, "--floor", floor],
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_lintian_finds_nothing(self):
        debs = [f"/build/{deb.name}" for deb in self.debs]
        done = self.here.run("lintian", "--fail-on", "error,warning", *debs, ok=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def emulate(self, *words, **environment):
        given = [option for name, value in environment.items() for option in ("-E", f"{name}={value}")]
        return self.here.run(EMULATOR, *given, *words)

    def test_tools_run_under_qemu(self):
        for tool in ("xcli", "xsim", "xserver", "xsched-kubernetes"):
            self.assertRegex(self.emulate(f"/build/unpacked/usr/bin/{tool}", "--version").stdout, r"\d+\.\d+\.\d+")

    def test_pages_and_completions_are_there(self):
        for name in ("man/man1/xcli.1.gz", "man/man8/xserver.8.gz", "bash-completion/completions/xcli"):
            self.assertTrue((self.unpacked / "usr/share" / name).exists(), name)

    def test_a_program_runs_with_each_shim(self):
        shutil.copy2(ROOT / "tests/guest/guest.cpp", self.here.root / "build")
        self.here.run(f"{PREFIX}-g++", "-std=c++20", "-O1", "/build/guest.cpp", "-o", "/build/guest", "-ldl")
        folder = self.unpacked / f"usr/lib/{PREFIX}/xsched"
        for shim in ("cuda", "hip", "opencl", "levelzero", "ascend"):
            self.assertTrue((folder / f"libshim{shim}.so").exists(), shim)
            said = self.emulate("/build/guest", "none", "none", XSCHED_SCHEDULER="local",
                                LD_PRELOAD=f"/build/unpacked/usr/lib/{PREFIX}/xsched/libshim{shim}.so").stdout
            self.assertEqual(said.split()[-1:], ["right"], said)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=lambda path: Path(path).resolve(), required=True)
    _, rest = parser.parse_known_args(namespace=GIVEN)
    if reason := machine.why_not():
        print(f"skipped: packages for {ARCH}: {reason}")
        sys.exit(SKIPPED)
    GIVEN.out.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
