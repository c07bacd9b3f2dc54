#!/usr/bin/env python3
"""bench/cuda/foreign_channels.py on the fake drivers: it sees what they let one user do to another's channels, and
leaves everything as it was."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REFUSED = "0x23"  # NV_ERR_INVALID_CLIENT


def run(options, folder):
    for path in (folder, folder / "files"):
        path.mkdir(exist_ok=True)
        path.chmod(0o777)
    environment = {**os.environ, "LD_LIBRARY_PATH": options.driver, "FAKE_RM_DIR": str(folder / "files"),
                   "LD_PRELOAD": ":".join(filter(None, (os.environ.get("LD_PRELOAD"), options.fake_rm)))}
    out = folder / "out.json"
    subprocess.run([ROOT / "bench" / "cuda" / "foreign_channels.py", "--program", options.program, "--out", out,
                    "--rounds", "3"], env=environment, check=True, timeout=100, stdout=subprocess.DEVNULL)
    return json.loads(out.read_text())


def problems(found):
    own, foreign = "the attacker about itself", "the attacker about root's"
    borrowed = "root by the attacker's descriptor about "
    for who, status in ((own, "0x0"), (foreign, REFUSED), ("root about the attacker's", REFUSED),
                        (borrowed + "the attacker's", "0x0"), (borrowed + "root's", REFUSED)):
        for query in ("gpu_get_id", "get_timeslice"):
            if found["queries"].get(who, {}).get(query, {}).get("status") != status:
                yield f"{who}: {query} is not {status}"
    for row in found["foreign_list"]["rounds"]:
        if not (row["stood"] and row["goes_on"] and row["enable"]["status"] == "0x0"):
            yield f"a list with another process's channels: {row}"
    if found["foreign_timeslice"]["set"]["status"] != REFUSED:
        yield f"another process's timeslice: {found['foreign_timeslice']}"
    if found["victims_timeslice"]["us"] != found["victims_timeslice_after"]["us"]:
        yield "the victim has another timeslice than before"
    if found["kernels_after"] == 0 or not all(found["exact"].values()):
        yield f"the victim: {found['kernels_after']} kernels afterwards, exact: {found['exact']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--program", "--driver", "--fake-rm"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("skipped: it needs root, to be two users")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        found = list(problems(run(options, Path(folder))))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
