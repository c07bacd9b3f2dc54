"""5: each level by itself, other policies, several devices."""
import json
import time

from context import Outcome, verdict
from lib import programs, report, requests

ID, NAME, PASSES = "5", "levels, policies, devices", "latency ratio low : high > 3 at levels 2 and 3, each"
MODEL = "resnet18"
LEAST_RATIO = 3
# A short pause between high's requests, so that high competes nearly all the time as low does. On a fast device a
# pause of a millisecond would be long.
HIGH_PACE = requests.pausing(0.1)
JUDGED = ("xsched_l2", "xsched_l3")
WAYS = ("native", "xsched_l1", "xsched_l2", "xsched_l3", "xsched")


def ratio(context, prefix):
    """Two equal programs, one of them urgent: mean latencies of both, us, while both run."""
    high, low = context.requests.together((MODEL, prefix("hp"), HIGH_PACE, None),
                                          (MODEL, prefix("lp"), requests.BUSY, None), context.seconds)
    begin, end = requests.span(high)
    during = [row for row in low if row[0] < end and row[0] + row[1] > begin]
    mean = [sum(requests.latency_us(rows)) / len(rows) for rows in (high, during)]
    return {"high_us": mean[0], "low_us": mean[1], "ratio": mean[1] / mean[0], "low_requests": len(during)}


def judged(found, absent):
    """{level: status and why} of levels 1 to 3. Level 1 only has to be there: it waits for what runs."""
    levels = {}
    for name in (way for way in WAYS if way.startswith("xsched_l")):
        if name not in found:
            levels[name] = {"status": "absent", "because": absent.get(name, f"{name} is not here")}
            continue
        value = found[name]["ratio"]
        least = LEAST_RATIO if name in JUDGED else 0
        levels[name] = {"status": verdict(value > least), "ratio": value, "asked": f"> {least}"}
    return levels


def policies(context):
    """{name: whether two programs both finish work under it}"""
    try:
        said = json.loads(context.session.xcli("policy", "-n", "--json").split("\n", 1)[1])
    except (ValueError, IndexError):
        return {}
    listed = said.get("policies", said) if isinstance(said, dict) else said
    names = [entry.get("name") if isinstance(entry, dict) else entry for entry in listed]
    found = {}
    for name in [name for name in names if name]:
        context.progress.doing(f"5 policy {name}")
        context.session.xcli("policy", "-s", name)
        try:
            high, low = context.requests.together((MODEL, context.xsched("hp"), HIGH_PACE, None),
                                                  (MODEL, context.xsched("lp"), requests.BUSY, None),
                                                  min(context.seconds, 2))
            found[name] = len(high) > 1 and len(low) > 0
        except (programs.ProgramFailed, OSError) as error:
            found[name] = f"failed: {error}"[:400]
            context.session.kill_all()
    context.session.xcli("policy", "-s", "HPF")
    return found


def run(context):
    found, notes = {}, [context.requests.says]
    for name in WAYS:
        peer = context.suite.peer(name)
        if peer is None:
            notes.append(context.suite.absent.get(name, f"{name} is not here"))
            continue
        context.progress.doing(f"5 {name}")
        began = time.monotonic()
        found[name] = ratio(context, peer.prefix)
        found[name]["seconds"] = time.monotonic() - began
    listed = policies(context)
    notes.append("several devices: not measured, this test uses the first one")
    best = max((entry["ratio"] for name, entry in found.items() if name != "native"), default=0)
    levels = judged(found, context.suite.absent)
    notes.extend(f"{name} is not judged: {levels[name]['because']}" for name in JUDGED
                 if levels[name]["status"] == "absent")
    there = [level["status"] for level in levels.values() if level["status"] != "absent"]
    good = bool(there) and bool(listed) and "failed" not in there and all(works is True for works in listed.values())
    ratios = ", ".join(f"{name} {entry['ratio']:.2f}" + (f" {levels[name]['status']}" if name in JUDGED else "")
                       for name, entry in found.items())
    return Outcome(verdict(good), {"ratios": found, "levels": levels, "policies": listed, "best_ratio": best,
                                   "xsched_version": report.version()}, notes,
                   f"low : high {ratios}; {len(listed)} policies",
                   timing=bool(listed) and all(works is True for works in listed.values()),
                   ran=min(len(there), len(listed)))
