#!/usr/bin/env python3
"""A training by two ranks over NCCL on two GPUs, data parallel and tensor parallel, beside an urgent program on the
first GPU: natively, and under XSched with both ranks in one gang, also when held to half of each GPU.

    two_gpus.py --build DIR --results DIR [--steps 1000] [--only data|tensor]

For each: steps per second before the urgent program begins and beside it, the urgent one's bursts, which come at
random, and how far apart the two ranks were suspended. The parameters must be the same bit for bit. Exit status
1: they are not, or a program failed; 77: there are not two GPUs."""
import argparse
import os
import statistics
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "python")]
from lib import backend as backends  # noqa: E402
from lib import programs, report  # noqa: E402
from lib.own_measuring import RESUMED, SUSPENDED  # noqa: E402
from lib.progress import Progress  # noqa: E402
from lib.tool_link import ToolLink  # noqa: E402
from xsched import _link  # noqa: E402

os.environ.setdefault("NCCL_NVLS_ENABLE", "0")  # multicast over NVLink, which some machines refuse
NOT_HERE, LOAD_SECONDS, MOST_SECONDS = 77, 90, 45
PROGRAM = ROOT / "tests" / "gpu"
ALONE_SECONDS, LOOK_SECONDS = 2, 0.05
URGENT = {"kernel-ms": 0.05, "burst-kernels": 40, "sync-every": 10, "pause-ms": 2, "pause-max-ms": 8,
          "seconds": LOAD_SECONDS + MOST_SECONDS, "until-eof": 1, "wait": 1}
TOGETHER_US = 3000  # suspensions of two ranks that are further apart are two decisions


@dataclass(frozen=True)
class Way:
    options: tuple = None  # of xcli run; None: natively
    urgent: bool = True
    policy: str = "HPF"


GANG, LIMIT = ("--gang", "nccl"), ("--limit", "50")
WAYS = {"natively": Way(), "XSched": Way(()), "XSched, gang": Way(GANG), "XSched, level 2": Way(("--level", "2")),
        "XSched, gang, level 2": Way((*GANG, "--level", "2")), "gang, limit 50": Way((*GANG, *LIMIT)),
        "limit 50, alone": Way(LIMIT, urgent=False), "gang, limit 50, alone": Way((*GANG, *LIMIT), urgent=False),
        "gang, limit 50, alone, PUP": Way((*GANG, *LIMIT), urgent=False, policy="PUP")}


class Changes(threading.Thread):
    """Collects what the server records of suspensions, until it is told to stop."""

    def __init__(self, socket):
        super().__init__(daemon=True)
        self.link = ToolLink(socket, (_link.MAGIC, _link.VERSION))
        self.rows, self.over = [], threading.Event()
        self.next = self.link.ask(cmd="record")["next"]

    def run(self):
        while not self.over.wait(LOOK_SECONDS):
            self.look()

    def look(self):
        more = True
        while more:
            answer = self.link.ask(**{"cmd": "record", "from": self.next})
            more, self.next = answer["more"], answer["next"]
            self.rows += [row for row in answer["entries"] if row[1] in (SUSPENDED, RESUMED)]

    def stop(self):
        self.over.set()
        self.join()
        self.link.close()
        return self.rows


def apart_us(rows):
    """For each suspension of one client, how long before or after another one the next client's was, in us."""
    begun, found, last = set(), [], {}
    for when_ns, kind, client, slot in (row[:4] for row in rows):
        if kind == RESUMED:
            begun.discard((client, slot))
        elif (client, slot) not in begun:
            begun.add((client, slot))
            last[client] = when_ns / 1000
            others = [at for other, at in last.items() if other != client]
            if others and last[client] - max(others) < TOGETHER_US:
                found.append(last[client] - max(others))
    return found


def rate(ends, begin, until):
    inside = [at for at in ends if begin < at <= until]
    return (len(inside) - 1) / (inside[-1] - inside[0]) * 1e9 if len(inside) > 1 else 0


def train(session, backend, progress, way, parallel, options):
    prefix = () if way.options is None else session.under_xsched(*way.options)
    words = {"store": session.folder / f"store-{len(session.started)}", "steps": options.steps, "parallel": parallel}
    ranks = [session.start("data_parallel_program.py", {**words, "rank": rank}, prefix, folder=PROGRAM)
             for rank in range(2)]
    high = () if way.options is None else session.under_xsched("--priority", "10")
    urgent = session.start("hp", {**URGENT, "steps": options.kernel_steps}, high, folder=backend.programs)
    urgent.wait_ready(progress)
    for rank in ranks:
        rank.wait_ready(progress)
    if way.options is not None:
        session.xcli("policy", way.policy)
    changes = Changes(session.environment["XSCHED_SOCKET"]) if way.options is not None else None
    progress.wait(ALONE_SECONDS)
    if changes:
        changes.start()
    if way.urgent:
        urgent.begin()
    found = [rank.finish(progress, MOST_SECONDS) for rank in ranks]
    rows = changes.stop() if changes else []
    bursts = urgent.finish(progress, 2) if way.urgent else []
    urgent.kill()
    ends = [value for kind, value in found[0] if kind == 0]
    return {"ends": ends, "fingerprints": [one[-1][1] for one in found],
            "bursts": [row for row in bursts if row[0] < ends[-1]], "apart_us": apart_us(rows)}


