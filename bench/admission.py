#!/usr/bin/python3
"""How good are the promises of `xcli admit`? Asks it for a promise to the urgent programs of every published workload
(docs/published.md), beside their background, with targets from shorter to longer than possible. Compares its answers
with what was measured on the GPU, and with what the simulator gives with costs that the promise does not know.

    bench/admission.py --build build/dev                 writes bench/results/admission.json, prints the table
    bench/admission.py --build build/dev --only W2       these workloads alone

Needs no GPU. Exit status 0, or 1 if the wanted parts of the wide range of targets (95 % of the admitted kept, at most
10 % of the refused would have been) are missed.
"""
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lib import published, report  # noqa: E402
from lib.command import options_parser  # noqa: E402

RESULTS = report.ROOT / "bench" / "results"
# Targets, as multiples of the p99 that the urgent programs have alone: from half to four times in even steps of 11 %,
# and the hard ones near what is possible.
GRIDS = {"wide": tuple(round(0.5 * 8 ** (at / 20), 3) for at in range(21)),
         "near": tuple(round(0.8 + 0.02 * at, 2) for at in range(26))}
PARTS = (0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1)  # of src/cli/admit/situation.h
FEWEST = 100          # of fewer requests the p99 is the longest
TRAINING_US = 300     # the usual length of a training's kernel (bench/lib/workloads.py)
# What the answers are compared with, and what xcli admit knows: quantiles, or a recording (xcli admit --recording) of
# the program alone, or of the program beside its background.
SOURCES = ("measured", "simulated", "recorded alone", "recorded beside")
# As docs/ADMIT.md says to record. Of a rare program a minute has 900 requests: the nine slowest decide its p99.
RECORDED_S = 600
WANTED_KEPT, WANTED_REFUSED = 0.95, 0.10
# The simulated truth differs from the promise's simulation by these: switches of varying length, some of them slow (the
# largest error of the simulator's medians is 11 %, docs/xsim.md), kernels of unlike length and another seed.
NOISE = {"switch_spread_us": 40, "slow_switch_us": 150}
SEED = 20


def between(points, part):
    """The value at that part, on straight lines between the (part, value) points."""
    for (low, first), (high, second) in zip(points, points[1:]):
        if part <= high:
            return first + (second - first) * (part - low) / (high - low)
    return points[-1][1]


def quantiles_of(latency):
    """Quantiles as the server tells them. Half of the requests take about as long as the median."""
    known = [(0, latency["p50"]), (0.5, latency["p50"])]
    known += [(part, latency[name]) for part, name in ((0.9, "p90"), (0.95, "p95"), (0.99, "p99"), (1, "max"))
              if name in latency]
    return [round(between(known, part)) for part in PARTS]


def mean_of(quantiles):
    points = list(zip(PARTS, quantiles))
    return sum((high - low) * (first + second) / 2 for (low, first), (high, second) in zip(points, points[1:]))


def rests_of(variant, request_us, busy):
    """Quantiles of the rests between requests, by the part of the time that the urgent programs work."""
    mean_us = mean_of(request_us) * (1 - busy) / busy
    if all(program.arrival.kind in ("uniform", "closed") for program in variant.of("urgent")):
        return [round(mean_us)] * len(PARTS)
    return [round(-math.log(1 - min(part, 0.995)) * mean_us) for part in PARTS]


def background_us(variant, rate):
    """The length of a background command: a request of inference is one graph."""
    if any(program.task == "training" for program in variant.of("background")):
        return TRAINING_US
    return round(1e6 * len(variant.of("background")) / rate) if rate else TRAINING_US


def ask(options, folder, known, background, target_us):
    """Returns the verdict of xcli admit, and the p99 that it expects; None: none was simulated. `known`: the work, or a
    recording of it."""
    recorded = isinstance(known, Path)
    work = {"endless": True, "command_us": [background["command_us"]] * len(PARTS)}
    file = folder / "programs.json"
    file.write_text(json.dumps({"policy": "HPF", "known": [] if recorded else [{"program": "urgent", "work": known}],
                                "programs": [{"program": "background", "pid": at + 2, "level": 3, "work": work}
                                             for at in range(background["count"])]}))
    done = subprocess.run([options.build / "bin" / "xcli", "admit", "--json", "--programs", file, "--name", "urgent",
                           *(["--recording", known] if recorded else []),
                           "-p", "10", "--slo-p99", f"{target_us:.0f}us", "--", "true"],
                          capture_output=True, text=True, timeout=60)
    said = json.loads(done.stdout)
    if not said["ok"] or said["verdict"] == "unknown":
        raise SystemExit(f"xcli admit: {said}")
    predictions = said["predictions"]
    return said["verdict"] == "admitted", predictions[-1]["p99_us"] if predictions else None


