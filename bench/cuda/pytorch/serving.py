#!/usr/bin/python3
"""BERT as a CUDA graph, asked every 10 ms, beside GPT-2 medium in training: alone, shared natively and under XSched, in
rounds. Exit status 1 if a target was missed, 2 if nothing could be measured."""
import argparse
import contextlib
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from lib import backend as backends  # noqa: E402
from lib import document, intervals, matrix, mps, programs, report  # noqa: E402
from lib.progress import Progress  # noqa: E402

P50, TRAINING_PERCENT = 1.2, 85
START_UP_SECONDS = 22
SCENARIOS = {"alone": "alone", "idle": "training beside an idle server", "native": "shared natively", "xsched": "shared under XSched",
             "alone_xsched": "alone under XSched"}


class Serving:
    def __init__(self, session, progress, options):
        self.session, self.progress, self.seconds = session, progress, options.seconds
        self.scenarios = [name for name in SCENARIOS if name in options.scenarios.split(",")]
        self.cells = defaultdict(matrix.Cell)
        self.training = defaultdict(list)  # steps per second alone, by scenario
        self.losses = defaultdict(list)        # fingerprints of training's first loss, by scenario
        self.processor_ms = defaultdict(list)  # of a training step, by scenario
        self.failures = []

    def train(self, xsched):
        return self.session.start("train.py", {}, self.session.under_xsched() if xsched else ())

    def serve(self, xsched, seed, idle=False):
        return self.session.start("serve.py", {"seconds": self.seconds, "seed": seed, "idle": int(idle)},
                                  self.session.under_xsched("--priority", "10") if xsched else ())

    def end_training(self, train, scenario):
        """When its steps were complete."""
        first, *rows = train.finish(self.progress, 10)
        self.losses[scenario].append(first[0])
        self.processor_ms[scenario].append(first[1] / 1e3)
        return [row[0] for row in rows]

    def run_idle(self, seed):
        """What the mere presence of the server costs training."""
        train = self.train(False)
        train.wait_ready(self.progress)
        serve = self.serve(False, seed, idle=True)
        serve.wait_ready(self.progress)
        began = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        serve.finish(self.progress, self.seconds)
        self.training["idle"].append(intervals.rate([end for end in self.end_training(train, "idle") if end > began]))

    def run(self, scenario, seed):
        if scenario == "idle":
            self.progress.doing(SCENARIOS[scenario])
            return self.run_idle(seed)
        xsched = scenario.endswith("xsched")
        self.progress.doing(SCENARIOS[scenario])
        train = self.train(xsched)
        train.wait_ready(self.progress)  # before the server, for it must train as long as requests come
        if scenario.startswith("alone"):
            self.progress.wait(self.seconds)
            rate = intervals.rate(self.end_training(train, scenario))
            self.training[scenario].append(rate)
        serve = self.serve(xsched, seed)
        serve.wait_ready(self.progress)
        bursts = [tuple(row) for row in serve.finish(self.progress, self.seconds)]
        done = [] if scenario.startswith("alone") else self.end_training(train, scenario)
        self.cells[scenario].add(bursts, done)

    def round(self, number):
        order = self.scenarios
        for scenario in order[number % len(order):] + order[:number % len(order)]:
            try:
                self.run(scenario, number + 1)
            except (programs.ProgramFailed, OSError, ValueError, IndexError) as error:
                self.failures.append(f"{scenario}: {error}")
                self.session.kill_all()

    def ratio(self, scenario, which):
        found, alone = self.cells.get(scenario), self.cells.get("alone")
        if not found or not alone or not found.latency_us or not alone.latency_us:
            return None
        return report.summary(found.latency_us)[which] / report.summary(alone.latency_us)[which]

    def kept(self, scenario):
        """Training's rate beside requests over its rate alone."""
        cell, alone = self.cells.get(scenario), self.training.get("alone")
        return cell.lp_rate / statistics.median(alone) if cell and cell.lp_rate and alone else None

    def table(self):
        rows = [("", "requests", "p50 us", "p99 us", "max us", "p50/alone", "p99/alone", "steps/s", "kept")]
        for scenario, title in SCENARIOS.items():
            cell = self.cells.get(scenario)
            if not cell or not cell.latency_us:
                continue
            alone = scenario.startswith("alone")
            rate = statistics.median(self.training[scenario]) if alone and self.training[scenario] else cell.lp_rate
            found = report.summary(cell.latency_us)
            rows.append((title, found["count"], *(f"{found[which]:.0f}" for which in ("p50", "p99", "max")),
                         document.shown(self.ratio(scenario, "p50"), 3), document.shown(self.ratio(scenario, "p99"), 3),
                         f"{rate:.2f}", "-" if alone else document.shown(self.kept(scenario), 3)))
        return report.table(rows)

    def idle_line(self):
        found = self.training["idle"]
        return f"training beside an idle server: {statistics.median(found):.2f} steps/s" if found else ""

    def metrics(self):
        return {"requests": {scenario: {"latency_us": report.summary(cell.latency_us), "run_p50_us": cell.run_p50_us,
                                        "training_steps_per_s": cell.lp_rate}
                             for scenario, cell in self.cells.items() if cell.latency_us},
                "training_alone_steps_per_s": dict(self.training), "failures": self.failures,
                "training_first_loss": dict(self.losses), "training_step_processor_ms": dict(self.processor_ms),
                "training_loss_identical": self.losses_identical()}

    def losses_identical(self):
        return len({each for found in self.losses.values() for each in found}) == 1