def alone(session, backend, progress, kernel_steps):
    """Latencies of the urgent program's bursts with no other program, in ns."""
    program = session.start("hp", {**URGENT, "steps": kernel_steps, "seconds": 3, "wait": 0}, folder=backend.programs)
    program.wait_ready(progress)
    return [row[1] for row in program.finish(progress, 3)]


def summary(one, native, burst_ns):
    """Rates, what the training keeps of the time that the bursts leave, and the bursts' lengths."""
    begin, ends, bursts = one["ends"][0], one["ends"], one["bursts"]
    told = {"fingerprints": one["fingerprints"]}
    if not bursts:
        told["steps_per_s"] = rate(ends, begin, ends[-1])
        return told
    first, last = bursts[0][0], min(bursts[-1][0] + bursts[-1][1], ends[-1])
    left = 1 - len(bursts) * burst_ns / (last - first)
    told |= {"steps_per_s": rate(ends, begin, first), "beside_steps_per_s": rate(ends, first, last), "left": left,
             "bursts": len(bursts)}
    told["latencies_us"] = [row[1] // 1000 for row in bursts]
    told |= {f"p{which}_ms": report.percentile([row[1] for row in bursts], which) / 1e6 for which in (50, 90, 99)}
    told["kept_of_left"] = told["beside_steps_per_s"] / (native * left)
    if one["apart_us"]:
        told |= {"suspended_together": len(one["apart_us"]), "apart_p50_us": report.percentile(one["apart_us"], 50),
                 "apart_p99_us": report.percentile(one["apart_us"], 99), "apart_longest_us": max(one["apart_us"])}
    return told


def measure(session, backend, progress, options):
    found, failures = {}, []
    options.kernel_steps = session.calibrate(URGENT["kernel-ms"])
    lengths = alone(session, backend, progress, options.kernel_steps)
    found["urgent alone"] = {"p50_ms": report.percentile(lengths, 50) / 1e6,
                             "p99_ms": report.percentile(lengths, 99) / 1e6}
    for parallel in ("data", "tensor"):
        native = None
        for name, way in WAYS.items():
            if options.only not in ("", parallel):
                continue
            progress.doing(f"{parallel}, {name}")
            try:
                one = train(session, backend, progress, way, parallel, options)
            except programs.ProgramFailed as error:
                failures.append(f"{parallel}, {name}: {error}")
                session.kill_all()
                continue
            native = native or rate(one["ends"], one["ends"][0], one["bursts"][0][0])
            found[f"{parallel}, {name}"] = summary(one, native, statistics.median(lengths))
            print(f"\n{parallel}, {name}: {found[f'{parallel}, {name}']}", flush=True)
    return found, failures


def is_exact(found):
    """Returns whether all ways of one training have the same parameters."""
    prints = {}
    for name, one in found.items():
        if "fingerprints" in one:
            prints.setdefault(name.split(",")[0], set()).add(tuple(one["fingerprints"]))
    return all(len(each) == 1 for each in prints.values())


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=1000, help="of each training")
    parser.add_argument("--only", choices=("", "data", "tensor"), default="")
    return parser.parse_args()


def main():
    options = parse_options()
    counted = subprocess.run([sys.executable, "-c", "import torch; print(torch.cuda.device_count())"], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if counted.returncode != 0 or int(counted.stdout) < 2:
        print("skipped: there are not two GPUs that a python3 with PyTorch finds")
        return NOT_HERE
    with programs.Session(options.build) as session:
        backend = backends.choose(session.build, session.environment, ["cuda"])
        session.programs, session.patience = backend.programs, LOAD_SECONDS
        progress = Progress(2 * len(WAYS) * 25)
        found, failures = measure(session, backend, progress, options)
        progress.done()
    passed = not failures and is_exact(found)
    print("\n".join(failures))
    print(report.write_result(options.results, "two_gpus", "A training on two GPUs beside an urgent program on one",
                              backend, passed, {"ways": found, "failures": failures}, f"{options.steps} steps each"))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
