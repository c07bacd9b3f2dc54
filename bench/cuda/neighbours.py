#!/usr/bin/env python3
"""An urgent program's bursts, alone and beside other programs of every kind: natively and under XSched, in turns.

    neighbours.py --build DIR --results DIR [--set copies|crowds|members|random|lengths|training|calls|contexts|whole]
                  [--ways native,xsched] [--urgent NAME,...] [--only TEXT] [--rounds N] [--bursts N]
                  [--period MS|LEAST-MOST] [--budget SECONDS] [--keep-rows] [--small] [--list]

No burst is left out: the first one, which meets programs that had no rival before, is told apart. Results go into
DIR/cuda_neighbours_SET.json: of each urgent program, neighbour and way the bursts' p50, p99, longest, first, how many
took over 1.5 times the median, and how the copying ones divide (medians); the neighbour's rate alone and beside, and
which part of what the bursts left it that is. DIR/bursts_SET.json has every burst. Exit status 1: a program failed or
found a wrong result. --period 12-18: bursts begin 12 to 18 ms apart, at random. --keep-rows: also what each program
wrote. --small: sizes and times for the tests' fake driver."""
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lib import command, report  # noqa: E402
from lib.neighbour_rows import rows, summary  # noqa: E402

MIB, GIB = 1 << 20, 1 << 30
PERIOD_MS = "10"
READY_SECONDS, END_SECONDS, KILLED_SECONDS = 25, 20, 3
TRAINING_SECONDS = 90  # until PyTorch trains
ALONE_SECONDS = 1.5    # that a neighbour is measured alone
LOADS_SECONDS = 5      # the same of one that loads a model, frees it and loads another: several of them
START_EVERY = 2.5      # seconds from the start of one training process on the device to that of the next
PYTORCH = Path(__file__).resolve().parent / "pytorch"
WAYS = {"native": None, "xsched": {}, "whole": {"XSCHED_COPY_PIECE": "-1"}, "pieces": {"XSCHED_COPY_PIECE": "0"},
        "engines": {"XSCHED_COPY_PIECE": "0", "XSCHED_DEBUG": "interrupt_copies=1"},
        "kernels_off": {"XSCHED_DEBUG": "interrupt_copies=0"},
        "pageable": {"XSCHED_COPY_PIECE": "0", "XSCHED_DEBUG": "interrupt_copies=0"},
        "careless": {"XSCHED_DEBUG": "precautions=0"},
        "unforeseen": {"XSCHED_DEBUG": "foresight=0"}, "gates": {"XSCHED_INTERRUPT": "0"},
        "evictable": {"XSCHED_EVICTABLE": "1"},
        "keeping": {"XSCHED_DEBUG": "free_ends_keep_alive=0"}, "freeing": {"XSCHED_DEBUG": "spare_memory=0"},
        "timeslices": None}
TIMESLICES = "timeslices"  # natively, and the neighbours have a short timeslice once and for all
BURSTS = ("kernels", "steps", "host")  # the main job's A, B and C
LOADS = "model load"
IN_PYTORCH = ("gemms", "handles")
SETS = {"copies": (("copying",), ("pinned both ways", "pageable both ways", LOADS, "pinned in, 16 deep")),
        "crowds": ((*BURSTS, "copying"), ("one", "five", "ten")),
        "members": (BURSTS, ("pinned both ways", "graphs", "eight streams", "pageable both ways", "allocations",
                             "five")),
        "random": (BURSTS, ("0.3 ms", "five")),
        "lengths": (BURSTS, ("0.05 ms", "0.3 ms", "3 ms", "30 ms")),
        "training": (BURSTS, ("training", "training starts")),
        "calls": (("streams", "allocating", "setup", "handles"), ("graphs",)),
        "contexts": (BURSTS[:2], ("two contexts", "green contexts", "one context")),
        "whole": (("gemms",), ("0.3 ms",))}  # each kernel takes every multiprocessor as a whole


