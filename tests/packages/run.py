#!/usr/bin/env python3
"""`make test-install`: what lintian says about the packages, packages_test.py, containers_test.py,
slurm_test.py, and tests of what is in the packages. Ends with 77 where nothing could be tried.

  run.py --debs FOLDER --rpms FOLDER --build BUILD
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import machine
import packages_test

HERE = Path(__file__).resolve().parent
SKIPPED = 77  # the status of a test that could try nothing


def option(name):
    return Path(sys.argv[sys.argv.index(name) + 1]).resolve()


def run_metrics_test(debs, build):
    """Has the tools of the packages print numbers; returns the exit status."""
    with tempfile.TemporaryDirectory(prefix="xsched-unpacked-") as folder:
        for deb in debs:
            subprocess.run(["dpkg-deb", "-x", deb, folder], check=True)
        return subprocess.run([sys.executable, "-B", HERE.parent / "cli/metrics/formats_test.py", "-v",
                               "--bin", f"{folder}/usr/bin", "--guest", build / "bin/guest",
                               "--driver", build / "lib/libfakecuda.so"]).returncode


def main():
    if reason := machine.why_not():
        print(f"skipped: packages: {reason}")
        sys.exit(SKIPPED)
    build = option("--build")
    if missing := [file for file in packages_test.FROM_THE_BUILD if not (build / file).exists()]:
        sys.exit(f"{build} has no {', '.join(missing)}: build the target package_tests")
    debs = sorted(option("--debs").glob("**/*.deb"))
    said = subprocess.run(["lintian", "--fail-on", "error,warning", *debs])
    statuses = [subprocess.run([sys.executable, "-B", HERE / tests, "-v", "--debs", option("--debs"), "--build",
                                build]).returncode
                for tests in ("packages_test.py", "containers_test.py", "slurm_test.py")]
    statuses.append(run_metrics_test(debs, build))
    statuses.append(subprocess.run([sys.executable, "-B", HERE / "rpm_test.py", "-v", "--debs", option("--debs"),
                                    "--rpms", option("--rpms")]).returncode % SKIPPED)
    statuses.append(subprocess.run([sys.executable, "-B", HERE / "wheel_test.py", "-v", "--libraries-of",
                                    next(option("--debs").glob("source/obj-*")),
                                    "--driver", build / "lib/libfakecuda.so"]).returncode)
    statuses.append(subprocess.run([HERE.parents[1] / "tools/abi/abi.py"]).returncode % SKIPPED)
    sys.exit(said.returncode or max(statuses))


if __name__ == "__main__":
    main()
