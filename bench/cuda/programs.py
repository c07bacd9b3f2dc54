#!/usr/bin/env python3
"""Programs that people know (examples/programs), an urgent one beside busy ones: natively, under MPS and under XSched,
in turns in one run.

    programs.py --build DIR --results DIR [--only TEXT] [--rounds 2] [--seconds 8] [--programs FOLDER]

Each program is started once for each way to share the device, and measures when it is told to. Alone: the urgent one
natively and under XSched, and each busy one natively. The medians of the rounds and all rounds go into
DIR/cuda_programs.json. Exit status 1: a program failed."""
import argparse
import json
import os
import select
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lib import peers, programs, report  # noqa: E402

# The urgent program, perhaps " beside " a word that tells two scenarios apart: the busy ones.
SCENARIOS = {"llm_server": ("lora_training", "embeddings", "diffusion"), "streams_server": ("lora_training",),
             "streams_server --eager": ("lora_training",), "cupy_filter": ("jax_training",),
             "llama_cpp": ("lora_training",), "cupy_filter beside llama_cpp": ("llama_cpp --prompt",)}
WAYS = ("native", "mps_priority", "xsched")
LOAD_SECONDS, ANSWER_SECONDS = 150, 30
ALONE_SHARE = 0.5  # of the seconds beside others


class Program:
    """One program under one way to share the device, which waits for its turns."""

    def __init__(self, words, way, role, session, folder):
        words = words.split()
        path = folder / f"{words[0]}.py"
        self.name, self.said = f"{path.stem} ({way.name})", b""
        self.log = session.folder / f"{path.stem}-{way.name}.log"
        with open(self.log, "w") as errors:
            command = [*way.prefix(role), sys.executable, path, *words[1:], "--turns"]
            self.process = subprocess.Popen(command, stderr=errors, env=session.environment, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, start_new_session=True)
        session.started.append(self)

    def line(self, seconds):
        deadline, pipe = time.monotonic() + seconds, self.process.stdout.fileno()
        while b"\n" not in self.said:
            if select.select([pipe], [], [], max(deadline - time.monotonic(), 0))[0] == []:
                raise programs.ProgramFailed(f"{self.name} said nothing for {seconds:.0f} s\n{self.last_words()}")
            more = os.read(pipe, 4096)
            if not more:
                raise programs.ProgramFailed(f"{self.name} ended\n{self.last_words()}")
            self.said += more
        line, _, self.said = self.said.partition(b"\n")
        return line.decode()

    def last_words(self):
        return self.log.read_text(errors="replace")[-2000:]

    def begin(self, seconds):
        self.process.stdin.write(f"{seconds}\n".encode())
        self.process.stdin.flush()

    def answer(self, seconds):
        return json.loads(self.line(seconds + ANSWER_SECONDS))

    def kill(self):
        programs.Program.kill(self)


class Scenario:
    def __init__(self, urgent, busy, ways, session, folder):
        self.names = (urgent, *busy)
        self.sets = {way.name: [Program(name, way, "lp" if number else "hp", session, folder)
                                for number, name in enumerate(self.names)] for way in ways}
        for program in (it for started in self.sets.values() for it in started):
            while program.line(LOAD_SECONDS) != "ready":
                pass

    def together(self, some, seconds):
        for program in some:
            program.begin(seconds)
        return [program.answer(seconds) for program in some]

    def round(self, first, seconds):
        ways = list(self.sets)
        found = {"alone": {}, "beside": {}}
        for name, program in zip(self.names, self.sets["native"]):
            found["alone"][name] = self.together([program], seconds * ALONE_SHARE)[0]
        found["alone_under_xsched"] = self.together(self.sets["xsched"][:1], seconds * ALONE_SHARE)[0]
        for way in ways[first:] + ways[:first]:
            found["beside"][way] = dict(zip(self.names, self.together(self.sets[way], seconds)))
        return found


def medians(rounds):
    """One value of the same shape as each round, whose numbers are the rounds' medians."""
    if isinstance(rounds[0], dict):
        return {key: medians([one[key] for one in rounds]) for key in rounds[0]}
    return round(statistics.median(rounds), 3)


def measure(scenario, options):
    rounds = []
    for number in range(options.rounds):
        rounds.append(scenario.round(number % len(scenario.sets), options.seconds))
        print(json.dumps(rounds[-1]), flush=True)
    return {"medians": medians(rounds), "rounds": rounds}


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--only", default="", help="urgent programs whose name has this in it")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--programs", type=Path, default=report.ROOT / "examples" / "programs")
    return parser.parse_args()


def usable(session, stack):
    """The ways that work here, each with its service running; what does not is told."""
    found = []
    for way in (it for it in peers.all_peers() if it.name in WAYS):
        if refused := peers.refusal(way, "cuda", session.environment):
            print(f"{way.title}: {refused}")
            continue
        stack.enter_context(peers.Service(way, session.environment))
        found.append(way)
    return found


def main():
    options = parse_options()
    head, failed = report.on_nvidia(), False
    result = {**head, "seconds": options.seconds, "scenarios": {}}
    with programs.Session(options.build) as session, ExitStack() as stack:
        session.environment |= {"BENCH_BUILD": str(session.build), "BENCH_PLATFORM": "cuda",
                                "BENCH_PROGRAMS": str(session.build / "bench" / "cuda"),
                                "BENCH_FOLDER": str(session.folder)}
        ways = usable(session, stack)
        for urgent, busy in SCENARIOS.items():
            if options.only not in urgent:
                continue
            try:
                found = measure(Scenario(urgent.split(" beside ")[0], busy, ways, session, options.programs), options)
                result["scenarios"][urgent] = {"busy": busy, **found}
            except (programs.ProgramFailed, ValueError, OSError) as error:
                print(f"{urgent}: {error}", flush=True)
                failed = True
            session.kill_all()
            session.started.clear()
            options.results.mkdir(parents=True, exist_ok=True)
            (options.results / "cuda_programs.json").write_text(json.dumps(result, indent=1) + "\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
