"""How much of a processor xserver uses."""
import os
import time
from collections import defaultdict

from lib import matrix, rounds
from lib.disturbance import used_seconds
from lib.document import Document, NotHere, percent

from .main_job import LEAST_SECONDS

NAME, WEIGHT = "server_cpu", 5
MOST_PERCENT = 4  # of one processor; the paper's own: 2.8 to 3.3 on a GV100
LOOKS_FROM = 8    # processors: there it looks for news instead of sleeping while programs compete (src/base/spin.h)


class Usage:
    def __init__(self, suite, found):
        self.suite, self.found = suite, found
        self.used = defaultdict(list)  # situation: part of one processor

    def during(self, situation, body):
        pids, began = self.suite.session.server_pids(), time.monotonic()
        before = used_seconds(pids)
        body()
        if pids:
            self.used[situation].append((used_seconds(pids) - before) / (time.monotonic() - began))


def answer(suite, deadline):
    peer, length = suite.peer("xsched"), suite.lp_ms or suite.workload.lp_ms
    if peer is None:
        raise NotHere("XSched is not among the peers")
    found = matrix.Matrix(suite.session, suite.progress, suite.profile.seconds, suite.workload, suite.baseline,
                          suite.stream)
    found.calibrate([length], 1)
    usage = Usage(suite, found)
    suite.session.xcli("run", "--", "true")  # a server is there from the start
    situations = {"no program uses the device": lambda: suite.progress.wait(found.seconds)}
    for pattern in suite.patterns[:2]:
        situations[f"one program, pattern {pattern}"] = lambda pattern=pattern: found.run(peer, pattern, None, 1)
        situations[f"two programs, pattern {pattern}"] = lambda pattern=pattern: found.run(peer, pattern, length, 1)
    plan = [[lambda number, name=name, body=body: usage.during(name, body) for name, body in situations.items()]]
    done = suite.run_rounds(found, plan, deadline, LEAST_SECONDS)
    out = Document(NAME, "The server's own work", "How much of one processor does xserver use?")
    means = {name: sum(values) / len(values) for name, values in usage.used.items() if values}
    out.add_table("xserver's processor time over the measurement's, of one processor",
                  [["", "of one processor"], *([name, percent(mean, 1)] for name, mean in means.items())])
    for name, values in usage.used.items():
        out.add_rounds(name, values, lambda value: percent(value, 1))
    out.plots.append({"kind": "bars", "title": "xserver, of one processor", "y": "of one processor, %",
                      "x": "situation", "groups": list(means),
                      "series": [{"name": "xserver", "peer": "xsched",
                                  "values": [round(mean * 100, 2) for mean in means.values()]}]})
    looks = len(os.sched_getaffinity(0)) >= LOOKS_FROM
    asked = {name: mean for name, mean in means.items() if not (looks and name.startswith("two"))}
    out.targets = [("most of all situations" + (" but two programs" if looks else ""),
                    max(asked.values()) * 100 if asked else None, "<=", MOST_PERCENT, "%")]
    out.failures = [f"{name}: {sentence}" for name, sentence in found.failures]
    out.notes = [rounds.says(done, found.seconds)]
    if looks:
        out.notes.append(f"on {LOOKS_FROM} processors or more xserver looks for news instead of sleeping "
                         "while programs "
                         "compete, up to 30 ms after the last: most of a processor is spent on that (--spin-us)")
    out.raw = {"of_one_processor": dict(usage.used)}
    return out
