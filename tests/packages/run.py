#!/usr/bin/env python3
"""`make test-install`: what lintian says about the packages, the tests on machines (packages_test.py,
containers_test.py, user_test.py, slurm_test.py, kubernetes_test.py), and tests of what is in the packages. Ends with 77
where nothing could be tried.

  run.py --debs FOLDER --rpms FOLDER --build BUILD
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import machine
import packages_test

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SKIPPED = 77  # the status of a test that could try nothing


def option(name):
    return Path(sys.argv[sys.argv.index(name) + 1]).resolve()


def run_test(name, *words):
    """Runs one of the tests beside this file; returns its exit status, 0 if it could try nothing."""
    return subprocess.run([sys.executable, "-B", HERE / name, "-v", *words]).returncode % SKIPPED


def image_of(debs):
    """Makes the container image of the packages; returns its file. Otherwise prints why none can be made here."""
    if shutil.which("buildah") is None:
        print("skipped: the image: buildah is not installed (scripts/install_deps.sh packaging)")
        return None
    with tempfile.TemporaryDirectory() as folder:
        words = ["buildah", "--root", f"{folder}/root", "--runroot", f"{folder}/run", "--storage-driver", "vfs"]
        tried = subprocess.run([*words, "from", "scratch"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if tried.returncode != 0:
        print(f"skipped: the image: buildah makes none here: {tried.stdout.strip()}")
        return None
    subprocess.run([ROOT / "scripts/make_image.sh", debs], check=True)
    return ROOT / "build/image/xsched.tar"


def run_metrics_test(debs, build):
    """Has the tools of the packages print numbers, which Prometheus reads; returns the exit status."""
    with tempfile.TemporaryDirectory(prefix="xsched-unpacked-") as folder:
        for deb in debs:
            subprocess.run(["dpkg-deb", "-x", deb, folder], check=True)
        return max(subprocess.run([sys.executable, "-B", HERE.parent / f"cli/metrics/{reader}_test.py", "-v",
                                   "--bin", f"{folder}/usr/bin", "--guest", build / "bin/guest",
                                   "--driver", build / "lib/libfakecuda.so"]).returncode % SKIPPED
                   for reader in ("formats", "prometheus"))


def main():
    if reason := machine.why_not():
        print(f"skipped: packages: {reason}")
        sys.exit(SKIPPED)
    build = option("--build")
    if missing := [file for file in packages_test.FROM_THE_BUILD if not (build / file).exists()]:
        sys.exit(f"{build} has no {', '.join(missing)}: build the target package_tests")
    debs = sorted(option("--debs").glob("**/*.deb"))
    said = subprocess.run(["lintian", "--fail-on", "error,warning", *debs])
    given = ["--debs", option("--debs"), "--build", build]
    statuses = [run_test("packages_test.py", *given)]
    image = image_of(option("--debs"))
    statuses.append(run_test("containers_test.py", *given, *(["--image", image] if image else [])))
    statuses.append(run_test("user_test.py", *given))
    statuses.append(run_test("slurm_test.py", *given))
    statuses.append(run_test("kubernetes_test.py", *given))
    statuses.append(run_metrics_test(debs, build))
    statuses.append(run_test("rpm_test.py", "--debs", option("--debs"), "--rpms", option("--rpms")))
    statuses.append(run_test("wheel_test.py", "--libraries-of", next(option("--debs").glob("source/obj-*")),
                             "--driver", build / "lib/libfakecuda.so"))
    statuses.append(subprocess.run([ROOT / "tools/abi/abi.py"]).returncode % SKIPPED)
    sys.exit(said.returncode or max(statuses))


if __name__ == "__main__":
    main()