def publish(serving, rounds, options, backend):
    kept = serving.kept("xsched")
    targets = [("request p50 under XSched / alone", serving.ratio("xsched", "p50"), "<=", P50, "x"),
               ("training keeps", kept * 100 if kept else None, ">=", TRAINING_PERCENT, "%")]
    metrics = {**serving.metrics(), "targets": report.targets_json(targets)}
    passed = not serving.failures and all(entry["met"] for entry in metrics["targets"])
    print(f"\n{backend.device}, driver {backend.driver}, XSched {report.version()}\n\n{serving.table()}\n{serving.idle_line()}\n")
    print(report.targets_table(targets))
    print(f"training's first loss the same in all {sum(map(len, serving.losses.values()))} runs: "
          f"{'yes' if metrics['training_loss_identical'] else 'NO'}; failed runs: {len(serving.failures)}")
    for sentence in serving.failures[:4]:
        print(f"failed: {sentence[:1500]}")
    name = "cuda_serving_mps" if options.mps else "cuda_serving"
    print(report.write_result(options.results, name, "BERT as a CUDA graph beside GPT-2 medium in training", backend,
                              passed, metrics, f"{rounds} rounds of {options.seconds:g} s for each scenario"))
    return passed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=report.ROOT / "build" / "release")
    parser.add_argument("--results", type=Path, default=report.ROOT / "bench" / "results")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=6, help="of each scenario, each round")
    parser.add_argument("--scenarios", default=",".join(SCENARIOS), help="only these")
    parser.add_argument("--budget", type=float, default=3600, help="seconds after which no round is begun")
    parser.add_argument("--mps", action="store_true", help="everything under an MPS daemon of its own")
    options = parser.parse_args()
    deadline, longest, rounds = time.monotonic() + options.budget, 0, 0
    try:
        with programs.Session(options.build) as session, contextlib.ExitStack() as stack:
            backend = backends.choose(session.build, session.environment, ["cuda"])
            if options.mps:
                session.environment = stack.enter_context(mps.Mps(session.folder, session.environment)).environment
            session.programs = HERE
            progress = Progress(options.rounds * (7 * options.seconds + 7 * START_UP_SECONDS))
            serving = Serving(session, progress, options)
            while rounds < options.rounds and (rounds == 0 or time.monotonic() + longest < deadline):
                began = time.monotonic()
                serving.round(rounds)
                longest, rounds = max(longest, time.monotonic() - began), rounds + 1
            progress.done()
            passed = publish(serving, rounds, options, backend)
    except (LookupError, programs.ProgramFailed, OSError) as error:
        print(f"\n{error}", file=sys.stderr)
        return 2
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
