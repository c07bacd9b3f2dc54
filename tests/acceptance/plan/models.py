"""4.1: models give the same results with and without XSched, without errors and hardly slower."""
import statistics
import subprocess
from collections import defaultdict

from context import Outcome, in_turns, verdict
from lib import report

ID, NAME, PASSES = "4.1", "PyTorch models", "same results, no error, < 10%"
CASES = ("mlp_training", "cnn_training", "transformer_training", "resnet18_training", "mobilenet_inference",
         "bert_inference")
MOST_PERCENT, ROUNDS, STAND_IN_ROUNDS, RUN_SECONDS = 10, 2, 5, 200
GPU_TESTS = report.ROOT / "tests" / "gpu"
PYOPENCL_PROGRAM = report.ROOT / "tests" / "programs" / "numpy_check.py"
WAYS = ("native", "xsched")


def run_torch(context, way, number):
    """{case: (fingerprint or "failed", milliseconds)}"""
    path = context.session.folder / f"models-{way}-{number}.report"
    prefix = (context.native if way == "native" else context.xsched)("lp")
    program = context.session.start("torch_suite.py", {"report": path, "modes": "eager", "cases": ",".join(CASES)},
                                    prefix, folder=GPU_TESTS)
    program.finish(context.progress, RUN_SECONDS)
    lines = [line.split(" ", 2) for line in path.read_text().splitlines()]
    return {words[0]: (words[1], words[2]) for words in lines if words[0] in CASES}


def with_torch(context):
    found = {key: run_torch(context, key[1], key[0]) for key in in_turns(ROUNDS, WAYS)}
    cases = {}
    for case in CASES:
        prints = {way: [found[number, way].get(case, ("failed", "0"))[0] for number in range(ROUNDS)] for way in WAYS}
        deterministic = len(set(prints["native"])) == 1 and "failed" not in prints["native"]
        failed = "failed" in prints["xsched"]
        best = {way: min(float(found[number, way][case][1]) for number in range(ROUNDS)) for way in WAYS} \
            if not failed and deterministic else {}
        cases[case] = {"same": deterministic and set(prints["xsched"]) == set(prints["native"]), "failed": failed,
                       "deterministic_natively": deterministic, "ms": best}
    timed = [case["ms"]["xsched"] / case["ms"]["native"] - 1 for case in cases.values() if case["ms"]]
    added = statistics.median(timed) * 100 if timed else None
    wrong = [name for name, case in cases.items()
             if case["failed"] or (case["deterministic_natively"] and not case["same"])]
    same = sum(case["same"] for case in cases.values())
    return Outcome(verdict(not wrong and added is not None and added < MOST_PERCENT),
                   {"cases": cases, "overhead_percent": added},
                   ["PyTorch; overhead: the median of the models, whose times hold their first use of the device"],
                   f"{same} of {len(CASES)} the same bit for bit, {added or 0:+.1f}%",
                   timing=not wrong)


def run_program(context, command, way):
    prefix = (context.native if way == "native" else context.xsched)("lp")
    ended = subprocess.run([str(word) for word in [*prefix, *command]], env=context.session.environment, text=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    return ended.returncode, ended.stdout


def stand_ins(context):
    """Programs that check their own results, and one of numpy and pyopencl where they are installed."""
    hp, lp = context.backend.programs / "hp", context.backend.programs / "lp"
    steps = context.session.calibrate(context.workload.hp_kernel_ms, 1)
    commands = {"bursts": [hp, "--bursts", "20", "--steps", steps, "--pause-ms", "2"],
                "bursts, synchronizing": [hp, "--bursts", "20", "--steps", steps, "--sync-every", "3", "--pause-ms",
                                          "2"],
                "long queue": [lp, "--seconds", "2", "--steps", 3 * steps, "--depth", "64"]}
    if context.backend.name == "opencl" and subprocess.run(["/usr/bin/python3", "-c", "import pyopencl, numpy"],
                                                           stderr=subprocess.DEVNULL).returncode == 0:
        commands["numpy and pyopencl"] = ["/usr/bin/python3", "-B", PYOPENCL_PROGRAM]
    cases = {name: {way: run_program(context, command, way) for way in WAYS} for name, command in commands.items()}
    good = {name: found["native"][0] == 0 and found["xsched"] == found["native"] for name, found in cases.items()}
    times = defaultdict(list)
    for _, way in in_turns(STAND_IN_ROUNDS, WAYS):
        prefix = (context.native if way == "native" else context.xsched)("lp")
        rows = context.requests.alone("resnet18", prefix, 60, count=40)
        times[way].append(statistics.median(row[1] for row in rows))
    added = (min(times["xsched"]) / min(times["native"]) - 1) * 100  # the least disturbed of each
    return Outcome(verdict(all(good.values()) and added < MOST_PERCENT), {"cases": good, "overhead_percent": added},
                   [context.requests.says], f"{sum(good.values())} of {len(good)} programs the same, {added:+.1f}%",
                   timing=all(good.values()))


def run(context):
    return with_torch(context) if context.requests.torch else stand_ins(context)
