#!/usr/bin/python3
"""A program on two GPUs beside an urgent one that uses one of them: it makes room there and goes on on the other one;
whatever number the urgent program knows that device by. Exit status 1 if not, 77 if there are not two GPUs here."""
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from two_gpus import LOAD_SECONDS, NOT_HERE, options_of  # noqa: E402
from lib import backend as backends  # noqa: E402
from lib import programs, report  # noqa: E402
from lib.progress import Progress  # noqa: E402

ALONE_SECONDS, URGENT_SECONDS = 2, 2
MOST_KEPT_ON_WANTED = 0.3  # the starvation limit gives it a turn now and then
LEAST_KEPT_ON_OTHER = 0.95


def rate(rows, device, begin, end):
    return sum(row[0] == device and begin < row[1] <= end for row in rows) / (end - begin) * 1e9


def measure(session, progress, wanted):
    """The rates on both devices alone, and beside an urgent program on the device `wanted`; that one's own rate."""
    low = session.start("two_devices_program.py", {"devices": "0,1"}, session.under_xsched(), folder=HERE)
    # CUDA_VISIBLE_DEVICES gives the urgent program only the wanted device, which it sees as its device 0.
    high = session.start("two_devices_program.py", {"devices": "0", "seconds": URGENT_SECONDS, "wait": 1},
                         session.under_xsched("--priority", "10"), {"CUDA_VISIBLE_DEVICES": str(wanted)}, HERE)
    for program in (low, high):
        program.wait_ready(progress)
    alone = time.monotonic_ns()
    progress.wait(ALONE_SECONDS)
    alone = (alone, time.monotonic_ns())
    high.begin()
    high.wait_ready(progress)
    urgent = time.monotonic_ns()
    high_rows = high.finish(progress, URGENT_SECONDS)
    urgent = (urgent, high_rows[-1][1])
    said = session.xcli("list")
    low_rows = low.finish(progress, 1)
    return ({device: rate(low_rows, device, *urgent) / rate(low_rows, device, *alone) for device in (0, 1)},
            len(high_rows), said)


def main():
    options = options_of(__doc__)
    rows, kept, passed = [("urgent program on", "device 0 keeps", "device 1 keeps", "urgent pieces")], {}, True
    try:
        with programs.Session(options.build) as session:
            backend = backends.choose(session.build, session.environment, ["cuda"])
            session.programs, session.patience = backend.programs, LOAD_SECONDS
            progress = Progress(2 * (LOAD_SECONDS + 10))
            for wanted in (0, 1):
                progress.doing(f"device {wanted}")
                kept[wanted], pieces, said = measure(session, progress, wanted)
                rows.append((f"device {wanted}", f"{kept[wanted][0]:.0%}", f"{kept[wanted][1]:.0%}", pieces))
                passed = passed and kept[wanted][wanted] <= MOST_KEPT_ON_WANTED and \
                    kept[wanted][1 - wanted] >= LEAST_KEPT_ON_OTHER
            progress.done()
    except (LookupError, OSError) as error:
        print(f"skipped: {error}")
        return NOT_HERE
    print(f"\n{backend.device}, driver {backend.driver}, XSched {report.version()}\n\n{report.table(rows)}\n\n{said}")
    print(report.write_result(options.results, "two_devices",
                              "A program on two GPUs beside an urgent one on one of them",
                              backend, passed, {"kept": kept}, f"{URGENT_SECONDS} s each"))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
