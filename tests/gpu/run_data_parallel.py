#!/usr/bin/python3
"""Two ranks of a training on two GPUs: natively, and under XSched alone, beside an urgent program on the first
GPU, held to half of each GPU (--limit 50), and with memory that moves while an urgent program takes the first GPU's.
The parameters are the same bit for bit, and no rank waits for ever. Exit status 1 if not, 77 if there are not two GPUs.
"""
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from two_gpus import LOAD_SECONDS, NOT_HERE, options_of  # noqa: E402
from lib import backend as backends  # noqa: E402
from lib import programs, report  # noqa: E402
from lib.progress import Progress  # noqa: E402

os.environ.setdefault("NCCL_NVLS_ENABLE", "0")  # multicast over NVLink, which some machines refuse
STEPS, MOST_SECONDS = 400, 40
URGENT = {"kernel-ms": 0.05, "burst-kernels": 40, "sync-every": 10, "pause-ms": 5,
          "seconds": LOAD_SECONDS + MOST_SECONDS}
TAKER = HERE.parents[1] / "bench/cuda/memory/taker.py"
GIB = 1 << 30
FREE_MIB = ("nvidia-smi", "-i", "0", "--query-gpu=memory.free", "--format=csv,noheader,nounits")
MISSING = 2 * GIB   # what the urgent allocation lacks; a rank has 4 GiB in four layers that are so wide
WIDE = {"width": 8192, "steps": 150}


@dataclass(frozen=True)
class Way:
    options: tuple = None     # of xcli run; None: natively
    model: tuple = ()         # of data_parallel_program.py
    beside: str = ""          # what runs beside it: bursts, or an allocation
    policy: str = "HPF"


WAYS = {"native": Way(), "XSched": Way(()), "beside an urgent program": Way((), beside="bursts"),
        "--limit 50": Way(("--limit", "50"), policy="PUP"),
        "native, wide": Way(model=tuple(WIDE.items())),
        "--evictable beside an urgent allocation": Way(("--evictable",), tuple(WIDE.items()), "allocation")}
MOVED = re.compile(r"GiB of this program's memory (went|came)")


def begin_beside(session, backend, what):
    """Starts what runs beside the ranks; returns it."""
    if what == "bursts":
        return session.start("hp", URGENT, session.under_xsched("--priority", "10"), folder=backend.programs).process
    free = int(subprocess.check_output(FREE_MIB, text=True)) << 20
    command = [*session.under_xsched("--priority", "10"), sys.executable, TAKER, "--bytes", free + MISSING,
               "--times", 6, "--hold", 0.3, "--rest", 0.5, "--random", 1]
    return subprocess.Popen([str(word) for word in command], env=session.environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def train(session, backend, progress, name):
    """Steps per second, the fingerprint of each rank, and how often memory moved and was had beside it."""
    way = WAYS[name]
    prefix = () if way.options is None else session.under_xsched(*way.options)
    store = session.folder / f"store of {name}".replace(" ", "_")
    options = {"store": store, "steps": STEPS, **dict(way.model)}
    ranks = [session.start("data_parallel_program.py", {**options, "rank": rank}, prefix, {"XLOG_LEVEL": "INFO"}, HERE)
             for rank in range(2)]
    for rank in ranks:
        rank.wait_ready(progress)
    session.xcli("policy", way.policy)
    beside = begin_beside(session, backend, way.beside) if way.beside else None
    found = [rank.finish(progress, MOST_SECONDS) for rank in ranks]
    had = 0
    if beside is not None:
        beside.kill()
        had = sum(line.startswith("malloc 0") for line in beside.stdout or () if way.beside == "allocation")
    moves = [len(MOVED.findall(rank.log.read_text(errors="replace"))) for rank in ranks]
    ends = [value for kind, value in found[0] if kind == 0]
    return {"steps_per_s": (len(ends) - 1) / (ends[-1] - ends[0]) * 1e9,
            "fingerprints": [rows[-1][1] for rows in found], "moves": moves, "allocations": had}


def is_right(found):
    """The ways of one model agree, and memory moved where an allocation asked for it."""
    prints = {}
    for name, one in found.items():
        prints.setdefault(WAYS[name].model, set()).update(one["fingerprints"])
    asked = [one for name, one in found.items() if WAYS[name].beside == "allocation"]
    return all(len(each) == 1 for each in prints.values()) and \
        all(one["moves"][0] and one["allocations"] for one in asked)


def main():
    options = options_of(__doc__)
    found, failures = {}, []
    try:
        with programs.Session(options.build) as session:
            backend = backends.choose(session.build, session.environment, ["cuda"])
            session.patience = LOAD_SECONDS
            progress = Progress(len(WAYS) * (LOAD_SECONDS + MOST_SECONDS))
            for name in WAYS:
                progress.doing(name)
                try:
                    found[name] = train(session, backend, progress, name)
                except programs.ProgramFailed as error:
                    failures.append(f"{name}: {error}")
                    session.kill_all()
            progress.done()
    except (LookupError, OSError) as error:
        print(f"skipped: {error}")
        return NOT_HERE
    rows = [("", "steps/s", "parameters of the ranks", "moves", "allocations"),
            *((name, f"{one['steps_per_s']:.1f}", " ".join(map(str, one["fingerprints"])),
               " ".join(map(str, one["moves"])), one["allocations"]) for name, one in found.items())]
    passed = not failures and is_right(found)
    print(f"\n{backend.device}, driver {backend.driver}, XSched {report.version()}\n\n{report.table(rows)}\n")
    print("\n".join(failures))
    print(report.write_result(options.results, "data_parallel",
                              "A training on two GPUs, beside an urgent program on one",
                              backend, passed, {"ways": found, "failures": failures}, f"{STEPS} steps each"))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
