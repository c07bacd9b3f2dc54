#!/usr/bin/env python3
"""The long runs of HIP on its stand-ins, within five minutes, on a machine with many processors: streams that share
hardware queues, two streams of one process, preemptions, kills and random operations in every mode. They do not use AMD
hardware.

    scripts/pack_stand_ins.sh build/dev hip_pack
    bench/hip/run_stand_ins.py --build hip_pack --out results [--limit 290] [--share 0.01] [--only order]

It needs no compiler. Steps that compare times run first, on processors of their own; the rest fills the machine. The
results (stand_ins.json) are written again after each run, with what the run had to show; the exit status is 0 if all
met that. --share: so much of each count, to try it."""
import argparse
import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import shared_queues  # noqa: E402
from lib import report  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
OPERATIONS, PREEMPTIONS, KILLS, BURSTS, TASKS = 1_000_000, 10_000, 1000, 300, 40
MOST_MS = 5000
SLOW_MODES = {"shim_local": 8, "shim_delays": 4}
LEVELS = {"natively": None, "level 1": 1, "level 2": 2, "level 3": 3}
LEAST_RATIO = 3
GRACE_SECONDS = 8  # the last runs' own end, and the report


class Job:
    """One run of a program: its processors, what it prints, and what that shows. `read`: output -> figures and what is
    wrong with them."""

    def __init__(self, name, command, environment, cores, read, usual):
        self.name, self.command, self.environment, self.cores = name, command, environment, cores
        self.read, self.usual, self.process, self.result = read, usual, None, None

    def start(self, processors, folder):
        self.processors, self.began = processors, time.monotonic()
        self.log = folder / (re.sub(r"\W+", "_", self.name) + ".log")
        with self.log.open("w") as output:
            self.process = subprocess.Popen([str(word) for word in self.command], stdout=output,
                                            stderr=subprocess.STDOUT, start_new_session=True,
                                            env={**os.environ, **self.environment},
                                            preexec_fn=lambda: os.sched_setaffinity(0, processors))

    def end(self):
        """Kills the process and all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def finish(self, cut):
        output = self.log.read_text(errors="replace")
        figures, wrong = self.read(output)
        if cut:
            wrong = [f"cut off after {time.monotonic() - self.began:.0f} s", *wrong]
        elif self.process.returncode != 0:
            wrong = [f"exit status {self.process.returncode}", *wrong, *output.splitlines()[-4:]]
        self.result = {"status": "FAIL" if wrong else "PASS", "seconds": round(time.monotonic() - self.began, 1),
                       **figures, **({"notes": wrong} if wrong else {})}


class Machine:
    """Jobs on processors of their own, as many at a time as there are processors for."""

    def __init__(self, folder, until, told):
        self.free, self.folder, self.until, self.told = sorted(os.sched_getaffinity(0)), folder, until, told
        self.most = len(self.free)

    def run(self, jobs):
        waiting, running = list(jobs), []
        while waiting or running:
            for job in [job for job in waiting if min(job.cores, self.most) <= len(self.free)]:
                cores = min(job.cores, self.most)
                if cores > len(self.free) or time.monotonic() > self.until:
                    continue
                self.free, mine = self.free[cores:], self.free[:cores]
                waiting.remove(job)
                running.append(job)
                job.start(set(mine), self.folder)
            time.sleep(0.05)
            late = time.monotonic() > self.until
            for job in [job for job in running if late or job.process.poll() is not None]:
                cut = job.process.poll() is None
                job.end()
                running.remove(job)
                self.free = sorted([*self.free, *job.processors])
                job.finish(cut)
                self.told(job)
            if late and not running:
                for job in waiting:
                    job.result = {"status": "FAIL", "notes": ["not begun: no time was left"]}
                    self.told(job)
                return


def numbers(output):
    """The three numbers that these programs print."""
    found = re.findall(r"^([\d.]+) ([\d.]+) ([\d.]+)$", output, re.M)
    return [[float(word) for word in line] for line in found]


def sharing_jobs(options):
    """Each cell of bench/shared_queues.py, in a process of its own that prints what that script does."""
    for mode in shared_queues.MODES:
        for made, which in shared_queues.CASES:
            command = [sys.executable, Path(shared_queues.__file__), "--build", options.build, "--bursts",
                       count(BURSTS, options), "--modes", mode, "--made", made]
            yield Job(f"sharing {mode} {made}", command, {}, 4,
                      lambda output, made=made: read_sharing(output, made), 15)


def read_sharing(output, made):
    found = re.search(rf"^[a-z, ]+ +{made} +([\d. ]+)$", output, re.M)
    if not found:
        return {}, ["no figures"]
    keys = ("alone_p50_ms", "alone_p99_ms", "p50_ms", "p99_ms", "p50_of_alone", "p99_of_alone", "busy_round_ms")
    figures = dict(zip(keys, map(float, found[1].split())))
    return figures, [f"{key} {figures[key]:.2f}, at most {limit} is asked"
                     for key, limit in (("p50_of_alone", 1.5), ("p99_of_alone", 3)) if figures[key] > limit]


def ratio_jobs(options):
    """Two streams of one process, at each level; the kernel driver's stand-in takes hardware queues off one by one."""
    library = options.build / "lib"
    for name, level in LEVELS.items():
        environment = {"XSCHED_HIP_LIB": str(library / "libfakehip.so"),
                       "XSCHED_SCHEDULER": "local", "XSCHED_POLICY": "HPF", "XLOG_LEVEL": "WARN", "FAKE_KFD": "1",
                       "FAKE_HIP_HSA": str(library / "libfakehsa.so"), "FAKE_HSA_LOCAL": "1",
                       "LD_PRELOAD": str(library / "libfakekfd.so")}
        if level is not None:
            environment["LD_PRELOAD"] = f"{library / 'libshimhip.so'}:{environment['LD_PRELOAD']}"
        if level == 3:
            environment["XSCHED_INTERRUPT"] = "1"
        command = [options.build / "bench" / "hip" / "two_streams", count(TASKS, options), level or 0]
        yield Job(f"ratio {name}", command, environment, 4,
                  lambda output, judged=level == 3: read_ratio(output, judged), 10)


