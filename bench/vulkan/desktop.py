#!/usr/bin/env python3
"""A desktop that XSched does not see, beside programs that people know. A program that is not under XSched draws 60
frames a second of 9 ms each, beside llama.cpp reading prompts (Vulkan) and beside a training (PyTorch), natively and
under `xcli run --background`, in turns.

    desktop.py --build DIR --results FILE [--rounds 3] [--seconds 4] [--programs FOLDER]

LLAMA_CPP_LIBRARY and LLAMA_CPP_MODEL as examples/programs/llama_cpp.py has them; without them there is the training
alone. The medians of the rounds and all rounds go into FILE. About a minute, and what the programs take to load."""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "cuda")]
import programs as known  # noqa: E402
from lib import programs, report  # noqa: E402

BUSY = {"llama.cpp, prompts": "llama_cpp --prompt", "LoRA training": "lora_training"}
WAYS = {"native": (), "background": ("run", "--background", "--")}
FRAME_MS, LONGEST_S = 9, 60  # a frame's work; none of the load's parts takes so long


class Way:
    """How a busy program is started (lib/peers.py has the ways of whole scenarios)."""

    def __init__(self, name, session):
        self.name = name
        self.words = [session.build / "bin/xcli", *WAYS[name]] if WAYS[name] else []

    def prefix(self, _role):
        return self.words


def load(session, *words):
    """Returns what the drawing program says, which is not under XSched."""
    ended = subprocess.run([session.build / "bench/vulkan/vulkan_load", *map(str, words)], env=session.environment,
                           stdout=subprocess.PIPE, timeout=LONGEST_S, check=True)
    return json.loads(ended.stdout)


def round_of(session, rounds, busy, seconds):
    """`busy`: {way: program}, all of them loaded; one measures at a time."""
    busy["native"].begin(seconds)
    found = {"alone": {"busy": busy["native"].answer(seconds)}}
    for way, program in busy.items():
        program.begin(seconds + 1)
        frames = load(session, "frames", seconds, FRAME_MS, rounds)
        found[way] = {"frames": frames, "busy": program.answer(seconds + 1)}
    print(json.dumps(found), flush=True)
    return found


def measured(session, words, frame_rounds, options):
    busy = {way: known.Program(words, Way(way, session), "lp", session, options.programs) for way in WAYS}
    for program in busy.values():
        while program.line(known.LOAD_SECONDS) != "ready":
            pass
    rounds = [round_of(session, frame_rounds, busy, options.seconds) for _ in range(options.rounds)]
    return {"medians": known.medians(rounds), "rounds": rounds}


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=report.ROOT / "build/dev")
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--programs", type=Path, default=report.ROOT / "examples" / "programs")
    return parser.parse_args()


def main():
    options = parse_options()
    result, failed = {**report.on_nvidia(), "seconds": options.seconds, "frame_ms": FRAME_MS, "beside": {}}, False
    with programs.Session(options.build) as session:
        frame_rounds = load(session, "rounds", FRAME_MS)["rounds"]
        result["nothing"] = load(session, "frames", options.seconds, FRAME_MS, frame_rounds)
        for name, words in BUSY.items():
            if "llama_cpp" in words and "LLAMA_CPP_LIBRARY" not in os.environ:
                continue
            try:
                result["beside"][name] = measured(session, words, frame_rounds, options)
            except (programs.ProgramFailed, ValueError, OSError, subprocess.SubprocessError) as error:
                print(f"{name}: {error}", flush=True)
                failed = True
            session.kill_all()
            session.started.clear()
            options.results.write_text(json.dumps(result, indent=1) + "\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
