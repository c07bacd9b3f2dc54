#!/usr/bin/python3
"""Two ranks of a training on two GPUs, natively, under XSched, and beside an urgent program on the first one: the
parameters are the same bit for bit, and no rank waits for ever. Exit status 1 if not, 77 if there are not two GPUs
here."""
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from two_gpus import LOAD_SECONDS, NOT_HERE, options_of  # noqa: E402
from lib import backend as backends  # noqa: E402
from lib import programs, report  # noqa: E402
from lib.progress import Progress  # noqa: E402

os.environ.setdefault("NCCL_NVLS_ENABLE", "0")  # multicast over NVLink, which some machines refuse
WAYS = ("native", "XSched", "beside an urgent program")
STEPS, MOST_SECONDS = 400, 40
URGENT = {"kernel-ms": 0.05, "burst-kernels": 40, "sync-every": 10, "pause-ms": 5,
          "seconds": LOAD_SECONDS + MOST_SECONDS}


def train(session, backend, progress, way):
    """Steps per second and the fingerprint of each rank."""
    prefix = () if way == "native" else session.under_xsched()
    store = session.folder / f"store of {way}".replace(" ", "_")
    ranks = [session.start("data_parallel_program.py", {"store": store, "rank": rank, "steps": STEPS}, prefix,
                           folder=HERE)
             for rank in range(2)]
    for rank in ranks:
        rank.wait_ready(progress)
    urgent = None
    if way == WAYS[2]:
        urgent = session.start("hp", URGENT, session.under_xsched("--priority", "10"), folder=backend.programs)
    found = [rank.finish(progress, MOST_SECONDS) for rank in ranks]
    if urgent is not None:
        urgent.kill()
    ends = [value for kind, value in found[0] if kind == 0]
    return (len(ends) - 1) / (ends[-1] - ends[0]) * 1e9, [rows[-1][1] for rows in found]


def main():
    options = options_of(__doc__)
    rates, prints, failures = {}, {}, []
    try:
        with programs.Session(options.build) as session:
            backend = backends.choose(session.build, session.environment, ["cuda"])
            session.patience = LOAD_SECONDS
            progress = Progress(len(WAYS) * (LOAD_SECONDS + MOST_SECONDS))
            for way in WAYS:
                progress.doing(way)
                try:
                    rates[way], prints[way] = train(session, backend, progress, way)
                except programs.ProgramFailed as error:
                    failures.append(f"{way}: {error}")
                    session.kill_all()
            progress.done()
    except (LookupError, OSError) as error:
        print(f"skipped: {error}")
        return NOT_HERE
    rows = [("", "steps/s", "parameters of the ranks"),
            *((way, f"{rates[way]:.1f}", " ".join(map(str, prints[way]))) for way in rates)]
    passed = not failures and len({value for found in prints.values() for value in found}) == 1
    print(f"\n{backend.device}, driver {backend.driver}, XSched {report.version()}\n\n{report.table(rows)}\n")
    print("\n".join(failures))
    print(report.write_result(options.results, "data_parallel",
                              "A training on two GPUs, beside an urgent program on one",
                              backend, passed, {"steps_per_s": rates, "fingerprints": prints, "failures": failures},
                              f"{STEPS} steps each"))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