def read_ratio(output, judged):
    found = numbers(output)
    if not found:
        return {}, ["no figures"]
    high, low, ratio = found[-1]
    figures = {"high_ms": high, "low_ms": low, "ratio": ratio}
    return figures, [f"ratio {ratio:.2f}, over {LEAST_RATIO} is asked"] if judged and ratio <= LEAST_RATIO else []


def described_jobs(options):
    """The storm and the order checker, as CMake says that they run."""
    text = (options.build / "runs.json").read_text()
    for run in json.loads(text.replace("@BUILD@", str(options.build)).replace("@ROOT@", str(ROOT))):
        environment = dict(word.split("=", 1) for word in run["environment"]) | {"TEST_BUILD": str(options.build)}
        if run["name"] == "hip_storm":
            yield from storm_jobs(options, run["command"][0], environment)
        else:
            yield from order_jobs(options, run["name"].removeprefix("order_hip_"), run["command"], environment)


def order_jobs(options, mode, command, environment):
    """The slow modes in several runs at a time, of other seeds."""
    parts = SLOW_MODES.get(mode, 1)
    wanted = count(OPERATIONS / parts, options)
    for part in range(parts):
        # The last one of each option counts.
        more = ["--ops", wanted, "--stall", 20, *(["--seed", 100 + part] if part > 0 else [])]
        yield Job(f"order {mode}" + (f" {part}" if part > 0 else ""), [*command, *more], environment, 2,
                  lambda output: read_order(output, wanted), 100 if parts > 1 else 60)


def read_order(output, wanted):
    found = re.search(r"([\d.]+) s, (\d+) suspensions[^\n]*\noperations (\d+), violations (\d+)", output)
    if not found:
        return {}, ["it did not come to its end"]
    figures = {"suspensions": int(found[2]), "operations": int(found[3]), "violations": int(found[4])}
    wrong = [f"{figures['operations']} operations of {wanted}"] if figures["operations"] < wanted else []
    return figures, wrong + ([f"{figures['violations']} violations"] if figures["violations"] else [])


