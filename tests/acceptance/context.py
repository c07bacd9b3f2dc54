"""The common part of the plan's tests: programs, the device, XSched at its levels, and models or their stand-ins."""
import os
from dataclasses import dataclass, field, replace

from lib import gain, requests, stand_ins, workloads
from lib.progress import Progress
from lib.suite import PROFILES, Suite

PEERS = ("native", "xsched", "xsched_l1", "xsched_l2", "xsched_l3")


@dataclass
class Outcome:
    status: str                                  # passed, failed or skipped
    metrics: dict
    notes: list = field(default_factory=list)
    says: str = ""                               # one line for the summary
    broke: bool = False                          # nothing could be measured
    looser: str = ""                             # what is asked less here than of a GPU
    timing: bool = False                         # its status tells of times alone, which a disturbed machine decides
    ran: int = 1                                 # how many things were tried: nothing proves nothing
    doubts: list = field(default_factory=list)   # why its own times may prove nothing, as sentences


class Context:
    def __init__(self, session, backend, seconds, disturbed=""):
        self.session, self.backend, self.seconds, self.disturbed = session, backend, seconds, disturbed
        self.suite = Suite(session, backend, replace(PROFILES["quick"], seconds=seconds), Progress(300), PEERS)
        with_torch = not backend.stand_in and requests.torch_finds_device(backend.name)
        self.requests = requests.Requests(session, self.suite.progress, self.suite.workload, with_torch)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.suite.__exit__()

    @property
    def progress(self):
        return self.suite.progress

    @property
    def workload(self):
        return self.suite.workload

    @property
    def on_cpu(self):
        """The device is the processor, be it for want of a real one."""
        return self.workload is workloads.CPU or self.backend.stand_in == stand_ins.FAKE

    def looser(self, sentence):
        """Returns the note about limits of a CPU device in an outcome; empty elsewhere."""
        return f"looser limits on a CPU device: {sentence}" if self.on_cpu else ""

    @property
    def native(self):
        return self.suite.peer("native").prefix

    @property
    def xsched(self):
        return self.suite.peer("xsched").prefix

    @property
    def processors(self):
        return os.cpu_count() or 1


def withdraw(outcome, doubts):
    """Figures that prove nothing are neither passed nor failed. `doubts`: why besides its own, as sentences."""
    reasons = [doubt for doubt in (*outcome.doubts, *doubts) if doubt]
    if reasons and outcome.timing and not outcome.broke:
        outcome.status = "skipped"
        outcome.notes.insert(0, f"no verdict: {'; '.join(reasons)}")
    return outcome


GAINS = {gain.GAIN: "passed", gain.NO_GAIN: "failed"}


def by_gain(judged, met=True):
    """The status of a test that asks whether sharing became better, and why it could not be judged (a doubt, as a
    sentence). `met`: what is asked besides."""
    if judged.gain in GAINS:
        return verdict(judged.gain == gain.GAIN and met), ""
    return "failed", f"{judged.gain}: {judged.says}" if judged.gain == gain.NOTHING_TO_GAIN else judged.says


def refuse_nothing(outcome):
    """An outcome in which nothing ran has failed, and no disturbed machine excuses it. A test that does not apply here
    is skipped with its reason."""
    ran_nothing = outcome.ran == 0 or not outcome.metrics
    says_why = outcome.broke or (outcome.status == "skipped" and any(outcome.notes))
    if ran_nothing and not says_why:
        outcome.status, outcome.broke = "failed", True
        outcome.notes.insert(0, "nothing was run, so that nothing is shown")
    return outcome


def verdict(met):
    return "passed" if met else "failed"


def in_turns(rounds, ways):
    """(round, way) for every way in every round, beginning with another one each time."""
    names = list(ways)
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            yield number, name