@dataclass
class Sizes:
    copy: int = 256 * MIB
    pageable: int = 256 * MIB
    model: int = 10 * GIB
    tensor: int = 256 * MIB
    allocation: int = 64 * MIB
    graph_kernels: int = 200

    def neighbours(self, steps):
        """Returns the programs' words for each neighbour. `steps`: the steps of a kernel of 7 us."""
        def kernels(milliseconds, streams=1, depth=16):
            return ["queues", "{out}", streams, depth, round(steps * milliseconds / 0.007)]

        copier = ["copier", "{out}", self.copy, 2, "both", "pinned"]
        pageable = ["copier", "{out}", self.pageable, 1, "both", "pageable"]
        graphs = ["graphs", "{out}", self.graph_kernels, round(steps * 0.3 / 0.007)]
        memory = ["memory", "{out}", self.allocation, round(steps * 0.1 / 0.007)]
        five = [copier, graphs, kernels(0.3, 8, 4), pageable, memory]
        return {"pinned both ways": [copier], "pageable both ways": [pageable],
                LOADS: [["load", "{out}", self.model, self.tensor]],
                "pinned in, 16 deep": [["copier", "{out}", self.copy, 16, "in", "pinned"]],
                "one": [graphs], "five": five, "ten": five + five, "graphs": [graphs],
                "one context": [["rounds", "{out}", "contexts", 1, 2, round(steps * 0.25 / 0.007)]],
                "two contexts": [["rounds", "{out}", "contexts", 2, 1, round(steps * 0.25 / 0.007)]],
                "green contexts": [["rounds", "{out}", "green", 15, 3, round(steps * 0.02 / 0.007)]],
                "eight streams": [kernels(0.3, 8, 4)], "allocations": [memory],
                "0.05 ms": [kernels(0.05)], "0.3 ms": [kernels(0.3)], "3 ms": [kernels(3)], "30 ms": [kernels(30)],
                "training": ["training"], "training starts": ["training starts"]}


class Failed(Exception):
    """A program failed."""


