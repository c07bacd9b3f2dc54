#!/usr/bin/env python3
"""Programs of other Debian versions than the one XSched was built on, each with its own C library: under each shim
/bin/true runs, a program uses a device, and an exception is thrown and caught.

  roots_test.py --libraries BUILD/lib --guest PROGRAM [unittest's arguments]

Roots are made by debootstrap when they are first needed, and kept in $XSCHED_ROOTS (default: ~/.cache/xsched/roots).
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

GIVEN = None
SUITES = ("bullseye", "bookworm", "trixie")
MAKING_S = 900  # safety; a root took 40 s on an idle machine and 270 s beside twenty jobs
RUNNING_S = 120
DRIVERS = {"cuda": "libfakecuda.so", "hip": "libfakehip.so", "opencl": "libfakeopencl.so"}


def mirror():
    """Where this machine's apt has Debian from."""
    listed = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)",
                             "Created-By: Packages"], text=True, stdout=subprocess.PIPE).stdout
    return next((line.split()[0] for line in listed.splitlines() if re.search(r" [a-z]+ main$", line)), None)


def why_not():
    """Why no root can be made here; None: one can."""
    if os.geteuid() != 0:
        return "debootstrap and chroot need root"
    if shutil.which("debootstrap") is None:
        return "debootstrap is not installed (scripts/install_deps.sh roots)"
    if subprocess.run(["unshare", "--mount", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        return "this machine does not allow mount namespaces"
    return None


def root_of(suite):
    """(the folder of the root, None), or (None, why there is none)"""
    kept = Path(os.environ.get("XSCHED_ROOTS") or Path.home() / ".cache" / "xsched" / "roots")
    root = kept / suite
    if (root / "bin" / "true").exists():
        return root, None
    source = mirror()
    if source is None:
        return None, "apt has no Debian archive here"
    kept.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=f"{suite}-", dir=kept))
    try:
        # The first half of debootstrap unpacks the packages that every Debian has, and runs none of their programs.
        done = subprocess.run(["debootstrap", "--foreign", "--variant=minbase", suite, making, source], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=MAKING_S)
        if done.returncode != 0:
            return None, f"debootstrap of {suite}: {done.stdout.strip().splitlines()[-1]}"
        shutil.rmtree(making / "var" / "cache" / "apt")
        making.rename(root)
        return root, None
    except subprocess.TimeoutExpired:
        return None, f"debootstrap of {suite} was not ready after {MAKING_S} s"
    finally:
        shutil.rmtree(making, ignore_errors=True)


def run_in(root, *words, **environment):
    """Runs a program of the root, with the build's libraries and the test's program in /media."""
    script = ('libraries=$1 root=$2; shift 2; mkdir -p "$root/media" "$root/proc" && '
              'mount --bind "$libraries" "$root/media" && mount -t proc proc "$root/proc" && exec chroot "$root" "$@"')
    return subprocess.run(["unshare", "--mount", "--propagation", "private", "bash", "-c", script, "bash",
                           GIVEN.staged, root, *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=RUNNING_S, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **environment})


class InRoots(unittest.TestCase):
    def in_each_root(self, check):
        reason = why_not()
        for suite in SUITES:
            with self.subTest(suite):
                root, why = (None, reason) if reason else root_of(suite)
                if root is None:
                    print(f"skipped: {why}", flush=True)
                    GIVEN.skipped.append(suite)
                    self.skipTest(why)
                check(root)
                GIVEN.ran.append(suite)

    def test_bin_true_runs_under_each_shim(self):
        def check(root):
            for name in [*DRIVERS, "cuda hip opencl"]:
                shims = ":".join(f"/media/$LIB/libshim{one}.so" for one in name.split())
                done = run_in(root, "/usr/bin/env", f"LD_PRELOAD={shims}", "/bin/true")
                self.assertEqual((done.returncode, done.stderr), (0, ""), name)
        self.in_each_root(check)

    def test_a_program_uses_its_device_and_catches_an_exception(self):
        def check(root):
            done = run_in(root, "/media/guest", "none", "none")
            self.assertEqual((done.returncode, done.stdout.split()[-1:]), (0, ["right"]), f"natively: {done.stderr}")
            for name, driver in DRIVERS.items():
                preload = f"LD_PRELOAD=/media/$LIB/libshim{name}.so"
                done = run_in(root, "/usr/bin/env", preload, "/media/guest", name, "none", XSCHED_SCHEDULER="local",
                              XLOG_LEVEL="INFO", **{f"XSCHED_{name.upper()}_LIB": f"/media/{driver}"})
                self.assertEqual((done.returncode, done.stdout.split()[-1:]), (0, ["right"]), f"{name}: {done.stderr}")
                self.assertIn("using local scheduler", done.stderr, name)
        self.in_each_root(check)


def stage(folder):
    """The libraries and the program in one folder, which a mount shows to a root."""
    for file in GIVEN.libraries.iterdir():
        if re.match(r"lib(preempt|hal|shim|fake(cuda|hip|opencl))", file.name) or file.is_symlink():
            shutil.copy2(file, folder / file.name, follow_symlinks=False)
    shutil.copytree(GIVEN.libraries / "xsched", folder / "xsched", symlinks=True,
                    ignore=shutil.ignore_patterns("probe*"))
    shutil.copy2(GIVEN.guest, folder / "guest")


def main():
    global GIVEN
    parser = argparse.ArgumentParser()
    parser.add_argument("--libraries", type=Path, required=True)
    parser.add_argument("--guest", type=Path, required=True)
    GIVEN, rest = parser.parse_known_args()
    GIVEN.ran, GIVEN.skipped = [], []
    with tempfile.TemporaryDirectory() as folder:
        GIVEN.staged = Path(folder)
        GIVEN.staged.chmod(0o755)
        stage(GIVEN.staged)
        result = unittest.main(argv=[sys.argv[0], *rest], exit=False).result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if GIVEN.skipped and not GIVEN.ran else 0)


if __name__ == "__main__":
    main()
