#!/usr/bin/python3
"""BERT as a CUDA graph, asked every 10 ms, beside GPT-2 medium in training: alone, shared natively and under XSched, in
rounds. Exit status 1 if a target was missed, 2 if nothing could be measured."""
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
from lib.command import options_parser  # noqa: E402
from lib.progress import Progress  # noqa: E402

P50, TRAINING_PERCENT = 1.2, 85
LOAD_SECONDS = 120  # of Python, PyTorch and a model, for all programs of all rounds at once
TURN_SECONDS = 8    # until a program is ready, besides the measuring
SCENARIOS = {"alone": "alone", "native": "shared natively", "xsched": "shared under XSched",
             "alone_xsched": "alone under XSched"}


class Serving:
    def __init__(self, session, progress, options):
        self.session, self.progress, self.seconds = session, progress, options.seconds
        self.scenarios = [name for name in SCENARIOS if name in options.scenarios.split(",")]
        self.loaded = []  # by round: {scenario: (train, serve)}
        self.cells = defaultdict(matrix.Cell)
        self.training = defaultdict(list)      # steps per second, by scenario
        self.losses = defaultdict(list)        # fingerprints of training's first loss, by scenario
        self.processor_ms = defaultdict(list)  # of a training step, by scenario
        self.failures = []

    def load(self, rounds):
        """Starts the programs of all rounds; they use the device in their turns."""
        self.progress.doing("loading")
        for number in range(rounds):
            self.loaded.append({scenario: self.start(scenario.endswith("xsched"), number + 1)
                                for scenario in self.scenarios})
        for programs_of in self.loaded:
            for program in [program for pair in programs_of.values() for program in pair]:
                program.wait_ready(self.progress)

    def start(self, xsched, seed):
        def prefix(*options):
            return self.session.under_xsched(*options) if xsched else ()
        return (self.session.start("train.py", {"wait": 1}, prefix()),
                self.session.start("serve.py", {"seconds": self.seconds, "seed": seed, "wait": 1},
                                   prefix("--priority", "10")))

    def end_training(self, train, scenario):
        """When its steps were complete."""
        first, *rows = train.finish(self.progress, 10)
        self.losses[scenario].append(first[0])
        self.processor_ms[scenario].append(first[1] / 1e3)
        return [row[0] for row in rows]

    def run(self, scenario, train, serve):
        """Training begins first, so that it goes on for as long as requests come; alone it has ended by then."""
        self.progress.doing(SCENARIOS[scenario])
        alone, steps = scenario.startswith("alone"), []
        train.take_turn(self.progress)
        if alone:
            self.progress.wait(self.seconds)
            steps = self.end_training(train, scenario)
            self.training[scenario].append(intervals.rate(steps))
        serve.take_turn(self.progress)
        requests = [tuple(row) for row in serve.finish(self.progress, self.seconds)]
        if not alone:
            steps = self.end_training(train, scenario)
            end = requests[-1][0] + requests[-1][1]
            self.training[scenario].append(intervals.rate([step for step in steps if requests[0][0] < step < end]))
        self.cells[scenario].add(requests, [] if alone else steps)

    def round(self, number):
        first = number % len(self.scenarios)
        for scenario in self.scenarios[first:] + self.scenarios[:first]:
            try:
                self.run(scenario, *self.loaded[number][scenario])
            except (programs.ProgramFailed, OSError, ValueError, IndexError) as error:
                self.failures.append(f"{scenario}: {error}")
                for program in self.loaded[number][scenario]:
                    program.kill()

    def ratio(self, scenario, which):
        found, alone = self.cells.get(scenario), self.cells.get("alone")
        if not found or not alone or not found.latency_us or not alone.latency_us:
            return None
        return report.summary(found.latency_us)[which] / report.summary(alone.latency_us)[which]

    def steps_per_s(self, scenario):
        found = self.training.get(scenario)
        return statistics.median(found) if found else None

    def kept(self, scenario):
        """Training's rate beside requests over its rate alone."""
        found, alone = self.steps_per_s(scenario), self.steps_per_s("alone")
        return found / alone if found and alone else None

    def table(self):
        rows = [("", "requests", "p50 us", "p99 us", "max us", "p50/alone", "p99/alone", "steps/s", "kept")]
        for scenario, title in SCENARIOS.items():
            cell = self.cells.get(scenario)
            if not cell or not cell.latency_us:
                continue
            found = report.summary(cell.latency_us)
            rows.append((title, found["count"], *(f"{found[which]:.0f}" for which in ("p50", "p99", "max")),
                         document.shown(self.ratio(scenario, "p50"), 3), document.shown(self.ratio(scenario, "p99"), 3),
                         f"{self.steps_per_s(scenario) or 0:.2f}", document.shown(self.kept(scenario), 3)))
        return report.table(rows)

    def metrics(self):
        return {"requests": {scenario: {"latency_us": report.summary(cell.latency_us), "run_p50_us": cell.run_p50_us,
                                        "training_steps_per_s": self.steps_per_s(scenario)}
                             for scenario, cell in self.cells.items() if cell.latency_us},
                "training_steps_per_s": dict(self.training), "failures": self.failures,
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
    print(f"\n{backend.device}, driver {backend.driver}, XSched {report.version()}\n\n{serving.table()}\n")
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
    parser = options_parser(__doc__)
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
            session.programs, session.patience = HERE, LOAD_SECONDS
            progress = Progress(LOAD_SECONDS + options.rounds * len(SCENARIOS) * 2 * (options.seconds + TURN_SECONDS))
            serving = Serving(session, progress, options)
            serving.load(options.rounds)
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