class Bench:
    def __init__(self, options, folder):
        self.build, self.folder = options.build.resolve(), Path(folder)
        self.program = self.build / "bench" / "cuda" / "neighbours"
        self.options = options
        small = Sizes(8 * MIB, 8 * MIB, 64 * MIB, 8 * MIB, 4 * MIB, 20)
        self.sizes = small if options.small else Sizes()
        self.servers = {}  # of each way the folder in which its server is: servers have options too
        self.number = 0
        self.log = []

    def preloaded(self, way, priority):
        """Returns a program's privileges in the way that is no scheduler's."""
        if way != TIMESLICES or priority != 0:
            return {}
        return {"LD_PRELOAD": str(self.build / "bench" / "cuda" / "libtimeslices.so"), "BENCH_TIMESLICE_US": "1"}

    def environment(self, way):
        if way not in self.servers:
            self.servers[way] = self.folder / way
            self.servers[way].mkdir(mode=0o700)
        # Each way gets a server with a socket of its own. XDG_RUNTIME_DIR alone would not suffice, since programs
        # also look for servers at other places.
        places = {"XDG_RUNTIME_DIR": str(self.servers[way]), "XSCHED_SOCKET": str(self.servers[way] / "server.sock")}
        return {**os.environ, **places, **(WAYS[way] or {})}

    def start(self, way, priority, line):
        """The process, not yet ready; `out` of it is the file that its rows go to."""
        self.number += 1
        out = self.folder / f"rows{self.number}"
        line = [str(word).format(out=out) for word in line]
        environment = self.environment(way) | self.preloaded(way, priority)
        if WAYS[way] is not None:
            options = ["--priority", str(priority), "--log", self.options.log]
            line = [str(self.build / "bin" / "xcli"), "run", *options, "--", *line]
        kept = self.folder if self.options.log == "WARN" else self.options.results
        errors = open(kept / f"errors{self.number}", "w+", encoding="utf-8", errors="replace")
        process = subprocess.Popen(line, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        process.errors, process.out = errors, out
        return process

    def wait_ready(self, process, seconds=READY_SECONDS):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([process.stdout], [], [], 0.5)[0]:
                if process.stdout.readline().strip() == b"ready":
                    return
                break
        self.finish(process, 0)
        raise Failed(f"{' '.join(process.args)} did not become ready")

    def finish(self, process, seconds=END_SECONDS):
        """Ends it by its standard input, or by force. Its output goes into the log."""
        if not process.stdin.closed:
            process.stdin.close()
        forced = ""
        try:
            process.wait(max(seconds, 0.1))
        except subprocess.TimeoutExpired:
            forced = f"ended by force: {where(process.pid)}"
            process.kill()
            try:
                process.wait(KILLED_SECONDS)
            except subprocess.TimeoutExpired:
                forced += "; it does not die"
        process.errors.seek(0)
        said = (process.errors.read().strip()[-1500:] + " " + forced).strip()
        if said:
            self.log.append(said)
        if process.returncode != 0:
            raise Failed(f"exit status {process.returncode}: {said[-700:]}")

    def steps(self):
        line = [self.program, "copying", "-", "1", "1", "0"]
        return int(subprocess.run(line, capture_output=True, text=True, timeout=READY_SECONDS, check=True).stdout)

    def busy(self, way, words):
        """A neighbour that is at work."""
        training = words == "training"
        line = [sys.executable, PYTORCH / "train.py", "--out", "{out}"] if training else [self.program, *words]
        process = self.start(way, 0, line)
        self.wait_ready(process, TRAINING_SECONDS if training else READY_SECONDS)
        return process

    def loaded_trainings(self, way, seconds):
        """Starts as many as can begin one after the other meanwhile; they have loaded all but their device memory.
        Of half the batch, so that three have room beside each other."""
        line = [sys.executable, PYTORCH / "train.py", "--out", "{out}", "--wait", "1", "--seconds", "1",
                "--batch", "4"]
        loaded = [self.start(way, 0, line) for _ in range(max(1, round(seconds / START_EVERY)))]
        for process in loaded:
            self.wait_ready(process, TRAINING_SECONDS)
        return loaded

    def urgent_line(self, role, steps):
        bursts = self.options.bursts
        if role in IN_PYTORCH:
            return [sys.executable, PYTORCH / f"{role}.py", "--out", "{out}", "--bursts", bursts]
        return [self.program, role, "{out}", bursts, self.options.period, steps]

    def record(self, way, role, neighbour):
        """Records the server's view and its decisions from now on, into a file for xsim replay; or nothing."""
        if neighbour == "alone" or not self.options.record or WAYS[way] is None:
            return None
        name = f"{role}_{neighbour}_{way}".replace(" ", "_")
        lasts = f"{1.3 * self.options.bursts * self.options.longest_ms:.0f}ms"
        line = [self.build / "bin" / "xcli", "record", "-t", lasts, "-o", self.options.results / f"recorded_{name}"]
        return subprocess.Popen(line, env=self.environment(way), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def measure(self, way, role, neighbour, steps):
        """Bursts, and of each of its programs the rows; when these were alone (ns)."""
        words = self.sizes.neighbours(steps).get(neighbour, [])
        starts = words == ["training starts"]
        neighbours = []
        seconds = self.options.bursts * self.options.longest_ms / 1000
        try:
            for one in words:
                neighbours += self.loaded_trainings(way, seconds) if starts else [self.busy(way, one)]
            alone = [time.monotonic_ns(), 0]
            if neighbours and not starts:
                time.sleep(0.3 if self.options.small else LOADS_SECONDS if neighbour == LOADS else ALONE_SECONDS)
            alone[1] = time.monotonic_ns()
            urgent = self.start(way, 10, self.urgent_line(role, steps))
            self.wait_ready(urgent, TRAINING_SECONDS if role in IN_PYTORCH else READY_SECONDS)
            recorder = self.record(way, role, neighbour)
            if starts:
                begin_in_turns(neighbours, urgent)
            self.finish(urgent, END_SECONDS + 2 * seconds)
            if recorder is not None:
                recorder.wait(END_SECONDS + 2 * seconds)
            held = self.held(way, neighbours)
        finally:
            for process in neighbours:
                self.finish(process)
        if self.options.keep_rows:
            self.keep(way, role, neighbour, [urgent, *neighbours])
        return rows(urgent.out), [] if starts else [rows(process.out) for process in neighbours], alone, held

    def keep(self, way, role, neighbour, processes):
        for number, process in enumerate(processes):
            name = f"rows_{role}_{neighbour}_{way}_{number}".replace(" ", "_")
            shutil.copy(process.out, self.options.results / name)

    def held(self, way, neighbours):
        """Returns for each neighbour the server's counts of holds by mechanism, and the ms until it was off."""
        if WAYS[way] is None or not neighbours:
            return []
        line = [self.build / "bin" / "xcli", "metrics", "--json"]
        said = subprocess.run(line, env=self.environment(way), capture_output=True, text=True, timeout=READY_SECONDS)
        known = {one["pid"]: one for one in json.loads(said.stdout or "{}").get("programs", [])}
        found = [known[process.pid] for process in neighbours if process.pid in known]
        return [{"command_ms": one["command_ms"], "holds": one["holds"], "by": counted(one["preempted_by"]),
                 "stop_ms": counted(one["stop_ms_by"]), "resume_ms": counted(one["resume_ms_by"])} for one in found]


def counted(by_mechanism):
    return {name: round(value, 3) for name, value in by_mechanism.items() if value}


def begin_in_turns(trainings, urgent):
    for process in trainings:
        if urgent.poll() is not None:
            return
        process.stdin.write(b"\n")
        process.stdin.flush()
        time.sleep(START_EVERY)


def where(pid):
    """In which calls of the system its threads are, for the log."""
    found = []
    for task in sorted(Path(f"/proc/{pid}/task").glob("*")):
        try:
            found.append(f"{(task / 'comm').read_text().strip()} {(task / 'syscall').read_text().strip()[:60]}")
        except OSError as error:
            found.append(str(error))
    return ", ".join(found)


def write(path, document):
    path.write_text(json.dumps(document, indent=1) + "\n")


def parse_options():
    parser = command.options_parser(__doc__)
    parser.add_argument("--set", choices=SETS, default="copies")
    parser.add_argument("--ways", default="", help=f"of {', '.join(WAYS)}")
    parser.add_argument("--urgent", default="", help="only these")
    parser.add_argument("--only", default="", help="neighbours whose name contains this, and alone")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--bursts", type=int, default=200)
    parser.add_argument("--native-bursts", type=int, help="natively so many")
    parser.add_argument("--period", default=PERIOD_MS, help="ms from burst to burst; 12-18: at random between the two")
    parser.add_argument("--budget", type=float, default=170)
    parser.add_argument("--record", action="store_true", help="also what the server saw, for xsim replay")
    parser.add_argument("--keep-rows", action="store_true")
    parser.add_argument("--log", default="WARN", help="level of the programs' logs, which are kept if it is another")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    options.ways = (options.ways or "native,xsched").split(",")
    options.longest_ms = float(options.period.split("-")[-1])
    roles, names = SETS[options.set]
    options.roles = [role for role in roles if not options.urgent or role in options.urgent.split(",")]
    options.names = ["alone", *(name for name in names if options.only in name)]
    return options


class Run:
    """The results so far, written after each measurement."""

    def __init__(self, options):
        self.options = options
        self.found, self.bursts, self.failures = {}, {}, []
        self.document = {"command": " ".join(sys.argv), "when": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()),
                         "version": os.environ.get("XSCHED_BENCH_VERSION", report.version()), "device": device(),
                         "period_ms": options.period, "results": self.found, "failures": self.failures}

    def add(self, key, bursts, neighbours, alone, held):
        one = summary(bursts, neighbours, alone) | ({"held": held} if held else {})
        self.found.setdefault(key, []).append(one)
        self.bursts.setdefault(key, []).append(bursts)
        print(f"{key:42} {json.dumps(one)}", flush=True)
        self.write()

    def write(self):
        write(self.options.results / f"cuda_neighbours_{self.options.set}.json", self.document)
        path = self.options.results / f"bursts_{self.options.set}.json"
        path.write_text(json.dumps(self.bursts) + "\n")

    def fail(self, key, failure):
        self.failures.append(f"{key}: {failure}")
        print("given up:", self.failures[-1], file=sys.stderr, flush=True)


def measure_all(bench, run, options, steps):
    began, bursts = time.monotonic(), options.bursts
    for turn in range(options.rounds):
        for role in options.roles:
            for name in options.names:
                for way in options.ways:
                    key = f"{role}, {name}, {way}"
                    if time.monotonic() - began > options.budget:
                        run.document["cut"] = f"in round {turn + 1}, before {key}"
                        return
                    options.bursts = options.native_bursts or bursts if way == "native" else bursts
                    try:
                        run.add(key, *bench.measure(way, role, name, steps))
                    except (Failed, OSError, subprocess.SubprocessError) as failure:
                        run.fail(key, failure)


def main():
    options = parse_options()
    if options.list:
        print("\n".join(f"{role}, {name}" for role in options.roles for name in options.names))
        return 0
    options.results.mkdir(parents=True, exist_ok=True)
    run = Run(options)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        steps = run.document["steps"] = bench.steps()
        measure_all(bench, run, options, steps)
        for way in bench.servers:
            stop_server(bench, way)
        run.document["log"] = bench.log[-40:]
    run.write()
    return 1 if run.failures else 0


def device():
    try:
        asked = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        return subprocess.run(asked, capture_output=True, text=True, timeout=20).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def stop_server(bench, way):
    """The one that xcli run started in our folder."""
    try:
        said = subprocess.run([bench.build / "bin" / "xcli", "server", "--json"], env=bench.environment(way),
                              capture_output=True, text=True, timeout=READY_SECONDS)
        os.kill(json.loads(said.stdout)["pid"], signal.SIGTERM)
    except (ValueError, KeyError, OSError, subprocess.SubprocessError):
        pass


if __name__ == "__main__":
    sys.exit(main())