def judged(options, folder, known, background, alone_us, truth_us):
    """The least target that is admitted, by halving: what is admitted with a target is admitted with a longer one."""
    factors = sorted({factor for grid in GRIDS.values() for factor in grid})
    low, high, predicted_us = 0, len(factors), None
    while low < high:
        middle = (low + high) // 2
        admitted, p99_us = ask(options, folder, known, background, factors[middle] * alone_us)
        predicted_us = p99_us or predicted_us
        low, high = (low, middle) if admitted else (middle + 1, high)
    return {"alone_us": round(alone_us), "predicted_us": predicted_us, "truth_us": round(truth_us),
            "least_admitted": factors[low] if low < len(factors) else None, "least_kept": round(truth_us / alone_us, 3)}


def list_text(quantiles, least=0):
    return "[" + ", ".join(str(max(value, least)) for value in
                           (round(between(list(zip(PARTS, quantiles)), at / 100), 1) for at in range(101))) + "]"


def simulate(options, folder, request_us, rest_us, background, seed, recording):
    """The latencies of the urgent programs in the simulator, with the noise; without background if there is none. Also
    records the run, as `xcli record` would."""
    kind = f"think_us = {list_text(rest_us)}"
    lines = [f"seed = {seed}", f"duration_s = {RECORDED_S}", "foresight = 1", "[device]",
             *(f"{name} = {value}" for name, value in NOISE.items()),
             "[[program]]", 'name = "urgent"', "priority = 10", f'arrival = {{ kind = "closed", {kind} }}',
             f"burst = {{ kernel_us = {list_text(request_us, 1)} }}"]
    for _ in range(background["count"] if background else 0):
        length = background["command_us"]
        lines += ["[[program]]", 'arrival = { kind = "stream" }',
                  f"burst = {{ kernel_us = [{length / 2}, {length * 1.5}] }}"]
    file = folder / "truth.toml"
    file.write_text("\n".join(lines) + "\n")
    policy = "HPF" if background else "OBSERVE"  # a server follows a program alone only under this
    done = subprocess.run([options.build / "bin" / "xsim", "run", "--json", "--policy", policy, "--record", recording,
                           file], capture_output=True, text=True, timeout=600, check=True)
    return json.loads(done.stdout)["runs"][0]["programs"][0]["latency_us"]


def recorded_p99(options, recording):
    """The p99 of the urgent program's requests in a recording, as their users saw them. There a request is what xcli
    admit takes for one: bursts less than a millisecond apart are one request."""
    done = subprocess.run([options.build / "bin" / "xsim", "work", recording], capture_output=True, text=True,
                          timeout=60, check=True)
    work = next(one["work"] for one in json.loads(done.stdout)["known"] if one["program"] == "urgent")
    return work["took_us"][PARTS.index(0.99)]


def measured():
    """The published workloads' latencies by name; the longer measurement where there are two."""
    found = {}
    for name in ("published", "longer"):
        for one in json.loads((RESULTS / "published" / f"{name}.json").read_text()):
            if one["latency_us"].get("xsched"):
                found[one["id"]] = one["latency_us"]
    return found


def facts_of(variant):
    """(part of the time that the urgent programs work alone, rate of the background alone), as measured."""
    file = RESULTS / "h100" / f"published_{variant.id}.json"
    if not file.exists():
        return None, None
    metrics = json.loads(file.read_text())["metrics"]
    busy = metrics.get("urgent_busy") or []
    return (sum(busy) / len(busy) if busy else None), sum(metrics["rates_per_s"].get("background alone", []))