def storm_jobs(options, program, environment):
    listed = subprocess.run([program, "--gtest_list_tests", "--gtest_filter=*HipStormModes*"], text=True, check=True,
                            capture_output=True, env={**os.environ, **environment}).stdout
    modes = re.findall(r"^  (Preemptions/\w+)", listed, re.M)
    each, kills = -(-count(PREEMPTIONS, options) // len(modes)), count(KILLS, options)
    yield Job("kills", [program, "--gtest_filter=HipStorm.Kills"], environment | {"XSCHED_TEST_KILLS": str(kills)}, 2,
              lambda output: read_storm(output, "kills", kills), 1000)
    for mode in modes:
        command, all_modes = [program, f"--gtest_filter=Storm/HipStormModes.{mode}"], str(each * len(modes))
        yield Job(mode.lower().replace("/", " "), command, environment | {"XSCHED_TEST_PREEMPTIONS": all_modes}, 2,
                  lambda output: read_storm(output, "preemptions", each), 100)


def read_storm(output, what, wanted):
    lines = [json.loads(line) for line in re.findall(r"^storm: (\{.*\})$", output, re.M)]
    if not lines:
        return {}, ["it did not come to its end"]
    last, longest = lines[-1], max(line["longest_ms"] for line in lines)
    figures = {"mode": last["mode"], what: last[what], "longest_ms": round(longest, 1)}
    wrong = [f"{figures[what]} {what} of {wanted}"] if figures[what] < wanted else []
    return figures, wrong + ([f"a wait of {longest:.0f} ms"] if longest > MOST_MS else [])


def count(of, options):
    return max(int(of * options.share), 12)


class Results:
    """The results, written and printed after each run."""

    def __init__(self, options):
        self.file, self.jobs, self.began = options.out / "stand_ins.json", {}, time.monotonic()
        self.options = options

    def tell(self, job):
        self.jobs[job.name] = job.result
        figures = ", ".join(f"{key} {value}" for key, value in job.result.items() if key != "notes")
        print(f"{time.monotonic() - self.began:5.0f} s  {job.name}: {figures}", flush=True)
        for note in job.result.get("notes", []):
            print(f"         {note}", flush=True)
        self.write()

    def sums(self):
        parts = {"operations": "order", "suspensions": "order", "violations": "order", "preemptions": "preemptions",
                 "kills": "kills"}
        return {what: sum(found.get(what, 0) for found in self.jobs.values())
                for what, part in parts.items() if any(name.startswith(part) for name in self.jobs)}

    def write(self):
        failed = [name for name, found in self.jobs.items() if found["status"] != "PASS"]
        share = self.options.share
        self.file.write_text(json.dumps({
            "test_id": "hip_stand_ins", "test_name": "HIP on stand-ins, long runs", "date": time.strftime("%F %T"),
            "hardware": f"stand-ins, not AMD hardware; {report.cpu_model()}, {os.cpu_count()} processors",
            "xsched_version": self.options.version, "status": "FAIL" if failed else "PASS", "failed": failed,
            "metrics": {"sums": self.sums(), "seconds": round(time.monotonic() - self.began), "runs": self.jobs},
            "notes": [] if share == 1 else [f"counts are {share} of what is asked"]}, indent=1))
        return not failed


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("hip_pack"))
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--limit", type=float, default=290)
    parser.add_argument("--share", type=float, default=1)
    parser.add_argument("--only", default="", help="runs whose names begin so")
    options = parser.parse_args()
    options.build, options.out = options.build.resolve(), options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    given = options.build / "VERSION"
    options.version = given.read_text().strip() if given.exists() else report.version()
    return options


def main():
    options = parse()
    results = Results(options)
    machine = Machine(options.out, time.monotonic() + options.limit - GRACE_SECONDS, results.tell)
    timed = [job for job in [*sharing_jobs(options), *ratio_jobs(options)] if job.name.startswith(options.only)]
    rest = [job for job in described_jobs(options) if job.name.startswith(options.only)]
    print(f"XSched {options.version} on HIP's stand-ins, {machine.most} processors: {len(timed) + len(rest)} runs")
    machine.run(timed)
    machine.run(sorted(rest, key=lambda job: -job.usual))
    good = results.write()
    print(json.dumps(results.sums()))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
