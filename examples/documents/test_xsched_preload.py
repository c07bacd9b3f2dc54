#!/usr/bin/python3
"""test_xsched_simple.py natively and with the shim preloaded: the same result, and a log that says who schedules.
Usage: test_xsched_preload.py [LIBSHIM] (default: $XSCHED_PATH/lib/libshimhip.so)"""
import os
import subprocess
import sys
from pathlib import Path

SIMPLE = Path(__file__).resolve().with_name("test_xsched_simple.py")
TIMEOUT_SECONDS = 120


def run(preload):
    environment = {**os.environ, **({"LD_PRELOAD": preload} if preload else {})}
    done = subprocess.run([sys.executable, SIMPLE], env=environment, capture_output=True, text=True,
                          timeout=TIMEOUT_SECONDS)
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def main():
    shim = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("XSCHED_PATH", "/usr/local") + "/lib/libshimhip.so"
    if not Path(shim).exists():
        sys.exit(f"{shim} is not there: give the shim's path")
    status, native, said = run("")
    if status != 0:
        sys.exit(said or native)
    status, scheduled, log = run(shim)
    print(native, scheduled, log, sep="\n")
    same = native.split("(")[0] == scheduled.split("(")[0]
    print("PASS" if status == 0 and same and "scheduler" in log else "FAIL")
    return 0 if status == 0 and same and "scheduler" in log else 1


if __name__ == "__main__":
    sys.exit(main())