def evaluate(options, folder, variant, latency):
    """Returns the workload's row, or a sentence that says why there is none."""
    if latency["alone"]["count"] < FEWEST:
        return f"only {latency['alone']['count']} requests were measured"
    busy, rate = facts_of(variant)
    if not busy:
        return "the part of the time that its urgent programs work was not measured"
    if busy > 0.95:
        return "its urgent program works without rests, and xcli admit promises such programs nothing"
    background = {"count": len(variant.of("background")), "command_us": background_us(variant, rate)}
    request_us = quantiles_of(latency["alone"])
    rest_us = rests_of(variant, request_us, busy)
    known = {"endless": False, "request_us": request_us, "rest_us": rest_us, "command_us": request_us}
    row = {"id": variant.id, "requests": latency["xsched"]["count"],
           "measured": judged(options, folder, known, background, latency["alone"]["p99"], latency["xsched"]["p99"])}
    recordings = {name: folder / f"{name}.rec" for name in ("alone", "beside", "truth")}
    alone = simulate(options, folder, request_us, rest_us, None, SEED, recordings["alone"])
    beside = simulate(options, folder, request_us, rest_us, background, SEED + 1, recordings["truth"])
    simulate(options, folder, request_us, rest_us, background, SEED + 2, recordings["beside"])
    known = {**known, "request_us": quantiles_of(alone)}
    row["simulated"] = judged(options, folder, known, background, alone["p99"], beside["p99"])
    alone_us, truth_us = (recorded_p99(options, recordings[name]) for name in ("alone", "truth"))
    for name in ("alone", "beside"):
        row[f"recorded {name}"] = judged(options, folder, recordings[name], background, alone_us, truth_us)
    return row


def score(rows, source, grid):
    """How many targets were admitted and refused, and which part of each was, or would have been, kept."""
    admitted, refused = [], []
    for row in rows:
        for factor in GRIDS[grid]:
            least = row[source]["least_admitted"]
            judged_as = admitted if least is not None and factor >= least else refused
            judged_as.append(factor >= row[source]["least_kept"])
    return {"admitted": len(admitted), "admitted_kept": round(sum(admitted) / max(len(admitted), 1), 3),
            "refused": len(refused), "refused_would_have_been": round(sum(refused) / max(len(refused), 1), 3)}


def table_of(rows):
    lines = ["| | requests | p99 alone, us | expected | measured | least target admitted, of alone | kept |",
             "|---|---|---|---|---|---|---|"]
    for row in rows:
        one = row["measured"]
        lines.append(f"| {row['id']} | {row['requests']} | {one['alone_us']} | {one['predicted_us'] or '-'} | "
                     f"{one['truth_us']} | {one['least_admitted'] or 'none'} | {one['least_kept']} |")
    return "\n".join(lines)


def score_table(scores):
    """The same as rows of a page."""
    lines = ["| compared with, targets | admitted | of these kept | refused | of these would have been kept |",
             "|---|---|---|---|---|"]
    for name, one in scores.items():
        lines.append(f"| {name} | {one['admitted']} | {100 * one['admitted_kept']:.1f} % | {one['refused']} | "
                     f"{100 * one['refused_would_have_been']:.1f} % |")
    return "\n".join(lines)


def main():
    parser = options_parser(__doc__, build="dev")
    parser.add_argument("--only", default="", help="these, divided by commas: W1 is all of W1")
    options = parser.parse_args()
    rows, left_out = [], {}
    latencies = measured()
    with tempfile.TemporaryDirectory() as folder:
        for variant in published.chosen(published.read_all(), [word for word in options.only.split(",") if word]):
            if variant.id not in latencies:
                left_out[variant.id] = "it was not measured under XSched"
                continue
            row = evaluate(options, Path(folder), variant, latencies[variant.id])
            if isinstance(row, str):
                left_out[variant.id] = row
            else:
                rows.append(row)
                print(variant.id, *(row[source]["predicted_us"] for source in SOURCES), flush=True)
    scores = {f"{source}, {grid}": score(rows, source, grid) for source in SOURCES for grid in GRIDS}
    if not options.only:
        document = {"grids": GRIDS, "scores": scores, "rows": rows, "left_out": left_out}
        (options.results / "admission.json").write_text(json.dumps(document, indent=1) + "\n")
    print(table_of(rows), *(f"{name}: {reason}" for name, reason in left_out.items()), score_table(scores), sep="\n")
    good = all(one["admitted_kept"] >= WANTED_KEPT and one["refused_would_have_been"] <= WANTED_REFUSED
               for name, one in scores.items() if name.endswith("wide"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
