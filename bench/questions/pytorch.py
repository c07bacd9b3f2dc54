"""PyTorch: models alone under XSched, and a served model beside one in training, by the programs in cuda/pytorch."""
import json
import subprocess
import sys
from pathlib import Path

from lib import requests
from lib.document import Document, NotHere, percent, shown, time_text

NAME, WEIGHT = "pytorch", 45
PYTORCH = Path(__file__).resolve().parents[1] / "cuda" / "pytorch"
LEAST_SECONDS = 60  # start-up of PyTorch and its models, several times
END_SECONDS = 40


def run(suite, script, budget):
    """The metrics that a runner in cuda/pytorch writes; None, and why, if it does not."""
    folder = suite.session.folder / script
    command = [sys.executable, PYTORCH / script, "--build", suite.session.build, "--results", folder, "--budget",
               str(budget)]
    suite.progress.doing(script)
    try:
        ended = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               timeout=budget + END_SECONDS + 60)
        found = sorted(folder.glob("*.json"))
        if found:
            return json.loads(found[0].read_text()), ""
        return None, f"{script} ended with status {ended.returncode}: {ended.stdout[-600:]}"
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        return None, f"{script}: {error}"


def add_overhead(out, metrics):
    rows = [["model", "native", "XSched", "added"]]
    bars, names = [], []
    for (name, ways), target in zip(metrics["us_per_inference"].items(), metrics["targets"]):
        native, xsched = (sorted(ways[way])[len(ways[way]) // 2] for way in ("native", "xsched"))
        rows.append([name, time_text(native), time_text(xsched), f"{target['measured']:+.2f} %"])
        for way in ("native", "xsched"):
            out.add_rounds(f"{name}, {way}", ways[way], time_text)
        names.append(name)
        bars.append(round(target["measured"], 3))
        limit = float(target["asked"].split()[1].rstrip("%"))
        out.targets.append((target["what"], target["measured"], "<=", limit, "%"))
    same = "the same bit for bit" if metrics["outputs_identical"] else "DIFFERENT"
    out.add_table(f"Inference alone; outputs {same}", rows)
    out.plots.append({"kind": "bars", "title": "Added when alone", "y": "added, %", "x": "model",
                      "groups": names,
                      "series": [{"name": "XSched", "peer": "xsched", "values": bars}]})


def add_serving(out, metrics):
    rows = [["BERT asked every 10 ms, GPT-2 medium in training", "n", "p50", "p99", "training steps/s"]]
    for name, found in metrics["requests"].items():
        latency = found["latency_us"]
        rows.append([name, latency.get("count", "-"), time_text(latency["p50"]), time_text(latency["p99"]),
                     shown(found["training_steps_per_s"]) if found["training_steps_per_s"] else "-"])
    out.add_table("A served model beside one in training", rows)
    for target in metrics["targets"]:
        relation, limit = target["asked"].split()
        unit = limit.lstrip("0123456789.")
        out.targets.append((target["what"], target["measured"], relation, float(limit[:len(limit) - len(unit)]), unit))
        if target["measured"] is not None and unit == "%":
            out.answer.append(f"Training keeps {percent(target['measured'] / 100)} of its rate.")


def here(suite):
    if suite.backend.name != "cuda" or not requests.torch_finds_device():
        raise NotHere("there is no python3 with a PyTorch that finds the device")


def answer(suite, deadline):
    left = suite.left(deadline)
    if left < LEAST_SECONDS:
        raise NotHere(f"PyTorch needs {LEAST_SECONDS} s to start all its programs; {max(left, 0):.0f} s were left")
    out = Document(NAME, "PyTorch",
                   "What does XSched cost models that run alone, and a model that is served beside one in training?")
    for script, add, part in (("overhead.py", add_overhead, 0.45), ("serving.py", add_serving, 0.55)):
        found, reason = run(suite, script, max(left * part - END_SECONDS, 5))
        if found:
            add(out, found["metrics"])
            out.raw[script] = found["metrics"]
        else:
            out.failures.append(reason)
    return out
