#!/usr/bin/env python3
"""`make test-install`: what lintian says about the packages, the tests on machines (packages_test.py,
containers_test.py, user_test.py, slurm_test.py, kubernetes_test.py), and tests of what is in the packages. Ends with 77
where nothing could be tried.

  run.py --debs FOLDER --rpms FOLDER --build BUILD
"""
import concurrent.futures
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import machine
import packages_test

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
IMAGE = ROOT / "build/image/xsched.tar"
SKIPPED = 77  # the status of a test that could try nothing


def option(name):
    return Path(sys.argv[sys.argv.index(name) + 1]).resolve()


def run(*words):
    """Runs a command; returns its exit status, 0 if it could try nothing, and all that it printed."""
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode % SKIPPED, done.stdout


def run_test(name, *words):
    return run(sys.executable, "-B", HERE / name, "-v", *words)


def make_image(debs):
    """Makes the container image of the packages, in IMAGE."""
    if shutil.which("buildah") is None:
        return 0, "skipped: the image: buildah is not installed (scripts/install_deps.sh packaging)\n"
    with tempfile.TemporaryDirectory() as folder:
        status, said = run("buildah", "--root", f"{folder}/root", "--runroot", f"{folder}/run", "--storage-driver",
                           "vfs", "from", "scratch")
    if status != 0:
        return 0, f"skipped: the image: buildah makes none here: {said}"
    return run(ROOT / "scripts/make_image.sh", debs)


def run_metrics_test(reader, debs, build):
    """Has the tools of the packages print numbers, which `reader` reads."""
    with tempfile.TemporaryDirectory(prefix="xsched-unpacked-") as folder:
        for deb in debs:
            subprocess.run(["dpkg-deb", "-x", deb, folder], check=True)
        return run_test(HERE.parent / f"cli/metrics/{reader}_test.py", "--bin", f"{folder}/usr/bin",
                        "--guest", build / "bin/guest", "--driver", build / "lib/libfakecuda.so")


def report(name, work):
    """Does `work` and prints what it said; returns its exit status."""
    began = time.monotonic()
    status, said = work()
    print(f"==== {name}: {time.monotonic() - began:.0f} s, status {status}\n{said}", flush=True)
    return status


def run_in_order(jobs):
    return [report(name, work) for name, work in jobs]


def main():
    if reason := machine.why_not():
        print(f"skipped: packages: {reason}")
        sys.exit(SKIPPED)
    folder, build = option("--debs"), option("--build")
    if missing := [file for file in packages_test.FROM_THE_BUILD if not (build / file).exists()]:
        sys.exit(f"{build} has no {', '.join(missing)}: build the target package_tests")
    debs = sorted(folder.glob("**/*.deb"))
    given = ["--debs", folder, "--build", build]
    IMAGE.unlink(missing_ok=True)
    image_made = threading.Event()

    def image():
        try:
            return make_image(folder)
        finally:
            image_made.set()

    def containers():
        image_made.wait()
        return run_test("containers_test.py", *given, *(["--image", IMAGE] if IMAGE.exists() else []))

    # Most of their time is waiting: two at once. The first row's machines have the control groups of this machine for
    # their own, and so may not run beside each other; the second row's have groups of their own, or boot nothing.
    rows = [[("packages", lambda: run_test("packages_test.py", *given)),
             ("containers", containers),
             ("kubernetes", lambda: run_test("kubernetes_test.py", *given))],
            [("image", image),
             ("slurm", lambda: run_test("slurm_test.py", *given)),
             ("user", lambda: run_test("user_test.py", *given)),
             ("lintian", lambda: run("lintian", "--fail-on", "error,warning", *debs)),
             ("metrics formats", lambda: run_metrics_test("formats", debs, build)),
             ("metrics prometheus", lambda: run_metrics_test("prometheus", debs, build)),
             ("rpm", lambda: run_test("rpm_test.py", "--debs", folder, "--rpms", option("--rpms"))),
             ("wheel", lambda: run_test("wheel_test.py", "--libraries-of", next(folder.glob("source/obj-*")),
                                        "--driver", build / "lib/libfakecuda.so")),
             ("abi", lambda: run(ROOT / "tools/abi/abi.py"))]]
    with concurrent.futures.ThreadPoolExecutor(len(rows)) as pool:
        sys.exit(max(sum(pool.map(run_in_order, rows), [])))


if __name__ == "__main__":
    main()
