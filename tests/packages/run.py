#!/usr/bin/env python3
"""`make test-install`: what lintian says about the packages, packages_test.py and containers_test.py. Ends with 77
where nothing could be tried. Takes their arguments."""
import subprocess
import sys
from pathlib import Path

import machine
import packages_test

HERE = Path(__file__).resolve().parent


def main():
    if reason := machine.why_not():
        print(f"skipped: packages: {reason}")
        sys.exit(77)
    build = Path(sys.argv[sys.argv.index("--build") + 1])
    if missing := [file for file in packages_test.FROM_THE_BUILD if not (build / file).exists()]:
        sys.exit(f"{build} has no {', '.join(missing)}: build the target package_tests")
    debs = Path(sys.argv[sys.argv.index("--debs") + 1])
    said = subprocess.run(["lintian", "--fail-on", "error,warning", *sorted(debs.glob("*.deb"))])
    statuses = [subprocess.run([sys.executable, "-B", HERE / tests, "-v", *sys.argv[1:]]).returncode
                for tests in ("packages_test.py", "containers_test.py")]
    sys.exit(said.returncode or max(statuses))


if __name__ == "__main__":
    main()
